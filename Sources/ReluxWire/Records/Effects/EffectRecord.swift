/// An effect that a module has said.
///
///     +----------------+----------------+----------------+----------------+----------------+----------------+
///     | position       | sequence       | case name      | deadline       | wall time      | payload        |
///     | varint         | varint         | varint, UTF-8  | varint, ms     | varint, ms     | varint, CBOR   |
///     +----------------+----------------+----------------+----------------+----------------+----------------+
///     | context, see EffectContext      |
///     +---------------------------------+
///
/// One of kind 18 shares what it can with the effects before it in the same frame, or in the same run of a journal; see ``EffectChain``:
///
///     +----------------+----------------+----------------+----------------------------------+
///     | context number | position, step | sequence, step | case number varint; if that is   |
///     | varint         | varint         | varint         | a new one: name varint, UTF-8    |
///     +----------------+----------------+----------------+----------------------------------+
///     | deadline       | wall time,     | payload        |
///     | varint, ms     | step, zigzag   | varint, CBOR   |
///     +----------------+----------------+----------------+
///
/// One reference, because a record is in a ledger, in the batch for the journal and on its way to the frames at once.
public final class EffectRecord: RecordFields {
    public static let kind: UInt8 = 1
    /// The kind of a record that is said by steps from the effect before it.
    public static let briefKind: UInt8 = 18

    /// The place in all that its publisher has said; with the publisher of the frame it is the effect id.
    public let position: UInt64
    /// The place in its stream.
    public let sequence: UInt64
    /// The case of the effect's enum.
    public let caseName: String
    /// The time that was left to the waiting ones when this was said, in milliseconds; 0 when nobody waits.
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
        writer.varint(position)
        writer.varint(sequence)
        writer.text(caseName)
        writer.varint(remainingDeadlineMilliseconds)
        writer.varint(wallTimeMilliseconds)
        writer.blob(payload)
        context.write(to: &writer)
    }

    /// - Parameters:
    ///   - number: of its context in the chain, whose last effect lies before it.
    ///   - caseNumber: of its case.
    func write(to writer: inout RecordWriter, context number: Int, case caseNumber: Int, behind chain: borrowing EffectChain) {
        writer.count(number)
        writer.varint(position - chain.position)
        writer.varint(sequence - chain.sequence)
        writer.count(caseNumber)
        if caseNumber == chain.cases.count { writer.text(caseName) }
        writer.varint(remainingDeadlineMilliseconds)
        writer.zigzag(Int64(bitPattern: wallTimeMilliseconds &- chain.wallTime))
        writer.blob(payload)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        position = try reader.varint()
        sequence = try reader.varint()
        caseName = try reader.text()
        remainingDeadlineMilliseconds = try reader.varint()
        wallTimeMilliseconds = try reader.varint()
        payload = try reader.blob()
        context = try EffectContext(from: &reader)
    }

    /// A record that is said by steps.
    init(steps reader: inout RecordReader) throws(WireError) {
        let number = try reader.varint()
        guard let context = reader.chain.context(number) else {
            throw WireError(.malformed, "an effect has context \(number) of \(reader.chain.contextCount) that were said before it; say the context")
        }
        let (last, lastSequence) = (reader.chain.position, reader.chain.sequence)
        let (position, isFar) = last.addingReportingOverflow(try reader.varint())
        let (sequence, isLate) = lastSequence.addingReportingOverflow(try reader.varint())
        guard !isFar, !isLate, position > last, sequence > lastSequence else {
            throw WireError(.malformed, "the effect before byte \(reader.position) does not lie behind the one before it, or past 2^64 - 1")
        }
        let (caseName, isNamed) = try reader.caseName()
        (self.context, self.position, self.sequence, self.caseName) = (context, position, sequence, caseName)
        remainingDeadlineMilliseconds = try reader.varint()
        wallTimeMilliseconds = reader.chain.wallTime &+ UInt64(bitPattern: try reader.zigzag())
        payload = try reader.blob()
        reader.chain.step(to: self, saying: isNamed)
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

extension RecordReader {
    /// The name of a case by its number, and whether it was said for the first time.
    fileprivate mutating func caseName() throws(WireError) -> (name: String, isNamed: Bool) {
        let (number, count) = (try varint(), UInt64(chain.cases.count))
        guard number < count else {
            guard number == count else { throw WireError(.malformed, "an effect has case \(number) of \(count) that were said before it; say its name") }
            return (try text(), true)
        }
        return (chain.cases[Int(number)], false)
    }
}
