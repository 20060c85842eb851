import Relux
import ReluxControl
import ReluxTap
import ReluxWire

/// The merged result of an emitted effect.
enum EmitOutput {
    static func print(_ answer: EmitAnswer, effect: String, trace: CausalTree?, order: FieldOrder = FieldOrder(), _ session: CommandSession) {
        switch session.format {
        case .table, .wide:
            for line in lines(answer, effect: effect, trace: trace, order: order, isWide: session.format == .wide, style: session.style) { session.print(line) }
            guard let trace else { return }
            session.print("")
            for line in trace.lines(from: answer.effect, style: session.style, isWide: session.format == .wide) { session.print(line) }
        case .json, .ndjson: session.print(json(answer, effect: effect, trace: trace, order: order))
        case .name: session.print("\(answer.effect)")
        }
    }

    /// `Auth#7  Auth.Business.Effect.login  succeeded`, then a line per recipient that has done something, and one for those that only heard of it.
    ///
    /// - Parameter isWide: a line for each of those too.
    static func lines(
        _ answer: EmitAnswer, effect: String, trace: CausalTree? = nil, order: FieldOrder = FieldOrder(), isWide: Bool = false, style: TerminalStyle
    ) -> [String] {
        let verdict =
            answer.unhandled
            ? style("unhandled", .yellow)
            : answer.succeeded ? style("succeeded", .green) : style("failed", .red)
        var lines = ["\(style("\(answer.effect)", .cyan))  \(effect)  \(verdict)"]
        let acted = isWide ? answer.outcomes : answer.outcomes.filter { hasActed($0, on: answer.effect, effect, trace, order) }
        let shown = acted.isEmpty ? answer.outcomes : acted
        for outcome in shown {
            var parts = ["  \(outcome.recipient)", style(outcome.status.rawValue, color(of: outcome.status))]
            if let value = value(outcome, order) { parts.append(value.text()) }
            if !outcome.message.isEmpty { parts.append(TerminalText.escaped(outcome.message)) }
            lines.append(parts.joined(separator: "  "))
        }
        let others = Set(answer.outcomes.map(\.recipient)).subtracting(shown.map(\.recipient)).sorted()
        if !others.isEmpty { lines.append("  " + style("heard by \(others.map(\.rawValue).joined(separator: ", "))", .dim)) }
        return lines
    }

    /// The tree's rule; without a tree nobody knows what a recipient has caused.
    private static func hasActed(_ outcome: EmitAnswer.Outcome, on id: EffectID, _ effect: String, _ trace: CausalTree?, _ order: FieldOrder) -> Bool {
        outcome.status != .succeeded || !outcome.message.isEmpty || value(outcome, order) != nil || effect.hasPrefix(outcome.recipient.rawValue + ".")
            || trace?.hasCaused(outcome.recipient, by: id) == true
    }

    private static func color(of status: Relux.ActionResult.Status) -> TerminalStyle.Ink {
        switch status {
        case .succeeded: .green
        case .parked: .yellow
        case .failed, .lost, .refused, .deadLettered, .unanswered: .red
        }
    }

    static func json(_ answer: EmitAnswer, effect: String, trace: CausalTree?, order: FieldOrder = FieldOrder()) -> JSONValue {
        let events = trace.map { tree in
            [JSONValue.Member("trace", .array(tree.events(from: answer.effect).map { TapJSON.object(of: $0, tree.absentees) }))]
        }
        let members: [JSONValue.Member] = [.init("schema", "relux.effect.result/1")] + JSONValue.members(of: answer.effect) + [
            .init("effect", .string(effect)), .init("succeeded", .bool(answer.succeeded)),
            .init("unhandled", .bool(answer.unhandled)),
            .init(
                "outcomes",
                .array(
                    answer.outcomes.map { outcome in
                        .object([
                            .init("recipient", .string(outcome.recipient.rawValue)),
                            .init("status", .string(outcome.status.rawValue)), .init("message", .string(outcome.message)),
                            .init("value", value(outcome, order) ?? .null),
                        ])
                    })),
        ]
        return .object(members + (events ?? []))
    }

    static func status(of answer: EmitAnswer) -> ExitStatus {
        let statuses = Set(answer.outcomes.map(\.status))
        if !statuses.isDisjoint(with: [.failed, .refused, .deadLettered]) { return .failed }
        if statuses.contains(.lost) { return .lost }
        if statuses.contains(.unanswered) { return .timeout }
        return answer.succeeded || answer.unhandled ? .ok : .failed
    }

    private static func value(_ outcome: EmitAnswer.Outcome, _ order: FieldOrder) -> JSONValue? {
        guard !outcome.value.bytes.isEmpty else { return nil }
        guard let value = order.value(ofAnswer: outcome.value.bytes[...]) else {
            return .string("<\(outcome.value.bytes.count) bytes>")
        }
        return JSONValue(value)
    }
}
