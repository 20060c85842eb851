/// A publisher's host has seen a subscriber's marker: from here nothing is missed.
///
///     +-----------------------------------------------------------------------------------+
///     | marker, 16 bytes                                                                  |
///     +-----------------------------------------------------------------------------------+
///     | streams: count varint, then per stream                                            |
///     |   (publisher varint+UTF-8, epoch varint, topic varint+UTF-8, head varint,         |
///     |    recipients: count varint, then per recipient (module varint+UTF-8, after varint)) |
///     +-----------------------------------------------------------------------------------+
public struct ReadyRecord: RecordFields {
    public static let kind: UInt8 = 8
    public static let markerByteCount = 16

    /// From which record on a recipient hears a stream.
    public struct Start: Sendable, Hashable {
        public var recipient: ModuleID
        /// The first record for it is the one after this sequence.
        public var after: UInt64

        public init(recipient: ModuleID, after: UInt64) {
            self.recipient = recipient
            self.after = after
        }
    }

    public struct Stream: Sendable, Hashable {
        public var publisher: ModuleID
        public var epoch: Epoch
        public var topic: Topic
        /// The last sequence that was given out before the marker arrived.
        public var head: UInt64
        public var starts: [Start]

        public init(publisher: ModuleID, epoch: Epoch, topic: Topic, head: UInt64, starts: [Start]) {
            self.publisher = publisher
            self.epoch = epoch
            self.topic = topic
            self.head = head
            self.starts = starts
        }
    }

    /// Exactly ``markerByteCount`` bytes, chosen by the subscriber.
    public var marker: ArraySlice<UInt8>
    public var streams: [Stream]

    public init(marker: ArraySlice<UInt8>, streams: [Stream]) {
        self.marker = marker
        self.streams = streams
    }

    var name: StaticString { "READY" }

    func check() throws(WireError) {
        guard marker.count == Self.markerByteCount else {
            throw WireError(.limitExceeded, "a marker has \(Self.markerByteCount) bytes, this one has \(marker.count)")
        }
    }

    func write(to writer: inout RecordWriter) {
        writer.bytes.append(contentsOf: marker)
        writer.list(streams) { writer, stream in
            writer.module(stream.publisher)
            writer.varint(stream.epoch.rawValue)
            writer.topic(stream.topic)
            writer.varint(stream.head)
            writer.list(stream.starts) { writer, start in
                writer.module(start.recipient)
                writer.varint(start.after)
            }
        }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        marker = try reader.slice(count: Self.markerByteCount)
        streams = try reader.list { reader throws(WireError) in
            Stream(
                publisher: try reader.module(), epoch: Epoch(try reader.varint()), topic: try reader.topic(),
                head: try reader.varint(),
                starts: try reader.list { reader throws(WireError) in
                    Start(recipient: try reader.module(), after: try reader.varint())
                })
        }
    }
}
