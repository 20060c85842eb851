package import Relux

/// Whether the books of all modules balance. Pure.
///
/// Design notes. Journals are written while they are read, so each question is put to two looks, one after the other, in the order in which the
/// bus writes: a publisher acknowledges what its recipient has written before, so what the first look finds acknowledged the second must find
/// settled; a recipient forgets a settlement only when the publisher has written it down, so what it has forgotten in the first look cannot
/// be open in the second. Neither can be wrong by what happens in between. A membership that changes meanwhile can: a finding counts when later looks
/// have it too (``confirming(_:)``).
package struct Audit: Sendable {
    /// The fate of effects that wait for a module.
    package enum Place: Sendable, Hashable {
        case running
        /// It has no process, or is known to be absent, and why.
        case parked(String)
    }

    /// One recipient of one stream.
    package struct Row: Sendable, Hashable {
        package var key: Key
        package var accepted: UInt64 = 0
        package var succeeded: UInt64 = 0
        package var failed: UInt64 = 0
        /// Settled by the recipient; the publisher has not written it down yet.
        package var unacknowledged: UInt64 = 0
        /// Neither settled nor ended.
        package var open: UInt64 = 0
        package var deadLettered: UInt64 = 0
        package var refused: UInt64 = 0
        package var lost: UInt64 = 0
        /// nil when there is no cluster to ask, or it does not know the recipient.
        package var place: Place?

        package var inFlight: UInt64 { place == .running ? open : 0 }
        package var parked: UInt64 { open - inFlight }
    }

    package struct Key: Sendable, Hashable, Comparable {
        package var publisher: ModuleID
        package var topic: Topic
        package var recipient: ModuleID

        package static func < (left: Self, right: Self) -> Bool {
            (left.publisher, left.topic, left.recipient) < (right.publisher, right.topic, right.recipient)
        }
    }

    /// Sorted by publisher, topic and recipient.
    package private(set) var rows: [Row] = []
    package private(set) var findings: [Finding] = []
    package private(set) var unreadable: [ModuleID: String]
    /// Dispatches that were not accepted, by module and reason; what balances is what was accepted.
    package private(set) var refusals: [ModuleID: [String: UInt64]]
    /// Losses of journals whose older copies came back, a line each: they are named, and in no row.
    package var losses: [String]

    package var isBalanced: Bool { findings.isEmpty && unreadable.isEmpty }

    /// - Parameters:
    ///   - first: of the two looks, finished before the second began. The same twice for journals that nobody writes.
    ///   - places: every module of the cluster; nil when there is none to ask.
    package init(first: AuditLook, second: AuditLook, places: [ModuleID: Place]?) {
        unreadable = second.unreadable
        refusals = second.journals.mapValues(\.ledger.refusals).filter { !$0.value.isEmpty }
        losses = second.journals.sorted { $0.key < $1.key }.flatMap(\.value.ledger.losses)
        var judge = Judge(first: first, second: second, places: places)
        for publisher in second.journals.keys.sorted() { judge.judge(publisher) }
        for recipient in first.journals.keys.sorted() { judge.judgeCursors(of: recipient) }
        rows = judge.rows.sorted { $0.key < $1.key }
        findings = judge.findings.sorted { ($0.key, $0.kind.rawValue) < ($1.key, $1.kind.rawValue) }
    }

    /// This audit with only those findings that an earlier one had too.
    package func confirming(_ earlier: Audit) -> Audit {
        var audit = self
        audit.findings.removeAll { finding in !earlier.findings.contains { $0.key == finding.key && $0.kind == finding.kind } }
        audit.unreadable = unreadable.filter { earlier.unreadable[$0.key] != nil }
        return audit
    }

    /// The same of all modules, the most frequent first.
    package var refusedReasons: [(reason: String, count: UInt64)] {
        refusals.values.reduce(into: [String: UInt64]()) { $0.merge($1, uniquingKeysWith: &+) }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// All rows in one.
    package var total: Row {
        var total = Row(key: Key(publisher: "all", topic: "all", recipient: "all"))
        for row in rows {
            for account in Self.accounts { total[keyPath: account] &+= row[keyPath: account] }
        }
        return total
    }

    /// Unsettled effects in all rows whose recipient has a process.
    package var inFlight: UInt64 { rows.reduce(0) { $0 &+ $1.inFlight } }
    package var parked: UInt64 { rows.reduce(0) { $0 &+ $1.parked } }

    private static var accounts: [WritableKeyPath<Row, UInt64>] {
        [\.accepted, \.succeeded, \.failed, \.unacknowledged, \.open, \.deadLettered, \.refused, \.lost]
    }
}
