/// An effect that a module has said.
///
///     +----------------+----------------+----------------+----------------+----------------+
///     | position       | sequence       | case name      | deadline       | wall time      |
///     | varint         | varint         | varint, UTF-8  | varint, ms     | varint, ms     |
///     +----------------+----------------+----------------+----------------+----------------+
///     | payload        |
///     | varint, CBOR   |
///     +----------------+
///
/// In a record of kind 1 its context follows, see ``EffectContext``. One of kind 18 ends there: its context is that of the effect before it in
/// the same frame, or in the same run of a journal.
///
/// One reference, because a record is in a ledger, in the batch for the journal and on its way to the frames at once.
public final class EffectRecord: RecordFields {
    public static let kind: UInt8 = 1
    /// The kind of a record whose context is that of the effect before it.
    public static let briefKind: UInt8 = 18

    /// The place in all that its publisher has said; with the publisher of the frame it is the effect id.
    public let position: UInt64
    /// The place in its stream.
    public let sequence: UInt64
    /// The case of the effect's enum.
    public let caseName: String
    /// What was left to the waiting ones when this was said, in milliseconds; 0 when nobody waits.
    public let remainingDeadlineMilliseconds: UInt64
    /// Milliseconds since 1970. For people: nothing is decided by it.
    public let wallTimeMilliseconds: UInt64
    /// The effect as CBOR.
    public let payload: ArraySlice<UInt8>
    public let context: EffectContext

    public init(
        position: UInt64, sequence: UInt64, caseName: String, remainingDeadlineMilliseconds: UInt64 = 0, wallTimeMilliseconds: UInt64 = 0,
        payload: ArraySlice<UInt8>, context: EffectContext
    ) {
        self.position = position
        self.sequence = sequence
        self.caseName = caseName
        self.remainingDeadlineMilliseconds = remainingDeadlineMilliseconds
        self.wallTimeMilliseconds = wallTimeMilliseconds
        self.payload = payload
        self.context = context
    }

    /// With a context of its own.
    public convenience init(
        position: UInt64, sequence: UInt64, caseName: String, ancestry: [EffectID] = [], awaitDepth: Int = 0,
        remainingDeadlineMilliseconds: UInt64 = 0, memberVersion: UInt64 = 0, flags: EffectFlags = [],
        site: CallSite = CallSite(), label: String = "", contractFingerprint: UInt64 = 0, wallTimeMilliseconds: UInt64 = 0,
        payload: ArraySlice<UInt8>
    ) {
        let context = EffectContext(
            ancestry: ancestry, awaitDepth: awaitDepth, memberVersion: memberVersion, flags: flags, site: site,
            label: label, contractFingerprint: contractFingerprint)
        self.init(
            position: position, sequence: sequence, caseName: caseName, remainingDeadlineMilliseconds: remainingDeadlineMilliseconds,
            wallTimeMilliseconds: wallTimeMilliseconds, payload: payload, context: context)
    }

    public var ancestry: [EffectID] { context.ancestry }
    public var awaitDepth: Int { context.awaitDepth }
    public var memberVersion: UInt64 { context.memberVersion }
    public var flags: EffectFlags { context.flags }
    public var site: CallSite { context.site }
    public var label: String { context.label }
    public var contractFingerprint: UInt64 { context.contractFingerprint }
    public var root: EffectID? { ancestry.first }
    public var cause: EffectID? { ancestry.last }
    public var hop: Int { ancestry.count }

    var name: StaticString { "EFFECT" }
    var byteCountHint: Int { payload.count + 256 }

    func check() throws(WireError) { try context.check() }

    func write(to writer: inout RecordWriter) {
        writeBrief(to: &writer)
        context.write(to: &writer)
    }

    /// All but the context.
    func writeBrief(to writer: inout RecordWriter) {
        writer.varint(position)
        writer.varint(sequence)
        writer.text(caseName)
        writer.varint(remainingDeadlineMilliseconds)
        writer.varint(wallTimeMilliseconds)
        writer.blob(payload)
    }

    convenience init(from reader: inout RecordReader) throws(WireError) {
        try self.init(from: &reader) { reader throws(WireError) in try EffectContext(from: &reader) }
    }

    /// - Parameter context: the context of the effect before; nil when there is none.
    convenience init(brief reader: inout RecordReader, context: EffectContext?) throws(WireError) {
        guard let context else {
            throw WireError(.malformed, "an effect has the context of the one before it, and is the first one; say the context")
        }
        try self.init(from: &reader) { _ in context }
    }

    private init(
        from reader: inout RecordReader, _ readContext: (inout RecordReader) throws(WireError) -> EffectContext
    ) throws(WireError) {
        position = try reader.varint()
        sequence = try reader.varint()
        caseName = try reader.text()
        remainingDeadlineMilliseconds = try reader.varint()
        wallTimeMilliseconds = try reader.varint()
        payload = try reader.blob()
        context = try readContext(&reader)
    }

    public static func == (left: EffectRecord, right: EffectRecord) -> Bool {
        if left === right { return true }
        return left.position == right.position && left.sequence == right.sequence && left.caseName == right.caseName
            && left.remainingDeadlineMilliseconds == right.remainingDeadlineMilliseconds
            && left.wallTimeMilliseconds == right.wallTimeMilliseconds && left.payload == right.payload && left.context == right.context
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(position)
        hasher.combine(sequence)
        hasher.combine(payload)
    }
}
