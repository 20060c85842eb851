package import ReluxWire

/// How long an appended batch survives.
package enum JournalDurability: UInt8, Sendable, Hashable, Comparable {
    /// Written: survives `kill -9` of anything. The loss of power may take it; recovery then declares a HOLE.
    case process = 0
    /// On the disk before the append returns: survives the loss of power, and so does all that was appended before.
    case machine = 1

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What an append has done.
package struct JournalReceipt: Sendable, Hashable {
    /// Where the batch is; a reader may seek there.
    package var place: JournalPlace
    package var batch: UInt64
    package var byteCount: Int
    /// Whether it survives the loss of power.
    package var isOnDisk: Bool
    /// The last state that the caller gave lies a segment back: the next append should bring a new one.
    package var isCheckpointDue: Bool
}

/// The one writer of one module's journal.
///
/// Owned by one thread, which alone calls it; nothing is locked inside. It holds the journal's lock until ``close()``, or until it is
/// released. Opening recovers: a torn tail is cut, a loss of power is answered by a HOLE, damage is refused.
///
///     let journal = try JournalWriter(directory: run.journal(of: "Auth"), module: "Auth", epoch: epoch)
///     restore(journal.recovery.state, from: journal.recovery.replayFrom)      // with a JournalReader
///     let receipt = try journal.append(runs, durability: .process)            // one write
///     for run in runs { publish(run.frame(publisher: "Auth", epoch: epoch)) }
package final class JournalWriter {
    package let directory: String
    package let module: ModuleID
    package let epoch: Epoch
    /// What opening has found and done.
    package let recovery: JournalRecovery
    /// How far sequences and positions have been given out, all appended batches included. Whoever numbers records starts here.
    package private(set) var numbers: JournalNumbers

    /// Takes the lock, recovers and begins a segment of its own for this epoch.
    ///
    /// - Throws: `locked` (with the pid), `staleEpoch`, `damaged`, `newerFormat`, `foreign`, `denied`, `full`, `failed`. Nothing was changed then, but
    ///   for what an earlier crash had left half made.
    package init(
        directory: String, module: ModuleID, epoch: Epoch, options: JournalOptions = JournalOptions(),
        environment: JournalEnvironment
    ) throws(JournalError) {
        fatalError()
    }

    /// Appends a batch: all of the runs or none, with one write, and one sync when it has to be on the disk.
    ///
    /// - Parameters:
    ///   - runs: in the order of their publication. Sequences and positions rise; a run's size is the caller's choice.
    ///   - durability: `machine` syncs once, for all that was appended before it too.
    ///   - state: what the caller needs to go on after these runs. With it the next segment begins, and recovery replays from there.
    /// - Returns: when the batch is in the system's hands (`process`) or on the disk (`machine`).
    /// - Throws: `refused` (the runs break a rule), `full` (the journal is as before; try again when there is room), `fenced`, `removed`,
    ///   `poisoned`, `failed`. The batch is not accepted then. After a failed sync every later call throws `poisoned`.
    package func append(
        _ runs: [JournalRun], durability: JournalDurability = .process, state: [UInt8]? = nil
    ) throws(JournalError) -> JournalReceipt {
        fatalError()
    }

    /// One sync for all that was appended with `process` so far: the group commit of a caller that appends in parts.
    package func sync() throws(JournalError) {}

    /// Removes whole segments that nobody needs and that retention does not keep.
    ///
    /// - Parameters:
    ///   - needed: the lowest sequence of each topic that a recipient has not settled. A topic that is not named needs nothing.
    ///   - retention: what is kept although nobody needs it; see ``JournalRetention/nodeShares(of:cap:)`` for the node's limit.
    /// - Returns: how many segments and bytes went.
    @discardableResult
    package func trim(needed: [Topic: UInt64], retention: JournalRetention) throws(JournalError) -> JournalTrim {
        fatalError()
    }

    /// The last batch of a journal that is handed over: SEAL, on the disk, and the lock is given back. Only a higher epoch may go on.
    package func seal() throws(JournalError) {}

    /// Gives the lock back. What was appended stays; without ``seal()`` the next writer recovers.
    package func close() {}
}

/// Sizes of a journal's segments.
package struct JournalOptions: Sendable, Hashable {
    /// What the first segment of a writer reserves, in bytes; each further one twice as much, up to the limit.
    package var firstSegment = 256 << 10
    package var segmentLimit = 16 << 20

    package init() {}
}

/// What opening a journal has found and done.
package struct JournalRecovery: Sendable, Hashable {
    /// Random; another one means that the journal was deleted and began anew.
    package var incarnation: UInt64
    /// Nothing was there.
    package var isNew: Bool
    /// It was handed over in order.
    package var wasSealed: Bool
    /// The last epoch that wrote; 0 for a new one.
    package var lastEpoch: Epoch
    /// Bytes of a torn tail that were cut; nothing in them was ever accepted, unless ``hole`` says so.
    package var cutBytes: Int
    /// Whole segments behind a loss of power that were set aside in `quarantine`.
    package var setAside: [String]
    /// What was declared lost now.
    package var hole: HoleRecord?
    /// What the caller gave last as its state; empty when it never has.
    package var state: [UInt8]
    /// Where to replay from to reach the present: behind the batch of that state, or the oldest segment's start. nil for a new journal.
    package var replayFrom: JournalPlace?
}

/// What a trim has removed.
package struct JournalTrim: Sendable, Hashable {
    package var segments: Int
    package var bytes: Int
    /// What the journal has on the disk now.
    package var remainingBytes: Int
}
