package import Relux
import ReluxJournal
import Synchronization

extension ModuleJournals {
    /// One sync for all that was appended when it began; what is appended meanwhile is not held up.
    package func sync(_ module: ModuleID) throws(JournalRefusal) {
        do throws(JournalError) {
            let ticket: JournalSyncTicket? = try onWriter(of: module) { writer throws(JournalError) in try writer.beginSync() } ?? nil
            guard let ticket else { return }
            let outcome = ticket.perform()
            let isTold = try onWriter(of: module) { writer throws(JournalError) in
                try writer.endSync(ticket, outcome)
                return true
            }
            // It was closed meanwhile, and its own sync was not told any more.
            if isTold == nil { try ticket.noteFailure(outcome) }
        } catch {
            let refusal = JournalRefusal(module: module, description: error.description, isTemporary: false)
            onTrouble(refusal)
            throw refusal
        }
    }

    /// nil when the module's journal is not open.
    private func onWriter<Result: Sendable>(
        of module: ModuleID, _ body: (JournalWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result? {
        let result: Swift.Result<Result, JournalError>? = writers.withLock { writers in
            guard let open = writers.open[module] else { return nil }
            do throws(JournalError) { return .success(try body(open.writer)) } catch { return .failure(error) }
        }
        return try result?.get()
    }
}
