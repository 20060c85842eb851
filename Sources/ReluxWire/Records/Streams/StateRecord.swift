/// The value of a restorable state, with the settlements that depend on it. In its module's journal only, on `~state`.
///
///     +----------------+----------------+-----------------------------------------+----------------+
///     | name           | version        | reduced: count varint, then per effect  | value          |
///     | varint, UTF-8  | varint         | (module varint+UTF-8, position varint)  | varint, CBOR   |
///     +----------------+----------------+-----------------------------------------+----------------+
public struct StateRecord: RecordFields {
    public static let kind: UInt8 = 12
    public static let topic: Topic = "~state"

    /// The state's type path.
    public var stateName: String
    /// The version of the value's shape.
    public var version: UInt64
    /// Effects that the value has taken in and that are not settled: their re-run skips the reducer.
    public var reduced: [EffectID]
    public var value: ArraySlice<UInt8>

    public init(stateName: String, version: UInt64, reduced: [EffectID], value: ArraySlice<UInt8>) {
        self.stateName = stateName
        self.version = version
        self.reduced = reduced
        self.value = value
    }

    var name: StaticString { "STATE" }

    func write(to writer: inout RecordWriter) {
        writer.text(stateName)
        writer.varint(version)
        writer.list(reduced) { $0.effectID($1) }
        writer.blob(value)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        stateName = try reader.text()
        version = try reader.varint()
        reduced = try reader.list { reader throws(WireError) in try reader.effectID() }
        value = try reader.blob()
    }
}
