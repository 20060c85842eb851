internal import Relux
import ReluxWire

/// The final answer of the owner of an action.
struct CallEnd: Sendable {
    var result: ActionResult
    var values: [String: CodedValue] = [:]
    var removed: [String] = []
    var left: [String: String] = [:]
}

/// Executions elsewhere that have not ended.
struct CallTable {
    private struct Call {
        var owner: ModuleID
        var end: Once<CallEnd>
    }
    /// Another one in each life of the runner, so that no answer to an earlier life is taken for one to this.
    private let life = String(UInt32.random(in: .min ... .max), radix: 16)
    private var last: UInt64 = 0
    private var open: [String: Call] = [:]

    mutating func begin(of owner: ModuleID) -> (call: String, end: Once<CallEnd>) {
        last += 1
        let call = "\(life)-\(last)"
        let end = Once<CallEnd>()
        open[call] = Call(owner: owner, end: end)
        return (call, end)
    }

    mutating func forget(_ call: String) { open[call] = nil }

    /// An answer of anybody but the owner is none.
    func end(_ call: String, by publisher: ModuleID?, _ end: CallEnd) {
        if let entry = open[call], entry.owner == publisher { entry.end.end(end) }
    }

    func lose(_ owner: ModuleID) {
        for call in open.values where call.owner == owner { call.end.end(CallEnd(result: .lost(owner: owner))) }
    }

    /// Nobody is there to hear an answer any more.
    func cancelAll() {
        for call in open.values { call.end.end(CallEnd(result: .cancelled)) }
    }
}

extension ContributedActions {
    func gate(of id: ActionID, by owner: ModuleID) async -> GateAnswer {
        guard let module else { return .failed(why: "its owner \(owner) cannot be asked before handle(_:) has got an effect") }
        let limit = settings.gateLimit
        let question = Orchestration.Business.Request.gate(
            owner: owner, orchestrator: module, action: id, limitMilliseconds: limit.wholeMilliseconds)
        let answer = await dispatcher.ask(question, of: owner, upTo: min(limit, .longestWait))
        if let isDue = answer.value(Bool.self, from: owner) { return .due(isDue) }
        let outcome = answer.outcomes.first { $0.recipient.module == owner } ?? answer.outcomes.first
        if let why = answer.absent[owner] { return .failed(why: "its owner \(owner) is absent: \(why)") }
        switch outcome?.status {
        // It took too long, or is busy with an earlier question still.
        case .succeeded?, .unanswered?: return .silent(limit)
        case .failed?, .refused?, .deadLettered?: return .failed(why: outcome?.failure?.message ?? "\(owner) refused the question whether it is due")
        case .lost?, .parked?, nil: return .failed(why: "its owner \(owner) is gone")
        }
    }

    func execute(_ id: ActionID, by owner: ModuleID, _ context: PipelineContext) async -> ActionResult {
        guard let module else { return .lost(owner: owner) }
        let (values, left) = context.coded
        for (key, why) in left.sorted(by: { $0.key < $1.key }) {
            settings.warn("\(id) of \(owner) does not see \"\(key)\", which stays in this process: \(why)")
        }
        let (call, end) = calls.begin(of: owner)
        defer { calls.forget(call) }
        let dispatcher = dispatcher
        let cancel = { @Sendable in dispatcher.performAsync { Orchestration.Business.Request.cancel(owner: owner, call: call) } }
        let begun = await dispatcher.ask(
            Orchestration.Business.Request.execute(owner: owner, orchestrator: module, action: id, call: call, values: values),
            of: owner, upTo: min(settings.gateLimit, .longestWait))
        let outcome = begun.outcomes.first { $0.recipient.module == owner } ?? begun.outcomes.first
        switch outcome?.status {
        case .succeeded: break
        case .unanswered:
            cancel()
            return .failed("\(owner) did not begin \(id) within \(DurationText.print(settings.gateLimit)); it was told not to")
        case .parked:
            // The call that is kept for the owner must not begin when the owner is back: nobody waits for it.
            cancel()
            return .parked(owner: owner, why: begun.parked[owner] ?? "")
        case .failed, .refused, .deadLettered: return .failed(outcome?.failure?.message ?? "\(owner) refused \(id)")
        case .lost, nil: return begun.absent[owner].map { .parked(owner: owner, why: $0) } ?? .lost(owner: owner)
        }
        let ended = await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            cancel()
        }
        for (key, why) in ended.left.sorted(by: { $0.key < $1.key }) {
            settings.warn("what \(id) of \(owner) has set as \"\(key)\" stays in its process: \(why)")
        }
        context.take(ended.values, removed: ended.removed)
        return ended.result
    }
}
