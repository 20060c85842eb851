package import ReluxWire

/// The first record of each segment: what recovery needs of all segments before.
///
///     +------------------+----------------+-----------------+---------------------+
///     | incarnation      | epoch          | boot id         | floor               |
///     | fixed, 8 bytes   | varint         | 16 bytes        | varint              |
///     +------------------+----------------+-----------------+---------------------+
///     | position         | heads: list of                   | base                |
///     | varint           | (topic string, head varint)      | varint              |
///     +------------------+----------------------------------+---------------------+
///     | state: blob, the caller's; empty unless base is this segment              |
///     +---------------------------------------------------------------------------+
package struct CheckpointRecord: Sendable, Hashable {
    static let kind: UInt8 = 32

    package var incarnation: UInt64
    package var epoch: Epoch
    package var bootID: BootID
    package var floor: UInt64
    package var position: UInt64
    package var heads: [Topic: UInt64]
    /// The segment whose CHECKPOINT holds the caller's last state: replay starts behind it. 0 when there is none.
    package var base: UInt64
    /// The caller's state; opaque here.
    package var state: ArraySlice<UInt8>

    func numbers(batch: UInt64) -> JournalNumbers {
        JournalNumbers(floor: floor, heads: heads, position: position, batch: batch)
    }
}

/// Numbers that are lost, or may have been given out without a trace.
///
///     +----------------+----------------+-----------------------------------------+
///     | reason         | flags          | lost positions                          |
///     | 1 byte         | 1 byte         | range                                   |
///     +----------------+----------------+-----------------------------------------+
///     | lost: list of                   | bytes cut or set aside                  |
///     | (topic string, range)           | varint                                  |
///     +---------------------------------+-----------------------------------------+
///     | if flags bit 1: resume length varint, resume chain fixed 4 bytes          |
///     +---------------------------------------------------------------------------+
///
/// With flags bit 0 all sequences and the position jump by 2^32 behind it.
package struct HoleRecord: Sendable, Hashable {
    static let kind: UInt8 = 33

    package enum Reason: UInt8, Sendable, Hashable {
        /// Recovered after another start of the machine: what had not reached the disk is gone.
        case power = 1
        /// An operator accepted a loss.
        case accepted = 2
        /// Stands in place of damaged bytes.
        case damage = 3
    }

    /// Where the segment ended before it was mended: the next one chains to that.
    struct Resume: Sendable, Hashable {
        var length: UInt64
        var chain: UInt32
    }

    package var reason: Reason
    /// All sequences and the position jump by ``JournalNumbers/jump``.
    package var jumps: Bool
    package var lostPositions: ClosedRange<UInt64>?
    /// Sequences that will never be served; several ranges of one topic are possible.
    package var lost: [Lost]
    package var byteCount: UInt64
    var resume: Resume?

    package struct Lost: Sendable, Hashable {
        package var topic: Topic
        package var sequences: ClosedRange<UInt64>
    }
}

/// The journal was handed over: its writer has ended, all is on disk, only a higher epoch may go on.
///
///     +----------------+----------------+
///     | epoch          | last batch     |
///     | varint         | varint         |
///     +----------------+----------------+
package struct SealRecord: Sendable, Hashable {
    static let kind: UInt8 = 34

    package var epoch: Epoch
    /// The number of the batch before this one.
    package var lastBatch: UInt64
}
