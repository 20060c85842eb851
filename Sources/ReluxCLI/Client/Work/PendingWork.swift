import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxWire

/// The effects that nobody has settled yet, counted.
struct PendingWork {
    private let counts: [(key: Audit.Key, count: Int)]
    private let unreadable: [ModuleID: String]

    init(_ run: RunDirectory) throws(CLIError) {
        let work = try CLIError.journal { () throws(JournalError) in try WaitingWork(folder: run.journals, environment: try .live()) }
        unreadable = work.unreadable
        counts = Dictionary(work.items.map { ($0.key, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// `Files: 3 effects wait for it (3 Cluster Files.Business.Effect), 0 of its own wait for others`
    func line(of module: ModuleID) -> String {
        let (total, sources) = waiting(for: module)
        let said = counts.filter { $0.key.publisher == module }.reduce(0) { $0 + $1.count }
        let unread = unreadable[module].map { "; its journal cannot be read: \($0)" } ?? ""
        return "\(module): \(total.counted("effect waits", "effects wait")) for it\(sources.isEmpty ? "" : " (\(sources))"), \(said) of its own \(said == 1 ? "waits" : "wait") for others\(unread)"
    }

    /// Lines of a plan: the effects that are lost with a module that settles nothing any more; none when none are.
    static func losses(with module: ModuleID, in run: RunDirectory) -> [String] {
        do throws(CLIError) {
            return try PendingWork(run).losses(with: module)
        } catch {
            return ["lost      what waits for \(module): \(error.message)"]
        }
    }

    private func losses(with module: ModuleID) -> [String] {
        let (total, sources) = waiting(for: module)
        let known = total > 0 ? ["lost      \(total.counted("effect that waits", "effects that wait")) for \(module) (\(sources)); it settles them when it is ready: relux module why-not \(module)"] : []
        let unread = unreadable.sorted { $0.key < $1.key }
        return known + unread.map { "lost      what else waits for \(module): the journal of \($0) cannot be read: \($1)" }
    }

    private func waiting(for module: ModuleID) -> (total: Int, sources: String) {
        let found = counts.filter { $0.key.recipient == module }
        return (found.reduce(0) { $0 + $1.count }, found.map { "\($0.count) \($0.key.publisher) \($0.key.topic)" }.joined(separator: ", "))
    }
}
