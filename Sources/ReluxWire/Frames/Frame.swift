/// Records of one stream in one ZeroMQ message of one part.
///
///     +-----------------+------+---------+----------------+--------+--------+-----------+------------+
///     | topic           | 0x00 | version | publisher      | epoch  | count  | crc32c    | records    |
///     | UTF-8           |      | 1 byte  | varint, UTF-8  | varint | varint | 4 bytes,  | as many as |
///     |                 |      |         |                |        |        | big end.  | count says |
///     +-----------------+------+---------+----------------+--------+--------+-----------+------------+
///                                                                           |<- covers ->
///
/// A subscription to `topic 0x00` matches exactly this topic. The checksum covers everything after itself.
public struct Frame: Sendable, Hashable {
    /// The only version that this build reads and writes. Version 1 said each settlement by itself, version 2 all numbers of each effect.
    public static let version: UInt8 = 3
    /// Between the topic and the rest.
    public static let separator: UInt8 = 0x00
    /// The most that a frame may have: the longest header and one record of the largest size.
    public static let byteLimit = WireRecord.byteLimit + 1024

    public var topic: Topic
    public var publisher: ModuleID
    public var epoch: Epoch
    /// Records of known kinds, in order. Their payloads are slices of the decoded bytes.
    public var records: [WireRecord]
    /// How many records of unknown kinds were skipped.
    public var skippedRecordCount: Int

    public init(topic: Topic, publisher: ModuleID, epoch: Epoch, records: [WireRecord], skippedRecordCount: Int = 0) {
        self.topic = topic
        self.publisher = publisher
        self.epoch = epoch
        self.records = records
        self.skippedRecordCount = skippedRecordCount
    }

    public var stream: StreamID { StreamID(publisher: publisher, topic: topic) }

    /// The prefix to subscribe to for the frames of `topic`.
    public static func subscription(to topic: Topic) -> [UInt8] { Array(topic.rawValue.utf8) + [separator] }

    /// - Throws: `truncated`, `malformed`, `limitExceeded`, `invalidName`, `unsupportedVersion`, `checksumMismatch`. A frame is taken as a
    ///   whole or not at all.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= Self.byteLimit else {
            throw WireError(.limitExceeded, "a frame of \(bytes.count) bytes is over the limit of \(Self.byteLimit)")
        }
        var reader = RecordReader(bytes, 0..<bytes.count)
        let header = try Header(from: &reader, in: bytes)
        let checksum = try reader.fixed32()
        let actual = CRC32C.checksum(bytes[reader.position...])
        guard checksum == actual else {
            throw WireError(
                .checksumMismatch,
                "the frame of \(header.topic) says checksum \(String(checksum, radix: 16)), its records have \(String(actual, radix: 16))")
        }
        (topic, publisher, epoch) = (header.topic, header.publisher, header.epoch)
        records = []
        // The claimed count is believed only as far as the bytes that are left can hold records.
        records.reserveCapacity(min(header.recordCount, reader.remaining / 8))
        skippedRecordCount = 0
        for _ in 0..<header.recordCount {
            if let record = try WireRecord.read(from: &reader) {
                records.append(record)
            } else {
                skippedRecordCount += 1
            }
        }
        guard reader.remaining == 0 else {
            throw WireError(
                .malformed, "\(reader.remaining) bytes follow the \(header.recordCount) records of the frame of \(header.topic)")
        }
    }

    /// The bytes of this frame.
    /// - Throws: `limitExceeded` when they are too many for one frame; see ``FrameEncoder``.
    public func encoded() throws(WireError) -> [UInt8] {
        var body: [UInt8] = []
        var chain = EffectChain()
        for record in records { try record.encode(into: &body, behind: &chain) }
        guard body.count <= WireRecord.byteLimit + 16 else {
            throw WireError(.limitExceeded, "\(body.count) bytes of records do not fit one frame of \(Self.byteLimit) bytes")
        }
        return Self.bytes(Header(topic: topic, publisher: publisher, epoch: epoch, recordCount: records.count), body[...])
    }

    /// A frame of record bytes that are there already, such as a journal's; nothing is coded again.
    ///
    /// - Parameter records: `recordCount` encoded records, one behind the other; an effect shares nothing with those outside of them.
    public static func bytes(
        topic: Topic, publisher: ModuleID, epoch: Epoch, recordCount: Int, records: ArraySlice<UInt8>
    ) -> [UInt8] {
        bytes(Header(topic: topic, publisher: publisher, epoch: epoch, recordCount: max(0, recordCount)), records)
    }

    static func bytes(_ header: Header, _ body: ArraySlice<UInt8>) -> [UInt8] {
        var writer = RecordWriter()
        writer.bytes.reserveCapacity(body.count + 64)
        writer.bytes.append(contentsOf: header.topic.rawValue.utf8)
        writer.byte(separator)
        writer.byte(version)
        writer.module(header.publisher)
        writer.varint(header.epoch.rawValue)
        writer.count(header.recordCount)
        writer.fixed32(CRC32C.checksum(body))
        writer.bytes.append(contentsOf: body)
        return writer.bytes
    }

    /// All before the checksum.
    struct Header {
        var topic: Topic
        var publisher: ModuleID
        var epoch: Epoch
        var recordCount: Int

        init(topic: Topic, publisher: ModuleID, epoch: Epoch, recordCount: Int) {
            (self.topic, self.publisher, self.epoch, self.recordCount) = (topic, publisher, epoch, recordCount)
        }

        init(from reader: inout RecordReader, in source: [UInt8]) throws(WireError) {
            guard let end = source.prefix(Topic.byteLimit + 1).firstIndex(of: separator) else {
                throw WireError(.malformed, "no 0x00 ends the topic within \(Topic.byteLimit) bytes; this is no frame")
            }
            guard let text = String(validating: try reader.slice(count: end), as: UTF8.self) else {
                throw WireError(.malformed, "the topic of a frame is not UTF-8")
            }
            topic = try Topic(text)
            _ = try reader.byte()
            let version = try reader.byte()
            guard version == Frame.version else {
                let remedy = version < Frame.version ? "end the process that sends it, and start it with this build" : "upgrade this one"
                throw WireError(
                    .unsupportedVersion, "a frame of \(topic) has version \(version), this build reads \(Frame.version); \(remedy)")
            }
            publisher = try reader.module()
            epoch = Epoch(try reader.varint())
            let count = try reader.varint()
            // Every record takes at least two bytes, so this cannot be a small frame that claims to be a large one.
            guard count <= UInt64(reader.remaining) else {
                throw WireError(.truncated, "a frame of \(topic) claims \(count) records in \(reader.remaining) bytes")
            }
            recordCount = Int(count)
        }
    }
}
