import ReluxJournal
import ReluxWire

/// A journal that could not be read, and why.
struct UnreadableJournal: Sendable, Hashable {
    let module: ModuleID
    /// Names the file, the byte where there is one, and the remedy.
    let error: CLIError

    init(_ module: ModuleID, _ error: any Error) {
        self.module = module
        let fault = error as? JournalError
        let place = fault.map { $0.file + ($0.position.map { ", byte \($0)" } ?? "") + ": " } ?? ""
        self.error = CLIError(
            .failed, "journal.unreadable", "the journal of \(module) cannot be read: \(place)\(fault?.reason ?? "\(error)")",
            hint: fault?.remedy ?? "relux journal verify \(module)")
    }
}
