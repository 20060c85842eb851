import ReluxBus
import ReluxJournal
import ReluxWire

/// What nobody has settled yet in the journals of a cluster that does not run.
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
        let waiting = audit.rows.filter { $0.key.recipient == module && $0.open > 0 }
        let said = audit.rows.filter { $0.key.publisher == module }.reduce(0) { $0 + $1.open }
        let sources = waiting.map { "\($0.open) \($0.key.publisher) \($0.key.topic)" }.joined(separator: ", ")
        let total = waiting.reduce(0) { $0 + $1.open }
        let unread = audit.unreadable[module].map { "; its journal cannot be read: \($0)" } ?? ""
        return "\(module): \(total) effects wait for it\(sources.isEmpty ? "" : " (\(sources))"), \(said) of its own wait for others\(unread)"
    }
}
