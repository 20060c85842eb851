import ReluxControl
import ReluxWire

/// Dead letters: only the process that writes a module's journal can mark them there.
extension Registry {
    mutating func resolve(
        _ module: ModuleID, _ effect: EffectID, _ resolution: DeadRecord.Resolution, _ client: ConnectionID, _ request: String
    ) {
        guard let record = modules[module] else { return refuse(client, request, unknown(module)) }
        guard record.isLive, let host = hosts[record.host]?.connection else {
            let why = record.state.why.isEmpty ? "" : ", \(record.state.why)"
            let refusal = Refusal(
                .noProcess,
                "\(module) has no process that could note it in its journal (\(record.state.phase.rawValue)\(why)); the letter"
                    + " stays as it is. Try again when relux status says ready", passes: isComing(record) ? "\(module) to run" : nil)
            return refuse(client, request, refusal)
        }
        guard resolution != .open else {
            return refuse(client, request, Refusal(.noLetter, "a dead letter cannot be opened again; it can be retried or dropped"))
        }
        tell(host, .resolve(client: client.bytes, request: request, module: module, effect: effect, resolution: resolution))
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
}
