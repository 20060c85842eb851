import ReluxControl
import ReluxPlugin
import ReluxWire

/// Messages of host processes.
extension Registry {
    mutating func heard(_ message: HostMessage, from connection: ConnectionID) {
        if case .hello(let hello) = message {
            if isRecollecting { journals.recollection?.hellos[connection] = hello } else { greet(hello, from: connection) }
            return
        }
        guard let host = connections[connection] else {
            if !notices.strangers.heard(connection) {
                // A sealed journal stays as it is, also when the end of its process is told first.
                if case .journalEnds(let ends) = message { return noteEnds(ends) }
                notices.counters.stale += 1
            }
            tell(connection, .introduce)
            return
        }
        hosts[host]?.lives(clock.now)
        if !heardOfHandover(message, from: host) { take(message, from: host) }
        // Whatever became of it: the process waits for this before it ends.
        if case .refused(let module, _, _) = message { tell(connection, .refusalNoted(module: module)) }
    }

    private mutating func take(_ message: HostMessage, from host: HostID) {
        switch message {
        case .hello, .courier: break
        case .state(let module, let state):
            if owns(host, module) { reported(module, state) }
        case .refused(let module, let code, let message):
            let refusal = Refusal(Refusal.Rule(rawValue: code), message + wayOn(for: module, refusedBy: code))
            if modules[module] == nil {
                reject(refusal, of: module)
                stopIfIdle(host)
            } else if owns(host, module), modules[module].map(awaitsStart) == false {
                // A process with another version refuses that one, or the wanted one because of it.
                refuse(module, refusal, isSaid: true)
            }
        case .outlived(let module, let epoch):
            if owns(host, module) { outlived(module, by: epoch, host) }
        case .pong(let stalled):
            hosts[host]?.answered(clock.now)
            ponged(host, stalled: stalled)
        case .unsettled(let count, let effects): hosts[host]?.unsettled = (count, effects)
        case .stored: break
        case .startBarrier(let module, let state):
            if owns(host, module), modules[module]?.isLive == true {
                modules[module]?.present.instance.barrier = state
                turn.isUnsettled = true
            }
        case .journalEnds(let ends): noteEnds(ends)
        case .left(let module):
            if owns(host, module) { left(module) }
        case .interrupted(let module, let count, let effects): interrupted(module, count, effects)
        case .bus(let totals):
            hosts[host]?.bus = totals
            heard(totals.laterLives, from: host)
            take(totals.lost)
        case .disk(let troubles): hosts[host]?.disk = troubles
        case .crowded(let trouble): hosts[host]?.crowd = trouble
        case .blocked(let handlers): hosts[host]?.blocked = Array(handlers.prefix(Self.blockedLimit))
        case .resolved(let client, let request, let module, let effect, let isMarked):
            resolved(module, effect, isMarked: isMarked, ConnectionID(client), request)
        case .scheduled(let client, let request, let module, let outcome): scheduled(module, outcome, ConnectionID(client), request)
        case .counters(let totals):
            for (module, counters) in totals where modules[module]?.host == host {
                modules[module]?.present.counters = counters
            }
        }
    }

    /// The remedy for a module whose served version a host does not take; empty where the host's own words say it.
    private func wayOn(for module: ModuleID, refusedBy code: String) -> String {
        guard let directory = modules[module]?.directory, directory == served[module]?.directory else { return "" }
        switch code {
        case Refusal.Rule.loaderGuard.rawValue: return ", then: relux module load \(module) --packed"
        case Refusal.Rule.loaderUnreadable.rawValue:
            return "; it was served from there: bring that directory back and restart it: relux module restart \(module); or load another version in its"
                + " place: relux module load DIRECTORY"
        default: return ""
        }
    }

    /// One publisher's share of what a dead instance had not settled; the crash report of its process names it.
    mutating func interrupted(_ module: ModuleID, _ count: UInt64, _ effects: [EffectID]) {
        guard let death = losses.deaths[module] else { return }
        orderSupervisor(.inFlight(host: death.host, pid: death.pid, count: count, effects: effects))
    }

    private mutating func owns(_ host: HostID, _ module: ModuleID) -> Bool {
        guard modules[module]?.host == host else {
            notices.counters.stale += 1
            return false
        }
        return true
    }

    private mutating func reported(_ id: ModuleID, _ state: ModuleState) {
        guard let record = modules[id], record.isLive else {
            notices.counters.stale += 1
            return
        }
        modules[id]?.present.instance.hostWhy = state.phase == .recovering ? state.why : ""
        switch state.phase {
        case .ready:
            // Also an answer to a `proceed` that was withdrawn since: the broker says when, nobody else.
            guard record.present.instance.mayBeReady, !record.isLeaving else {
                notices.counters.illegalTransitions += 1
                return
            }
            move(id, to: .ready)
        case .recovering:
            if record.state.phase != .waiting { move(id, to: .recovering, why: state.why) }
        case .waiting:
            // Why it waits the registry knows better; see Registry+Phases.swift.
            if record.state.phase != .recovering && record.state.phase != .waiting { notices.counters.illegalTransitions += 1 }
        case .draining: move(id, to: .draining, why: state.why)
        case .stopped: left(id)
        case .declared, .verified, .starting, .backoff, .quarantined, .refused, .standby: notices.counters.illegalTransitions += 1
        }
    }

    /// Connections of all hosts that have been welcomed, in the order of their names.
    package var connectedHosts: [ConnectionID] { connections.sorted { $0.value < $1.value }.map(\.key) }
}
