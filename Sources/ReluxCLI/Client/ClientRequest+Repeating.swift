import ReluxControl
import ReluxWire

extension ClientRequest.Body {
    /// The module that it is about, if it is about one.
    var module: ModuleID? {
        switch self {
        case .whyNot(let module), .unload(let module, _), .restart(let module, _), .resolve(let module, _, _), .schedule(let module, _): module
        case .upgrade(let module, _, _), .rollback(let module, _), .move(let module, _, _), .evict(let module, _, _): module
        default: nil
        }
    }

    /// Asking twice does what asking once does.
    var isRepeatable: Bool {
        switch self {
        case .status, .contracts, .whyNot, .compare: true
        default: false
        }
    }

    /// Whether the next broker knows it by its id.
    var outlivesBroker: Bool {
        switch self {
        case .emit, .upgrade, .rollback, .move: true
        default: false
        }
    }

    /// How long an emission's recipients may take; nil for any other request.
    var deadline: Duration? {
        guard case .emit(_, _, let milliseconds, _, _, _) = self else { return nil }
        return .milliseconds(Int64(clamping: milliseconds))
    }

    /// The same with less time.
    func within(_ rest: Duration) -> Self {
        guard case .emit(let topic, let payload, _, let label, let contract, let everyone) = self else { return self }
        return .emit(
            topic: topic, payload: payload, deadlineMilliseconds: max(1, UInt64(rest / .milliseconds(1))), label: label, contract: contract,
            everyone: everyone)
    }

    /// The outcome that whoever asks waits for, as in "before …".
    var awaited: String {
        switch self {
        case .emit(let topic, _, _, _, _, _): "the recipients of \(topic) had answered"
        case .upgrade(let module, _, _): "the upgrade of \(module) had come to its end"
        case .rollback(let module, _): "the rollback of \(module) had come to its end"
        case .move(let module, _, _): "the move of \(module) had come to its end"
        case .unload(let module, _): "\(module) had left"
        case .load(let host, _, _, _): "host \(host.id) was loaded"
        default: "what was asked had come to its end"
        }
    }

    /// The request's present obstacle, as in "waiting for …".
    func waitsFor(in status: ClusterStatus) -> String {
        switch self {
        case .emit(let topic, _, _, _, _, let everyone):
            let absences = everyone == true ? [:] : status.picture.absences
            let recipients = status.modules.filter { $0.handles.contains(topic) && absences[$0.id] == nil }
            // A module whose import has left answers all the same, unless it is known to be absent.
            let coming = recipients.filter { $0.state.phase != .ready && $0.state.phase != .waiting }
            guard coming.isEmpty else {
                let states = coming.map { "\($0.id) is \($0.state.text)" }
                return "\(coming.map(\.id.rawValue).joined(separator: ", ")) to answer: \(states.joined(separator: "; "))"
            }
            return "\(recipients.isEmpty ? "the recipients" : recipients.map(\.id.rawValue).joined(separator: " or ")) to answer to \(topic)"
        default:
            guard let module, let found = status.modules.first(where: { $0.id == module }) else { return end }
            return "\(end): \(found.handover ?? "\(module) is \(found.state.text)")"
        }
    }

    /// The request's end, as in "waiting for …".
    private var end: String {
        switch self {
        case .upgrade(let module, _, _): "the upgrade of \(module) to end"
        case .rollback(let module, _): "the rollback of \(module) to end"
        case .move(let module, _, _): "the move of \(module) to end"
        case .unload(let module, _): "\(module) to leave"
        case .load(let host, _, _, _): "host \(host.id) to be loaded"
        case .resolve(let module, _, _): "\(module) to note it in its journal"
        case .schedule(let module, let order): "\(module) to \(order.deed) \(order.schedule)"
        default: "the broker to answer"
        }
    }

    /// The request's known outcome when nobody answers any more; empty when there is nothing to say.
    var outcome: String {
        switch self {
        case .emit: "the effect may have been accepted, and is handled after the next start if it was"
        case .schedule: "it may have been done: `relux schedule ls` shows where the schedule stands"
        case .upgrade, .rollback, .move, .unload, .load: "what became of it stands in `relux status` after the next start"
        default: ""
        }
    }
}

extension ModuleState {
    /// `backoff: signal 9 (SIGKILL)`
    var text: String { phase.rawValue + (why.isEmpty ? "" : ": \(why)") }
}
