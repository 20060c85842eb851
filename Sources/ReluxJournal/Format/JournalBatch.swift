package import ReluxWire

/// Where something stands in a journal.
package struct JournalPlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The segment's number, from 1.
    package var segment: UInt64
    /// Bytes from the start of the segment's file.
    package var offset: Int

    package init(segment: UInt64, offset: Int) {
        self.segment = segment
        self.offset = offset
    }

    package var description: String { "\(segment):\(offset)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }
}

/// The batch that one `append` has written: all of it is there, or none of it.
package struct JournalBatch: Sendable, Hashable {
    package var place: JournalPlace
    /// Counts the batches of this incarnation from 1, without gaps but for what a HOLE declares.
    package var number: UInt64
    /// The writer's epoch; a frame made of these records carries it.
    package var epoch: Epoch
    /// The bytes that the batch takes in the file.
    package var byteCount: Int
    /// The caller's runs in the order of the append. Their bytes are slices of one buffer.
    package var runs: [JournalRun]
    /// Notes of the journal itself in this batch, before the runs.
    package var notes: [JournalNote]
}

/// Records of the journal itself, on the reserved topic `~journal`.
package enum JournalNote: Sendable, Hashable {
    /// The first of each segment.
    case checkpoint(CheckpointRecord)
    /// Numbers that were lost, or may have been.
    case hole(HoleRecord)
    /// The last of a journal that was handed over.
    case seal(SealRecord)
}
