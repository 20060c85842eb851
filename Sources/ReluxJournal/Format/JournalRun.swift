package import ReluxWire

/// Consecutive records of one topic in a batch: exactly the record bytes of one frame.
package struct JournalRun: Sendable, Hashable {
    package var topic: Topic
    package var recordCount: Int
    /// The stream sequences of its first and last record. nil when its records have none of their own (ACKED, SNAPSHOT, a lone MEMBER):
    /// such a run cannot be asked for by sequence.
    package var sequences: ClosedRange<UInt64>?
    /// The effect positions of its first and last record; nil when it holds no EFFECT.
    package var positions: ClosedRange<UInt64>?
    /// The bytes of its records, one behind the other; an effect shares nothing with those outside of them.
    package var records: ArraySlice<UInt8>

    package init(
        topic: Topic, recordCount: Int, sequences: ClosedRange<UInt64>?, positions: ClosedRange<UInt64>? = nil,
        records: ArraySlice<UInt8>
    ) {
        self.topic = topic
        self.recordCount = recordCount
        self.sequences = sequences
        self.positions = positions
        self.records = records
    }

    /// The run as a frame; the record bytes are copied, not coded again.
    package func frame(publisher: ModuleID, epoch: Epoch) -> [UInt8] {
        Frame.bytes(topic: topic, publisher: publisher, epoch: epoch, recordCount: recordCount, records: records)
    }

    /// The frame of its records for another topic with records of the caller's before them, such as STREAM on a replay topic.
    package func frame(
        publisher: ModuleID, epoch: Epoch, topic: Topic, preceding: ArraySlice<UInt8>, precedingCount: Int
    ) -> [UInt8] {
        Frame.bytes(
            topic: topic, publisher: publisher, epoch: epoch, recordCount: precedingCount + recordCount,
            records: preceding + records)
    }
}

/// Packs the records of one topic into runs of a frame's size.
///
/// Not shared: one owner appends, takes the runs that become full and ends with ``finish()``.
package struct JournalRunBuilder: Sendable {
    package let topic: Topic
    private let byteTarget: Int
    private var recordCount = 0
    private var (sequences, positions): (ClosedRange<UInt64>?, ClosedRange<UInt64>?)
    private var bytes: [UInt8] = []
    /// The effects in the run.
    private var chain = EffectChain()

    /// - Parameter byteTarget: a run is closed before its records exceed this many bytes; a larger record gets a run of its own.
    package init(topic: Topic, byteTarget: Int = FrameEncoder.defaultByteTarget - 256) {
        self.topic = topic
        self.byteTarget = byteTarget
    }

    package var isEmpty: Bool { recordCount == 0 }

    /// Adds a record; returns the run before it, when it did not fit there.
    ///
    /// - Parameters:
    ///   - sequence: in the stream; nil for a record that has none of its own.
    ///   - position: of an EFFECT; nil for others.
    /// - Throws: `limitExceeded`; the builder is as before then.
    package mutating func append(
        _ record: WireRecord, sequence: UInt64? = nil, position: UInt64? = nil
    ) throws(WireError) -> JournalRun? {
        let start = bytes.count
        // One record is often all there is; with a second one many more come.
        if recordCount == 1 { bytes.reserveCapacity(min(byteTarget, FrameEncoder.defaultByteTarget)) }
        let before = chain.mark
        try record.encode(into: &bytes, behind: &chain)
        guard start > 0, bytes.count > byteTarget else {
            take(sequence, position)
            return nil
        }
        // The record belongs into the next run, where it shares nothing.
        bytes.removeLast(bytes.count - start)
        chain.rewind(to: before)
        var (rest, fresh): ([UInt8], EffectChain) = ([], EffectChain())
        try record.encode(into: &rest, behind: &fresh)
        let full = finish()
        bytes += rest
        chain = fresh
        take(sequence, position)
        return full
    }

    /// The run of what is left; nil when nothing is.
    package mutating func finish() -> JournalRun? {
        guard recordCount > 0 else { return nil }
        // The run lasts for as long as somebody waits for its records, and has no room to spare; the next run is coded into the room of this one.
        let run = JournalRun(topic: topic, recordCount: recordCount, sequences: sequences, positions: positions, records: bytes[...].copied[...])
        if bytes.capacity / 2 <= byteTarget { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
        (recordCount, sequences, positions, chain) = (0, nil, nil, EffectChain())
        return run
    }

    private mutating func take(_ sequence: UInt64?, _ position: UInt64?) {
        recordCount += 1
        sequences = Self.widened(sequences, by: sequence)
        positions = Self.widened(positions, by: position)
    }

    private static func widened(_ range: ClosedRange<UInt64>?, by number: UInt64?) -> ClosedRange<UInt64>? {
        guard let number else { return range }
        guard let range else { return number...number }
        return min(range.lowerBound, number)...max(range.upperBound, number)
    }
}

extension ArraySlice<UInt8> {
    /// In a buffer of just that size. `Array(_:)` of a slice that is all of its buffer shares it, with the room behind.
    package var copied: [UInt8] {
        var copied: [UInt8] = []
        copied.reserveCapacity(count)
        copied.append(contentsOf: self)
        return copied
    }
}
