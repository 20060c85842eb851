package import Relux
import ReluxControl

/// Modules that are set up go on when all hosts hear each other and the broker says so.
///
/// When several modules share a process that died, a module opens only while no other one runs its suspects, so that a further death is the fault
/// of one effect. A module that may not proceed yet is not waited for: others may be what it waits for. Nor is a module waited for beyond
/// ``trialPatience``: its suspects may wait for something themselves.
extension HostMachine {
    static let trialPatience = Duration.seconds(5)
    /// How long hosts may be silent before the broker is told which ones are.
    private static let silencePatience = Duration.seconds(1)

    /// Modules whose suspects run.
    package var onTrial: [ModuleID] {
        modules.compactMap { id, module in if case .running = module.life.membership?.trial { id } else { nil } }
    }

    mutating func proceedJoining(_ now: Duration, _ bus: BusStatus) {
        var held: Set<ModuleID> = []
        if case .settingUp(_, _, let welcome?) = step { held = welcome.done }
        let joining = modules.keys.sorted().filter { !held.contains($0) }.compactMap { id -> (ModuleID, Membership, [HostID])? in
            if case .joining(let membership, let hosts) = modules[id]?.life { (id, membership, hosts) } else { nil }
        }
        guard isWelcome, let joinStarted, !joining.isEmpty else { return }
        guard bus.isJoined else {
            guard now - joinStarted >= Self.silencePatience else { return }
            for (id, membership, hosts) in joining where hosts != bus.unanswered { setLife(id, .joining(membership, unanswered: bus.unanswered)) }
            return
        }
        // The losses of a journal are known before its module is ready.
        actions.append(.sayTotals)
        guard bus.isHeard || now - joinStarted >= settings.hearingPatience else { return }
        for (id, membership, _) in joining {
            setLife(id, .waiting(membership))
            openIfDue(id, now)
        }
    }

    mutating func openIfDue(_ id: ModuleID, _ now: Duration) {
        guard isDue(id), var membership = modules[id]?.life.membership, !mustWaitForTrial(id) else { return }
        if membership.trial != nil { membership.trial = .running(since: now) }
        actions.append(.open(id))
        setLife(id, .ready(membership))
        actions += [.sayBarrier(id), .opened(id)]
    }

    /// Another module's turn is now.
    private func mustWaitForTrial(_ id: ModuleID) -> Bool {
        let hasOwn = modules[id]?.life.membership?.trial != nil
        return modules.contains { other, module in
            guard other != id else { return false }
            return switch module.life.membership?.trial {
            case nil: false
            case .running: true
            case .due: isDue(other) && (!hasOwn || other < id)
            }
        }
    }

    private func isDue(_ id: ModuleID) -> Bool {
        guard let module = modules[id], case .waiting(let membership) = module.life else { return false }
        return module.permit == membership.epoch
    }

    mutating func endTrials(_ now: Duration, _ bus: BusStatus) {
        for id in onTrial {
            guard case .running(let since) = modules[id]?.life.membership?.trial else { continue }
            if !bus.suspects.contains(id) || now - since >= Self.trialPatience { modules[id]?.life.endTrial() }
        }
    }
}
