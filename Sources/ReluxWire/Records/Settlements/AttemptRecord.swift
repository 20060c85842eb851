/// The process died while a handler of this effect ran. In the recipient's journal only, on `~attempt`.
///
///     +----------------------------------------+----------------+----------------+
///     | effect                                 | deaths         | alone          |
///     | module varint+UTF-8, position varint   | varint         | 1 byte, 0 or 1 |
///     +----------------------------------------+----------------+----------------+
public struct AttemptRecord: RecordFields {
    public static let kind: UInt8 = 14
    public static let topic: Topic = "~attempt"

    public var effect: EffectID
    /// So far, this one included.
    public var deaths: UInt64
    /// No other handler of the module ran at that death.
    public var wasAlone: Bool

    public init(effect: EffectID, deaths: UInt64, wasAlone: Bool) {
        self.effect = effect
        self.deaths = deaths
        self.wasAlone = wasAlone
    }

    var name: StaticString { "ATTEMPT" }

    func write(to writer: inout RecordWriter) {
        writer.effectID(effect)
        writer.varint(deaths)
        writer.byte(wasAlone ? 1 : 0)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        effect = try reader.effectID()
        deaths = try reader.varint()
        wasAlone = try reader.byte() != 0
    }
}
