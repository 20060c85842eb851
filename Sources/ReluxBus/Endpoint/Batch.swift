package import Relux
package import ReluxLedger

/// The records that one turn has to write down, and the actions that may happen only then.
package struct Batch: Sendable {
    /// A waiter for a record of its own to be in the journal.
    struct Kept: Sendable {
        var waiter: UnsafeContinuation<Bool, Never>
        var isWritten: Bool
    }
    /// A waiter for all that the module has said to survive the loss of power.
    struct Secured: Sendable {
        var module: ModuleID
        var waiter: UnsafeContinuation<Void, Never>
    }

    /// The parts that are not written yet; a batch with a record over its limit is never written.
    package var draft: Result<[JournalPart], JournalRefusal> = .success([])
    /// The runs that are written and leave with the batch.
    package var written: [SaidRun] = []
    package var actions: [BusCore.Action] = []
    /// Modules whose part has to be on the disk before anything follows from it.
    package var pressing: Set<ModuleID> = []
    var ledgers: [ModuleID: Ledger] = [:]
    /// Modules that are about to be handed over; their ledgers are with the others.
    var expected: Set<ModuleID> = []
    /// Modules whose journals may keep less than they have.
    var trims: Set<ModuleID> = []
    var kept: [Kept] = []
    var secured: [Secured] = []
    /// Nothing had happened when it was taken, and nothing since, as it has not waited.
    var isIdle = true
    var nextPull: Duration?
    /// It has waited for room.
    var isRetried = false

    /// Writes what is left of the draft, or says what hinders it.
    mutating func write(to journal: (any Journaling)?) throws(JournalRefusal) {
        var parts = try draft.get()
        if parts.isEmpty { return }
        draft = .success([])
        guard let journal else { return written = parts.reaching }
        defer { draft = .success(parts) }
        try journal.append(&parts, ledgers: ledgers, pressing: pressing, written: &written)
    }

    /// For people: what waits when the journal takes nothing.
    var waiting: String {
        guard let parts = try? draft.get() else { return "" }
        return ", \(parts.reduce(0) { $0 + $1.recordCount }) records wait"
    }

    /// The modules that have said something.
    private var speakers: [ModuleID] { (try? draft.get())?.filter(\.isLast).map(\.module) ?? [] }

    /// Takes the ledgers, with this batch, of the modules that need them: a checkpoint is due, or the journal is trimmed or handed over.
    mutating func takeLedgers(of core: BusCore, _ journal: any Journaling) {
        for case .expectHandOver(let module) in actions { expected.insert(module) }
        for module in trims.union(expected) { ledgers[module] = core.locals[module]?.ledger }
        if journal.isQuick { return }
        let speakers = speakers
        for module in speakers where journal.wantsLedger(of: module) { ledgers[module] = core.locals[module]?.ledger }
        // A checkpoint that is due is written while nobody waits for anything, and not with the next thing that is said. A module that is
        // held is about to take over: that is waited for.
        guard isIdle else { return }
        for (module, local) in core.locals where !speakers.contains(module) && !local.isHeld && journal.wantsLedger(of: module) {
            trims.insert(module)
            ledgers[module] = local.ledger
        }
    }
}
