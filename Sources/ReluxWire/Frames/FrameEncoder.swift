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
        try record.encode(into: &body)
        recordCount += 1
        guard start > 0, body.count > byteTarget else { return nil }
        // It belongs into the next one.
        let record = Array(body[start...])
        body.removeLast(record.count)
        recordCount -= 1
        let full = finish()
        body.append(contentsOf: record)
        recordCount = 1
        return full
    }

    /// As above with the bytes that ``WireRecord/encoded()`` gave, such as those in a journal.
    public mutating func append(encoded record: ArraySlice<UInt8>) throws(WireError) -> [UInt8]? {
        guard record.count <= WireRecord.byteLimit + 3 else {
            throw WireError(.limitExceeded, "a record of \(record.count) bytes is over the limit of \(WireRecord.byteLimit)")
        }
        let full = body.count + record.count > byteTarget ? finish() : nil
        if body.isEmpty { body.reserveCapacity(min(byteTarget, 8 * record.count)) }
        body.append(contentsOf: record)
        recordCount += 1
        return full
    }

    /// The frame of what is left; nil when nothing is.
    public mutating func finish() -> [UInt8]? {
        guard recordCount > 0 else { return nil }
        let header = Frame.Header(topic: topic, publisher: publisher, epoch: epoch, recordCount: recordCount)
        defer {
            body.removeAll(keepingCapacity: true)
            recordCount = 0
        }
        return Frame.bytes(header, body[...])
    }
}
