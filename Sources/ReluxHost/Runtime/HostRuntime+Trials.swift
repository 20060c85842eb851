import Relux
import ReluxBus

/// In a process that several modules share, the effects that were open at a death are tried module by module.
///
/// A module opens only while no other one runs its suspects, so that a death is that of the one effect, and what a neighbour was handling is
/// not charged again and again with what it has not done. A module that may not proceed yet is not waited for: others may be what it
/// waits for. Nor is one whose suspects wait for something themselves, beyond the patience that they all have.
extension HostRuntime {
    /// How long a module waits for a suspect that does not come.
    static let trialPatience = Duration.seconds(5)

    /// The module has come with suspects.
    func expectTrial(of id: ModuleID) { trials[id] = .due }

    /// Whether the module has to wait with its opening; another one's turn is now.
    func mustWaitForTrial(_ id: ModuleID) -> Bool {
        endTrials()
        return trials.contains { other, trial in
            guard other != id else { return false }
            switch trial {
            case .running: return true
            case .due: return isDue(other) && (trials[id] == nil || other < id)
            }
        }
    }

    /// The module is being opened now.
    func beginTrial(of id: ModuleID) {
        if trials[id] != nil { trials[id] = .running(since: .now) }
    }

    /// Opens the modules that have waited for a trial that is over; from time to time.
    func openWhoWaited() {
        // Also when no trial is left: whoever opened last may have found it over.
        for id in modules.keys.sorted() { openIfDue(id) }
        endTrials()
    }

    private func isDue(_ id: ModuleID) -> Bool {
        modules[id].map { $0.mayProceed && $0.state.phase == .waiting } ?? false
    }

    private func endTrials() {
        trials = trials.filter { id, trial in
            guard modules[id] != nil else { return false }
            guard case .running(let since) = trial else { return true }
            return exchange.hasSuspects(id) && ContinuousClock.now - since < Self.trialPatience
        }
    }
}

/// Whether a module's suspects have had their turn.
enum Trial: Sendable {
    case due
    case running(since: ContinuousClock.Instant)
}
