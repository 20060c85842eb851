import ReluxBus
import ReluxJournal
import ReluxWire

/// The effects that nobody has settled yet, as the journals on the disk have them. A running cluster may be a moment further.
struct PendingWork {
    private let audit: Audit

    init(_ run: RunDirectory) throws(CLIError) {
        audit = try CLIError.journal { () throws(JournalError) in
            let look = try AuditLook(folder: run.journals, environment: try .live())
            return Audit(first: look, second: look, places: nil)
        }
    }

    /// `Files: 3 effects wait for it (3 Cluster Files.Business.Effect), 0 of its own wait for others`
    func line(of module: ModuleID) -> String {
        let (total, sources) = waiting(for: module)
        let said = audit.rows.filter { $0.key.publisher == module }.reduce(0) { $0 + $1.open }
        let unread = audit.unreadable[module].map { "; its journal cannot be read: \($0)" } ?? ""
        return "\(module): \(total) effects wait for it\(sources.isEmpty ? "" : " (\(sources))"), \(said) of its own wait for others\(unread)"
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
        let known = total > 0 ? ["lost      \(total) effects that wait for \(module) (\(sources)); it settles them when it is ready: relux module why-not \(module)"] : []
        let unread = audit.unreadable.sorted { $0.key < $1.key }
        return known + unread.map { "lost      what else waits for \(module): the journal of \($0) cannot be read: \($1)" }
    }

    private func waiting(for module: ModuleID) -> (total: UInt64, sources: String) {
        let rows = audit.rows.filter { $0.key.recipient == module && $0.open > 0 }
        return (rows.reduce(0) { $0 + $1.open }, rows.map { "\($0.open) \($0.key.publisher) \($0.key.topic)" }.joined(separator: ", "))
    }
}
