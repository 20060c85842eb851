public import Relux

/// A logger that keeps what a node dispatched, actions and effects apart.
///
/// A dispatch that was not accepted is in ``refused`` and in ``entries``, and nowhere else: nobody got it. A test that does not expect it fails, see
/// ``expectRefusals(of:)``.
public final class RecordingLogger: Relux.Logger {
    private let list = Watched<[Relux.LogEntry]>([])

    private let expected = Watched<Set<String>>([])

    public init() { RefusalCheck.current?.add(self) }

    public func log(_ entry: Relux.LogEntry) { list.update { $0.append(entry) } }

    /// All entries, refused registrations too.
    public var entries: [Relux.LogEntry] { list.value }
    public var actions: [any Relux.Action] { accepted.filter { !$0.isEffect }.compactMap(\.action) }
    public var effects: [any Relux.Effect] { accepted.compactMap { $0.action as? any Relux.Effect } }
    private var accepted: [Relux.LogEntry] { entries.filter { !$0.isRefused } }
    /// Dispatches that were not accepted, each with the reason in its result.
    public var refused: [Relux.LogEntry] { entries.filter(\.isRefused) }

    /// The test wants dispatches that are refused for these reasons, codes of `Relux.Failure`: those alone do not fail it.
    public func expectRefusals(of reasons: String...) { expected.update { $0.formUnion(reasons) } }

    /// Refused for a reason that the test does not want.
    public var unexpectedRefusals: [Relux.LogEntry] {
        let expected = expected.value
        return refused.filter { entry in !entry.result.failures.contains { expected.contains($0.code) } }
    }

    /// One line for each refused registration.
    public var refusals: [String] { entries.filter { $0.action == nil }.map(\.message) }
    /// Everything as a reader of the log sees it.
    public var text: String { entries.map { "\($0.description) \($0.label) \($0.result)" }.joined(separator: "\n") }

    /// All that were dispatched of one type, in the order in which they ended.
    public func all<Action: Relux.Action>(_ type: Action.Type = Action.self) -> [Action] {
        accepted.compactMap { $0.action as? Action }
    }

    public func findAction<Action: Relux.Action>(
        _ type: Action.Type = Action.self, where matches: (Action) -> Bool = { _ in true }
    ) -> Action? { all(type).first(where: matches) }

    public func findEffect<Effect: Relux.Effect>(
        _ type: Effect.Type = Effect.self, where matches: (Effect) -> Bool = { _ in true }
    ) -> Effect? { all(type).first(where: matches) }

    /// How many were dispatched of a case, by the name that a log shows: `Notes.Business.Effect.upserted`. Those that were refused do not count: nobody got them.
    public func told(_ name: String) -> Int {
        accepted.count { $0.description.prefix { $0 != "(" } == name }
    }

    public func entry<Action: Relux.Action & Equatable>(of action: Action) -> Relux.LogEntry? {
        entries.first { ($0.action as? Action) == action }
    }

    /// Returns when `count` entries are there.
    public func wait(count: Int) async throws(WatchdogError) {
        try await list.wait(for: "\(count) log entries") { $0.count >= count }
    }

    /// Returns when the entries are as wanted.
    public func wait(for what: String, until isAsWanted: @escaping @Sendable ([Relux.LogEntry]) -> Bool) async throws(WatchdogError) {
        try await list.wait(for: what, until: isAsWanted)
    }

    /// nil when exactly these were dispatched of their type, in this order:
    /// `#expect(logger.mismatch(dispatched: [Ping.ping(1)]) == nil)`.
    public func mismatch<Action: Relux.Action & Equatable>(dispatched expected: [Action]) -> Mismatch? {
        let actual = all(Action.self)
        return expected == actual ? nil : mismatch(expected, actual, heading: "dispatched actions differ")
    }

    /// nil when it was dispatched at all.
    public func mismatch<Action: Relux.Action & Equatable>(dispatched expected: Action) -> Mismatch? {
        let actual = all(Action.self)
        return actual.contains(expected) ? nil : mismatch([expected], actual, heading: "an action was not dispatched")
    }

    private func mismatch<Action: Relux.Action>(_ expected: [Action], _ actual: [Action], heading: String) -> Mismatch {
        Mismatch(heading: heading, expected: expected.map { Relux.describe($0) }, actual: actual.map { Relux.describe($0) })
    }
}
