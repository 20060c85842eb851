package import Relux

/// Where what modules say is written down before anybody hears it.
///
/// Called by one thread at a time, but for `sync(_:)`.
package protocol Journaling: AnyObject, Sendable {
    /// The next append is one small write: no module wants a checkpoint.
    var isQuick: Bool { get }
    /// Whether the next append of the module should bring its ledger, for a checkpoint; or ``trim(_:_:)`` does before.
    func wantsLedger(of module: ModuleID) -> Bool
    /// Appends the parts, in order: each is one batch of its module's journal, all of it or nothing.
    ///
    /// - Parameters:
    ///   - parts: loses what was written.
    ///   - ledgers: of the modules that ``wantsLedger(of:)`` was true for, what their journals say with these records.
    ///   - pressing: modules whose part has to survive the loss of power before others' records that follow from it are written. The rest of
    ///     it is the caller's: see `sync(_:)`.
    ///   - written: gets the runs that were written and reach somebody, in order.
    /// - Throws: `JournalRefusal`. Nothing of the named module was written then; the call is repeated with what is left.
    func append(
        _ parts: inout [JournalPart], ledgers: [ModuleID: Ledger], pressing: Set<ModuleID>, written: inout [SaidRun]
    ) throws(JournalRefusal)
    /// Returns when all that the module had appended before survives the loss of power. From a thread of its own, beside all other calls.
    ///
    /// - Throws: `JournalRefusal`, never a temporary one: a failed sync is not repeated.
    func sync(_ module: ModuleID) throws(JournalRefusal)
    /// Writes a checkpoint and gives back what retention does not keep, as far as it can.
    func trim(_ module: ModuleID, _ ledger: Ledger)
    /// Nothing more comes from the module in this process; its next instance may open the journal.
    func close(_ module: ModuleID)
    /// The module is about to be handed over: what can be done beforehand is done, beside the appends to come.
    func prepareHandOver(_ module: ModuleID, _ ledger: Ledger)
    /// As ``close(_:)``, with what the journal says: the next instance, which somebody waits for, need not read far.
    func handOver(_ module: ModuleID, _ ledger: Ledger)
}

extension Journaling {
    package func prepareHandOver(_ module: ModuleID, _ ledger: Ledger) {}
    package func handOver(_ module: ModuleID, _ ledger: Ledger) { close(module) }
}

extension Journaling {
    package var isQuick: Bool { true }
    package func trim(_ module: ModuleID, _ ledger: Ledger) {}

    package func append(_ parts: inout [JournalPart], ledgers: [ModuleID: Ledger]) throws(JournalRefusal) {
        var written: [SaidRun] = []
        try append(&parts, ledgers: ledgers, pressing: [], written: &written)
    }
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
