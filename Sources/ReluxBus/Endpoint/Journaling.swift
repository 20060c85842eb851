package import Relux

/// Where what modules say is written down before anybody hears it.
///
/// Called by one thread at a time.
package protocol Journaling: AnyObject, Sendable {
    /// The next append is one small write: no checkpoint, no trimming.
    var isQuick: Bool { get }
    /// Whether the next append of the module should bring its ledger, for a checkpoint.
    func wantsLedger(of module: ModuleID) -> Bool
    /// Appends the records: those of one module are one batch, all of it or nothing.
    ///
    /// - Parameters:
    ///   - records: loses what was written.
    ///   - ledgers: of the modules that ``wantsLedger(of:)`` was true for, what their journals say with these records.
    /// - Throws: `JournalRefusal`. Nothing of the named module was written then; the call is repeated with what is left.
    func append(_ records: inout [BusCore.Unwritten], ledgers: [ModuleID: Ledger]) throws(JournalRefusal)
    /// Nothing more comes from the module in this process; its next instance may open the journal.
    func close(_ module: ModuleID)
}

extension Journaling {
    package var isQuick: Bool { true }
}

/// A journal could not take a batch now.
package struct JournalRefusal: Error, Sendable, CustomStringConvertible {
    package var module: ModuleID
    package var description: String
    /// There may be room later; otherwise the process has to end and recover.
    package var isTemporary: Bool

    package init(module: ModuleID, description: String, isTemporary: Bool) {
        self.module = module
        self.description = description
        self.isTemporary = isTemporary
    }
}
