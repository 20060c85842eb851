/// Dispatches that were not accepted: they are in no stream. In the journal of the module in whose name they were dispatched, on `~refused`; taps hear
/// them one by one on that topic.
///
///     +----------------+----------------+----------------+----------------+
///     | count          | reason         | topic          | case name      |
///     | varint         | varint, UTF-8  | varint, UTF-8  | varint, UTF-8  |
///     +----------------+----------------+----------------+----------------+
///     | ancestry: count varint, then per ancestor (module varint+UTF-8,   |
///     | position varint)                                                  |
///     +----------------+----------------+----------------+----------------+
///     | site: file     | site: line     | site: function | label          |
///     | varint, UTF-8  | varint         | varint, UTF-8  | varint, UTF-8  |
///     +----------------+----------------+----------------+----------------+
///     | wall time      | message                                          |
///     | varint, ms     | varint, UTF-8                                    |
///     +----------------+--------------------------------------------------+
///
/// The topic is a text: a dispatch may be refused because of it.
public struct RefusedRecord: RecordFields {
    public static let kind: UInt8 = 17
    public static let topic: Topic = "~refused"
    /// Bytes of each text; whoever writes it cuts the rest.
    public static let textByteLimit = 1024

    /// How many refusals of this reason, effect and site the record stands for: those since the record before it.
    public var count: UInt64
    /// The failure's code, such as `undeclared`.
    public var reason: String
    public var topic: String
    public var caseName: String
    /// The causes of the latest refusal, from the root to the effect whose handler dispatched it; a chain that is too long lacks some in between.
    public var ancestry: [EffectID]
    public var site: CallSite
    public var label: String
    /// Milliseconds since 1970, of the latest. For people.
    public var wallTimeMilliseconds: UInt64
    /// Why, with the remedy; of the latest.
    public var message: String

    public init(
        count: UInt64, reason: String, topic: String, caseName: String, ancestry: [EffectID] = [], site: CallSite = CallSite(), label: String = "",
        wallTimeMilliseconds: UInt64, message: String
    ) {
        self.count = count
        self.reason = reason
        self.topic = topic
        self.caseName = caseName
        self.ancestry = ancestry
        self.site = site
        self.label = label
        self.wallTimeMilliseconds = wallTimeMilliseconds
        self.message = message
    }

    public var cause: EffectID? { ancestry.last }

    var name: StaticString { "REFUSED" }

    func check() throws(WireError) {
        guard ancestry.count <= EffectContext.ancestryLimit else {
            throw WireError(
                .limitExceeded, "a refusal with \(ancestry.count) ancestors is over the limit of \(EffectContext.ancestryLimit); leave some out")
        }
    }

    func write(to writer: inout RecordWriter) {
        writer.varint(count)
        writer.text(reason)
        writer.text(topic)
        writer.text(caseName)
        writer.list(ancestry) { $0.effectID($1) }
        writer.text(site.file)
        writer.varint(UInt64(site.line))
        writer.text(site.function)
        writer.text(label)
        writer.varint(wallTimeMilliseconds)
        writer.text(message)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        count = try reader.varint()
        reason = try reader.text()
        topic = try reader.text()
        caseName = try reader.text()
        ancestry = try reader.list { reader throws(WireError) in try reader.effectID() }
        site = CallSite(file: try reader.text(), line: UInt(truncatingIfNeeded: try reader.varint()), function: try reader.text())
        label = try reader.text()
        wallTimeMilliseconds = try reader.varint()
        message = try reader.text()
        try check()
    }
}
