import Glibc
import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxSystem

/// A module's journal at the begin of a life: what it says, who is suspected of the last life's end, and a table for the handlers to come.
///
/// Design notes. A set-up may fail behind this and be tried again, in this process or another one. So the new table is made before anything is
/// written, and takes the old one's place when all else has been done; and the old one is marked before the deaths that it tells of go into the
/// journal: they are counted once, or not at all when the process dies in between. An innocent effect that is given up is worse than a bad one
/// that is tried once more.
struct ModuleOpening {
    var ledger: Ledger
    let recovery: Relux.Recovery
    let table: OpenTable

    /// - Parameters:
    ///   - known: how far the journal has come, as the broker says.
    ///   - last: the table that the last life has left, if it was one on this start of the machine.
    ///   - wasAlone: only one handler ran in all that ended then.
    /// - Throws: `JournalError` when the journal is not open then; else `OpenTableError` and `JournalRefusal`, and the caller gives it back.
    init(
        of id: ModuleID, _ epoch: Epoch, in run: RunDirectory, journals: ModuleJournals, environment: JournalEnvironment,
        known: KnownLives? = nil, following follower: LedgerFollower? = nil, last: OpenTableFormat.Contents?, wasAlone: Bool, sealer: ClusterSealer
    ) throws {
        let path = run.openTable(of: id.rawValue)
        let opened = try journals.open(id, at: run.journal(of: id.rawValue), epoch: epoch, known: known, following: follower)
        FilePlace.clear(path)
        // It ended by itself: whatever still ran was cut, and is not to blame for what comes next.
        if opened.recovery.wasSealed { unlink(path) }
        let last = opened.recovery.wasSealed ? nil : last
        table = try OpenTable(path: path, epoch: epoch, boot: environment.bootID.bytes)
        ledger = opened.ledger
        recovery = ledger.recovery(
            epoch: epoch, last: last, wasAlone: wasAlone, userInfo: [.reluxSealer: sealer])
        guard let last, !last.open.isEmpty, !last.isJournaled, !last.isInnocent else { return }
        let attempts = recovery.suspects.map { suspect in
            WireRecord.attempt(AttemptRecord(effect: suspect.effect, deaths: UInt64(max(0, suspect.deaths)), wasAlone: suspect.wasAlone))
        }
        for attempt in attempts { ledger.apply(AttemptRecord.topic, attempt) }
        var parts = try JournalPart.parts(of: id, attempts.map { (AttemptRecord.topic, $0) })
        try OpenTable.noteJournaled(path)
        do {
            try journals.append(&parts, ledgers: [:])
        } catch {
            try? OpenTable.noteJournaled(path, false)
            throw error
        }
    }
}
