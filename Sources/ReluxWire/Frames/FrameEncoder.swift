/// Packs the records of one stream into frames of a handy size.
///
/// Not shared: one owner appends, takes the frames that become full and ends with ``finish()``.
public struct FrameEncoder: Sendable {
    /// A frame is closed before its records exceed this many bytes; a larger record gets a frame of its own.
    public static let defaultByteTarget = 16 * 1024

    public let topic: Topic
    public let publisher: ModuleID
    public let epoch: Epoch
    private let byteTarget: Int
    private var body: [UInt8] = []
    private var recordCount = 0
    /// The effects in the frame.
    private var chain = EffectChain()

    public init(topic: Topic, publisher: ModuleID, epoch: Epoch, byteTarget: Int = defaultByteTarget) {
        self.topic = topic
        self.publisher = publisher
        self.epoch = epoch
        // Room for the header, so that the whole frame stays below the target.
        self.byteTarget = max(0, byteTarget - topic.rawValue.utf8.count - publisher.rawValue.utf8.count - 32)
    }

    public var isEmpty: Bool { recordCount == 0 }

    /// Adds a record.
    /// - Returns: The frame before it, when the record did not fit there.
    /// - Throws: `limitExceeded`; the encoder is as before then.
    public mutating func append(_ record: WireRecord) throws(WireError) -> [UInt8]? {
        let start = body.count
        // One record is often all there is; with a second one many more come.
        if recordCount == 1 { body.reserveCapacity(min(byteTarget, Self.defaultByteTarget)) }
        let before = chain.mark
        try record.encode(into: &body, behind: &chain)
        guard start > 0, body.count > byteTarget else {
            recordCount += 1
            return nil
        }
        // The record belongs into the next frame, where it shares nothing.
        body.removeLast(body.count - start)
        chain.rewind(to: before)
        var (rest, fresh): ([UInt8], EffectChain) = ([], EffectChain())
        try record.encode(into: &rest, behind: &fresh)
        let full = finish()
        (body, chain, recordCount) = (rest, fresh, 1)
        return full
    }

    /// The frame of what is left; nil when nothing is.
    public mutating func finish() -> [UInt8]? {
        guard recordCount > 0 else { return nil }
        let header = Frame.Header(topic: topic, publisher: publisher, epoch: epoch, recordCount: recordCount)
        defer {
            body.removeAll(keepingCapacity: true)
            recordCount = 0
            chain = EffectChain()
        }
        return Frame.bytes(header, body[...])
    }
}
