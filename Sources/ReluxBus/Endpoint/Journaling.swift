package import Relux

/// Where what modules say is written down before anybody hears it.
///
/// Called by one thread at a time.
package protocol Journaling: AnyObject, Sendable {
    /// Appends the records: those of one module are one batch, all of it or nothing.
    ///
    /// - Parameter ledgers: what the modules' journals say with these records, for a checkpoint when one is due.
    /// - Throws: `JournalRefusal`. Nothing of the named module was written then; the call is repeated with the same records.
    func append(_ records: [BusCore.Unwritten], ledgers: (ModuleID) -> Ledger?) throws(JournalRefusal)
    /// Nothing more comes from the module in this process.
    func close(_ module: ModuleID)
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
