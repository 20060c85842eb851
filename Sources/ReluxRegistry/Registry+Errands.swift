import ReluxControl
import ReluxWire

/// Things that only the process of a module can do, because it alone writes the module's journal: it is told, and its answer is passed on.
extension Registry {
    mutating func resolve(
        _ module: ModuleID, _ effect: EffectID, _ resolution: DeadRecord.Resolution, _ client: ConnectionID, _ request: String
    ) {
        guard let host = process(of: module, for: "note it in its journal", "the letter stays as it is", client, request) else { return }
        guard resolution != .open else {
            return refuse(client, request, Refusal(.noLetter, "a dead letter cannot be opened again; it can be retried or dropped"))
        }
        tell(host, .resolve(client: client.bytes, request: request, module: module, effect: effect, resolution: resolution))
    }

    mutating func order(_ order: ScheduleOrder, of module: ModuleID, _ client: ConnectionID, _ request: String) {
        guard let host = process(of: module, for: "\(order.deed) \(order.schedule)", "nothing was done", client, request) else { return }
        tell(host, .schedule(client: client.bytes, request: request, module: module, order))
    }

    /// The connection of a live module's process; without one the client is refused.
    private mutating func process(
        of module: ModuleID, for purpose: String, _ outcome: String, _ client: ConnectionID, _ request: String
    ) -> ConnectionID? {
        guard let record = modules[module] else {
            refuse(client, request, unknown(module))
            return nil
        }
        if record.isLive, let host = hosts[record.host]?.connection { return host }
        let why = record.state.why.isEmpty ? "" : ", \(record.state.why)"
        refuse(
            client, request,
            Refusal(
                .noProcess,
                "\(module) has no process that could \(purpose) (\(record.state.phase.rawValue)\(why)); \(outcome). Try again when relux status says ready",
                passes: isComing(record) ? "\(module) to run" : nil))
        return nil
    }

    /// A module without a process that is about to have one.
    private func isComing(_ record: ModuleRecord) -> Bool {
        guard !record.isLeaving, boot != .closing else { return false }
        switch record.state.phase {
        case .declared, .verified, .starting, .recovering, .waiting, .backoff, .standby, .draining: return true
        case .ready, .refused, .quarantined, .stopped: return false
        }
    }

    /// The module's host has done it, or there was nothing to do.
    mutating func resolved(
        _ module: ModuleID, _ effect: EffectID, isMarked: Bool, _ client: ConnectionID, _ request: String
    ) {
        if isMarked { return answer(client, request, .done(lines: ["\(effect) is marked in the journal of \(module)"])) }
        refuse(client, request, Refusal(.noLetter, "\(module) has no open dead letter of \(effect); relux dlq ls --all shows all"))
    }

    mutating func scheduled(_ module: ModuleID, _ outcome: ScheduleOrder.Outcome, _ client: ConnectionID, _ request: String) {
        switch outcome {
        case .done(let line): answer(client, request, .done(lines: [line]))
        case .unknown(let message): refuse(client, request, Refusal(.noSchedule, message))
        case .refused(let message): refuse(client, request, Refusal(.notAccepted, message))
        case .later(let message):
            let passes = modules[module].map(isComing) == true ? "\(module) to be open" : nil
            refuse(client, request, Refusal(.noProcess, message, passes: passes))
        }
    }
}
