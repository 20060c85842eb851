import ReluxLedger
import ReluxTap
import ReluxWire

/// `relux audit`, for people and for programs.
enum AuditOutput {
    static func print(_ audit: Audit, isLive: Bool, _ session: CommandSession) {
        switch session.format {
        case .json: session.print(json(audit, isLive: isLive))
        case .ndjson:
            for row in audit.rows { session.print(json(row, isLive: isLive)) }
            for finding in audit.findings { session.print(json(finding)) }
            report(audit.unreadable, session)
        case .name:
            for finding in audit.findings { session.print("\(finding.key)") }
            report(audit.unreadable, session)
        case .table, .wide:
            for line in table(audit, isLive: isLive, wide: session.format == .wide, session.style) { session.print(line) }
        }
    }

    /// On standard error, where what is printed has no word for it.
    private static func report(_ unreadable: [ModuleID: String], _ session: CommandSession) {
        for (module, why) in unreadable.sorted(by: { $0.key < $1.key }) {
            session.report(
                CLIError(
                    .failed, "journal.unreadable", "the journal of \(module) cannot be read: \(why)", hint: "relux journal verify \(module)"))
        }
    }

    // MARK: For people

    static func table(_ audit: Audit, isLive: Bool, wide: Bool, _ style: TerminalStyle) -> [String] {
        var lines: [String] = []
        if !audit.rows.isEmpty {
            let counts = counts(isLive: isLive, wide: wide).filter { column in wide || audit.rows.contains { column.count($0) > 0 } }
            var table = TextTable(["PUBLISHER", "TOPIC", "RECIPIENT"] + counts.map(\.title))
            for row in audit.rows {
                table.add([row.key.publisher.rawValue, row.key.topic.rawValue, row.key.recipient.rawValue] + counts.map { "\($0.count(row))" })
            }
            lines += table.lines { row, _, text in row == 0 ? style(text, .dim) : text }
            for row in audit.rows where isLive && row.parked > 0 {
                lines.append("parked    \(row.parked) for \(row.key.recipient): \(TerminalText.escaped(row.why(isLive: true)))")
            }
            lines.append("")
        }
        for loss in audit.losses { lines.append("gone      \(loss)") }
        for finding in audit.findings {
            lines.append(style("unbalanced", .red) + "  " + finding.message)
            lines.append("            \(finding.remedy)")
        }
        for (module, why) in audit.unreadable.sorted(by: { $0.key < $1.key }) {
            lines.append(style("unreadable", .red) + "  \(module): \(TerminalText.escaped(why))")
            lines.append("            relux journal verify \(module)")
        }
        for (module, reasons) in audit.refusals.sorted(by: { $0.key < $1.key }) {
            lines.append(style("refused", .red) + "  \(module): " + text(of: reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }))
        }
        if !audit.rows.isEmpty { lines.append(sum(audit, isLive: isLive, style)) }
        if let refused = refused(audit) { lines.append(refused) }
        return lines
    }

    /// A count is a column as soon as one row has it.
    private static func counts(isLive: Bool, wide: Bool) -> [(title: String, count: (Audit.Row) -> UInt64)] {
        var columns: [(title: String, count: (Audit.Row) -> UInt64)] = [("ACCEPTED", { $0.accepted }), ("SETTLED", { $0.settled })]
        if wide { columns += [("SUCCEEDED", { $0.succeeded }), ("FAILED", { $0.failed })] }
        columns.append(("UNACKED", { $0.unacknowledged }))
        columns += isLive ? [("IN FLIGHT", { $0.inFlight }), ("PARKED", { $0.parked })] : [("OPEN", { $0.open })]
        return columns + [("DEAD", { $0.deadLettered }), ("REFUSED", { $0.refused }), ("LOST", { $0.lost })]
    }

    /// `never accepted 3 (undeclared 2, hops 1)`; nil when all was.
    private static func refused(_ audit: Audit) -> String? {
        let reasons = audit.refusedReasons
        guard !reasons.isEmpty else { return nil }
        return "never accepted \(reasons.reduce(0) { $0 &+ $1.count }) (\(text(of: reasons.map { ($0.reason, $0.count) }))); relux module show says where"
    }

    private static func text(of reasons: [(key: String, value: UInt64)]) -> String {
        reasons.map { "\(TerminalText.escaped($0.key)) \($0.value)" }.joined(separator: ", ")
    }

    /// `accepted 12 = settled 10 + … BALANCED`
    private static func sum(_ audit: Audit, isLive: Bool, _ style: TerminalStyle) -> String {
        let total = audit.total
        let waiting = isLive ? "in flight \(audit.inFlight) + parked \(audit.parked)" : "open \(total.open)"
        return "accepted \(total.accepted) \(audit.findings.isEmpty ? "=" : "/") settled \(total.settled)"
            + " + unacknowledged \(total.unacknowledged) + \(waiting) + dead \(total.deadLettered) + refused \(total.refused)"
            + " + lost \(total.lost)  "
            + (audit.isBalanced
                ? style("BALANCED", .green) : style(audit.findings.isEmpty ? "NOT PROVEN" : "NOT BALANCED", .red))
    }

    // MARK: For programs

    static func json(_ audit: Audit, isLive: Bool) -> JSONValue {
        .object([
            .init("schema", "relux.audit/1"), .init("balanced", .bool(audit.isBalanced)), .init("live", .bool(isLive)),
            .init("accepted", number(audit.total.accepted)), .init("settled", number(audit.total.settled)),
            .init("rows", .array(audit.rows.map { json($0, isLive: isLive) })),
            .init("findings", .array(audit.findings.map(json))),
            .init("neverAccepted", .array(audit.refusals.sorted { $0.key < $1.key }.flatMap { module, reasons in
                reasons.sorted { $0.key < $1.key }.map { reason, count in
                    .object([
                        .init("module", .string(module.rawValue)), .init("reason", .string(reason)), .init("count", number(count)),
                    ])
                }
            })),
            .init("gone", .array(audit.losses.map { .string($0) })),
            .init(
                "unreadable",
                .array(
                    audit.unreadable.sorted { $0.key < $1.key }.map {
                        .object([.init("module", .string($0.key.rawValue)), .init("why", .string($0.value))])
                    })),
        ])
    }

    private static func json(_ row: Audit.Row, isLive: Bool) -> JSONValue {
        .object(
            members(row.key) + [
                .init("accepted", number(row.accepted)), .init("succeeded", number(row.succeeded)),
                .init("failed", number(row.failed)), .init("unacknowledged", number(row.unacknowledged)),
                .init("open", number(row.open)), .init("inFlight", isLive ? number(row.inFlight) : .null),
                .init("parked", isLive ? number(row.parked) : .null), .init("why", .string(row.why(isLive: isLive))),
                .init("dead", number(row.deadLettered)), .init("refused", number(row.refused)), .init("lost", number(row.lost)),
            ])
    }

    private static func json(_ finding: Audit.Finding) -> JSONValue {
        .object(
            [.init("kind", .string(finding.kind.rawValue))] + members(finding.key) + [
                .init("count", number(finding.count)),
            ] + (finding.first.map { JSONValue.members(ofNumber: $0, as: "firstSequence") } ?? [.init("firstSequence", .null)]) + [
                .init("message", .string(finding.message)), .init("remedy", .string(finding.remedy)),
            ])
    }

    private static func members(_ key: Audit.Key) -> [JSONValue.Member] {
        [
            .init("publisher", .string(key.publisher.rawValue)), .init("topic", .string(key.topic.rawValue)),
            .init("recipient", .string(key.recipient.rawValue)),
        ]
    }

    private static func number(_ value: UInt64) -> JSONValue { .integer(Int128(value)) }
}

extension Audit.Row {
    var settled: UInt64 { succeeded &+ failed }

    /// The place of the open effects, in words.
    fileprivate func why(isLive: Bool) -> String {
        guard open > 0 else { return "" }
        return switch place {
        case .running: "in flight"
        case .parked(let why): why
        case nil: isLive ? "no module of the cluster" : "unknown, no cluster answers"
        }
    }
}

extension Audit.Key: CustomStringConvertible {
    public var description: String { "\(publisher) \(topic) \(recipient)" }
}
