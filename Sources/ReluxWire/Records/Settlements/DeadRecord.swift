/// An effect that was given up, with all that is needed to look at it and to send it again. In the recipient's journal only, on
/// `~dead`.
///
///     +----------------------------------------+----------------+----------------+
///     | effect                                 | topic          | case name      |
///     | module varint+UTF-8, position varint   | varint, UTF-8  | varint, UTF-8  |
///     +----------------------------------------+----------------+----------------+
///     | deaths         | resolution     | wall time      | reason         |
///     | varint         | 1 byte         | varint, ms     | varint, UTF-8  |
///     +----------------+----------------+----------------+----------------+
///     | payload                                                           |
///     | varint, CBOR                                                      |
///     +-------------------------------------------------------------------+
///     | extension 1: contract fingerprint, 8 bytes, big endian            |
///     +-------------------------------------------------------------------+
///
/// The journal gets it once more when somebody has dealt with it; of one effect the last record counts.
public struct DeadRecord: RecordFields {
    public static let kind: UInt8 = 15
    public static let topic: Topic = "~dead"
    /// Bytes of a reason; whoever writes it cuts the rest.
    public static let reasonByteLimit = 8192

    /// The way in which somebody has dealt with it.
    public enum Resolution: UInt8, Sendable, Hashable, Codable, CaseIterable {
        case open = 0
        /// The same payload was emitted again, as another effect.
        case retried = 1
        case dropped = 2
    }

    public var effect: EffectID
    public var topic: Topic
    public var caseName: String
    /// How often its handler has killed the process; 0 when it never ran.
    public var deaths: UInt64
    public var resolution: Resolution
    /// Milliseconds since 1970. For people.
    public var wallTimeMilliseconds: UInt64
    /// Why, with the backtrace when there is one.
    public var reason: String
    public var payload: ArraySlice<UInt8>
    /// The fingerprint of the contract that the effect was said under; 0 when it is not known.
    public var contractFingerprint: UInt64

    private static let contractExtension: UInt64 = 1

    public init(
        effect: EffectID, topic: Topic, caseName: String, deaths: UInt64, resolution: Resolution = .open, wallTimeMilliseconds: UInt64,
        reason: String, payload: ArraySlice<UInt8>, contractFingerprint: UInt64 = 0
    ) {
        self.effect = effect
        self.topic = topic
        self.caseName = caseName
        self.deaths = deaths
        self.resolution = resolution
        self.wallTimeMilliseconds = wallTimeMilliseconds
        self.reason = reason
        self.payload = payload
        self.contractFingerprint = contractFingerprint
    }

    var name: StaticString { "DEAD" }

    func write(to writer: inout RecordWriter) {
        writer.effectID(effect)
        writer.topic(topic)
        writer.text(caseName)
        writer.varint(deaths)
        writer.byte(resolution.rawValue)
        writer.varint(wallTimeMilliseconds)
        writer.text(reason)
        writer.blob(payload)
        if contractFingerprint != 0 {
            var value = RecordWriter()
            value.fixed64(contractFingerprint)
            writer.varint(Self.contractExtension)
            writer.blob(value.bytes[...])
        }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        effect = try reader.effectID()
        topic = try reader.topic()
        caseName = try reader.text()
        deaths = try reader.varint()
        let number = try reader.byte()
        guard let resolution = Resolution(rawValue: number) else {
            throw WireError(.malformed, "\(number) is no resolution of a dead letter; 0 to 2 are known")
        }
        self.resolution = resolution
        wallTimeMilliseconds = try reader.varint()
        reason = try reader.text()
        payload = try reader.blob()
        contractFingerprint = try reader.fixed64Extension(Self.contractExtension) ?? 0
    }
}
