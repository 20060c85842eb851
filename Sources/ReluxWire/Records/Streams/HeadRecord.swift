/// An account of what a publisher has said and heard so far, so that others notice that they lack the tail.
///
///     +-----------------------------------------------------------------------------------+
///     | streams: count varint, then per stream                                            |
///     |   (topic varint+UTF-8, low varint, head varint)                                   |
///     +-----------------------------------------------------------------------------------+
///     | acknowledged: count varint, then per stream                                       |
///     |   (module varint+UTF-8, topic varint+UTF-8, low-water varint)                     |
///     +-----------------------------------------------------------------------------------+
public struct HeadRecord: RecordFields {
    public static let kind: UInt8 = 5

    /// One of the publisher's own streams.
    public struct Stream: Sendable, Hashable {
        public var topic: Topic
        /// The lowest sequence that can still be fetched.
        public var low: UInt64
        /// The last sequence that was given out.
        public var head: UInt64

        public init(topic: Topic, low: UInt64, head: UInt64) {
            self.topic = topic
            self.low = low
            self.head = head
        }
    }

    /// How far the publisher has taken in a stream of another module.
    public struct Acknowledgement: Sendable, Hashable {
        public var module: ModuleID
        public var topic: Topic
        /// All up to this sequence is settled here.
        public var lowWater: UInt64

        public init(module: ModuleID, topic: Topic, lowWater: UInt64) {
            self.module = module
            self.topic = topic
            self.lowWater = lowWater
        }
    }

    public var streams: [Stream]
    public var acknowledged: [Acknowledgement]

    public init(streams: [Stream], acknowledged: [Acknowledgement] = []) {
        self.streams = streams
        self.acknowledged = acknowledged
    }

    var name: StaticString { "HEAD" }

    func write(to writer: inout RecordWriter) {
        writer.list(streams) { writer, stream in
            writer.topic(stream.topic)
            writer.varint(stream.low)
            writer.varint(stream.head)
        }
        writer.list(acknowledged) { writer, acknowledgement in
            writer.module(acknowledgement.module)
            writer.topic(acknowledgement.topic)
            writer.varint(acknowledgement.lowWater)
        }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        streams = try reader.list { reader throws(WireError) in
            Stream(topic: try reader.topic(), low: try reader.varint(), head: try reader.varint())
        }
        acknowledged = try reader.list { reader throws(WireError) in
            Acknowledgement(module: try reader.module(), topic: try reader.topic(), lowWater: try reader.varint())
        }
    }
}
