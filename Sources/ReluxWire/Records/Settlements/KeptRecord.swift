/// A value that a handler asked to keep: a re-run gets the same. In its module's journal only, on `~kept`.
///
///     +----------------------------------------+----------------+----------------+
///     | cause                                  | name           | value          |
///     | module varint+UTF-8, position varint   | varint, UTF-8  | varint, CBOR   |
///     +----------------------------------------+----------------+----------------+
public struct KeptRecord: RecordFields {
    public static let kind: UInt8 = 13
    public static let topic: Topic = "~kept"

    /// The effect whose handler asked.
    public var cause: EffectID
    public var valueName: String
    public var value: ArraySlice<UInt8>

    public init(cause: EffectID, valueName: String, value: ArraySlice<UInt8>) {
        self.cause = cause
        self.valueName = valueName
        self.value = value
    }

    var name: StaticString { "KEPT" }

    func write(to writer: inout RecordWriter) {
        writer.effectID(cause)
        writer.text(valueName)
        writer.blob(value)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        cause = try reader.effectID()
        valueName = try reader.text()
        value = try reader.blob()
    }
}
