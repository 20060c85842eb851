package import ReluxWire

/// Reads a journal that somebody else may be writing, in this process or another one, without a lock.
///
/// Owned by one thread. A tail that is not whole is "not yet", never an error; damage that later bytes prove is one. Any number of readers
/// may live; each keeps a small index of the segments that it was asked about.
package final class JournalReader {
    package let directory: String

    /// - Throws: `missing` when there is no journal (yet), `denied`, `newerFormat`, `damaged`, `foreign`, `failed`.
    package init(directory: String, module: ModuleID, environment: JournalEnvironment) throws(JournalError) {
        fatalError()
    }

    /// Where ``next(byteBudget:)`` goes on.
    package var place: JournalPlace { fatalError() }

    // MARK: Following

    /// The batches behind ``place``, in order; empty when there is nothing yet. Goes on into new segments by itself.
    ///
    /// - Parameter byteBudget: enough is enough; one batch at least is returned when one is there.
    /// - Throws: `damaged`, `removed` (the segment was trimmed under a reader that was too slow: see ``oldest()``), `failed`.
    package func next(byteBudget: Int = 1 << 20) throws(JournalError) -> [JournalBatch] { fatalError() }

    /// Goes to a place that a receipt, a batch or a recovery has given.
    package func seek(_ place: JournalPlace) throws(JournalError) {}
    /// Goes to the batch that holds the first record of the topic at or behind the sequence; false when there is none yet, and the end is taken.
    package func seek(_ topic: Topic, sequence: UInt64) throws(JournalError) -> Bool { fatalError() }
    /// Goes to the batch that holds the first effect at or behind the position.
    package func seek(position: UInt64) throws(JournalError) -> Bool { fatalError() }
    /// Goes to the oldest batch that is kept.
    package func seekToStart() throws(JournalError) {}
    /// Goes behind the last batch.
    package func seekToEnd() throws(JournalError) {}

    // MARK: Asking

    /// The runs that hold a stream's records from one sequence to another, as they were appended; the first and the last may hold more.
    package func select(
        _ topic: Topic, _ sequences: ClosedRange<UInt64>, byteBudget: Int
    ) throws(JournalError) -> JournalSelection { fatalError() }

    /// How far the journal goes: heads of all streams, the last position.
    package func numbers() throws(JournalError) -> JournalNumbers { fatalError() }
    /// The lowest sequence of the stream that is kept; nil when none is.
    package func low(of topic: Topic) throws(JournalError) -> UInt64? { fatalError() }
}

/// An answer to ``JournalReader/select(_:_:byteBudget:)``.
package struct JournalSelection: Sendable, Hashable {
    /// In order, with the epoch that each was written in.
    package var runs: [Run]
    /// What of the asked range lies before ``next`` and will never be served: trimmed, lost or never given out.
    package var gone: [ClosedRange<UInt64>]
    /// Where to ask on; nil when the range is answered up to its end or the journal's.
    package var next: UInt64?

    package struct Run: Sendable, Hashable {
        package var run: JournalRun
        package var epoch: Epoch
    }
}
