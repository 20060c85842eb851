@testable import ReluxWire
import Testing

@Suite struct EffectChainTests {
    private static func effect(_ sequence: UInt64, _ context: EffectContext, time: UInt64 = 5) -> WireRecord {
        .effect(
            EffectRecord(
                position: sequence, sequence: sequence, caseName: ["login", "logout", "loggedOutLongAgo"][Int(sequence % 3)], wallTimeMilliseconds: time,
                payload: [0xa0], context: context))
    }
    private static let long = EffectContext(
        ancestry: [EffectID(module: "Session", position: 9)], site: CallSite(file: "Auth/AuthSaga.swift", line: 42, function: "handle(_:)"))
    private static let other = EffectContext(label: "other")

    @Test func `the context of neighbours is said once, and comes back for each of them`() throws {
        let records = (1...40 as ClosedRange<UInt64>).map { Self.effect($0, $0 < 30 ? Self.long : Self.other) }
        let frame = Frame(topic: "A.Effect", publisher: "A", epoch: Epoch(1), records: records)
        let bytes = try frame.encoded()
        #expect(try Frame(decoding: bytes) == frame)
        let whole = try records.map { try $0.encoded().count }.reduce(0, +)
        #expect(bytes.count < whole / 3)
        guard case .effect(let first) = try Frame(decoding: bytes).records[0], case .effect(let second) = try Frame(decoding: bytes).records[1] else {
            Issue.record("no effects came back")
            return
        }
        #expect(first.context == second.context)
    }

    @Test func `a record between two effects does not part them`() throws {
        let member = WireRecord.member(MemberRecord(sequence: 1, version: 1, recipients: ["B"]))
        let frame = Frame(topic: "A.Effect", publisher: "A", epoch: Epoch(1), records: [Self.effect(1, Self.long), member, Self.effect(2, Self.long)])
        #expect(try Frame(decoding: frame.encoded()) == frame)
    }

    @Test func `every frame of an encoder stands by itself`() throws {
        var encoder = FrameEncoder(topic: "A.Effect", publisher: "A", epoch: Epoch(3), byteTarget: 300)
        let records = (1...100 as ClosedRange<UInt64>).map { Self.effect($0, Self.long) }
        var frames: [[UInt8]] = []
        for record in records { if let full = try encoder.append(record) { frames.append(full) } }
        if let last = encoder.finish() { frames.append(last) }
        #expect(frames.count > 3)
        #expect(try frames.flatMap { try Frame(decoding: $0).records } == records)
    }

    @Test func `contexts and cases that take turns are said once each`() throws {
        let turns = (1...40 as ClosedRange<UInt64>).map { Self.effect($0, $0 % 2 == 0 ? Self.long : Self.other) }
        let bytes = try Frame(topic: "A.Effect", publisher: "A", epoch: Epoch(1), records: turns).encoded()
        #expect(try Frame(decoding: bytes).records == turns)
        let pair = try turns[0].encoded().count + turns[1].encoded().count
        #expect(bytes.count < pair + 40 * 10 + 64, "\(bytes.count)")
    }

    @Test func `case names that are only canonically equivalent are told apart`() throws {
        let names = ["\u{e9}", "e\u{301}", "a\u{323}\u{307}", "a\u{307}\u{323}"]
        let records = names.enumerated().map { index, name in
            WireRecord.effect(EffectRecord(position: UInt64(index + 1), sequence: UInt64(index + 1), caseName: name, payload: [0xa0], context: Self.long))
        }
        let read = try Frame(decoding: Frame(topic: "A.Effect", publisher: "A", epoch: Epoch(1), records: records).encoded()).records
        for (record, name) in zip(read, names) {
            guard case .effect(let effect) = record else { continue }
            #expect(Array(effect.caseName.utf8) == Array(name.utf8))
        }
        #expect(read.count == 4)
    }

    @Test func `numbers and times come back whatever their order`() throws {
        let places: [UInt64] = [3 << 40 | 1, 3 << 40 | 2, 2 << 40 | 9, 2 << 40 | 9, .max - 1, .max, 1]
        let times: [UInt64] = [1000, 900, 900, .max, 0, 1 << 63, 7]
        let records = zip(places, times).map { Self.effect($0, Self.long, time: $1) }
        let frame = Frame(topic: "A.Effect", publisher: "A", epoch: Epoch(1), records: records)
        #expect(try Frame(decoding: frame.encoded()) == frame)
    }

    /// Behind an effect of position and sequence 7: number of the context, steps of position and sequence, number of the case, deadline, time, payload.
    @Test(arguments: [
        ([1, 1, 1, 0, 0, 0, 0], "context 1 of 1"), ([0, 0, 1, 0, 0, 0, 0], "does not lie behind"), ([0, 1, 0, 0, 0, 0, 0], "does not lie behind"),
        ([0] + [UInt8](repeating: 0xff, count: 9) + [1, 1, 0, 0, 0, 0], "past 2^64 - 1"), ([0, 1, 1, 2, 0, 0, 0], "case 2 of 1"),
        ([0, 1, 1, 0, 0, 0], "cut off"), ([0, 1, 1, 1], "cut off"),
    ] as [([UInt8], String)])
    func `a step that leads nowhere is refused`(_ fields: [UInt8], _ message: String) throws {
        let bytes = try Self.effect(7, Self.long).encoded() + [UInt8(fields.count + 1), EffectRecord.briefKind] + fields
        let error = #expect(throws: WireError.self) { try WireRecord.decodeAll(bytes[...]) }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `a frame whose first effect is said by steps is refused`() throws {
        var chain = EffectChain()
        var bytes: [UInt8] = []
        try Self.effect(1, Self.long).encode(into: &bytes, behind: &chain)
        let first = bytes.count
        try Self.effect(2, Self.long).encode(into: &bytes, behind: &chain)
        let frame = Frame.bytes(topic: "A.Effect", publisher: "A", epoch: Epoch(1), recordCount: 1, records: bytes[first...])
        let error = #expect(throws: WireError.self) { try Frame(decoding: frame) }
        #expect(error?.code == .malformed)
    }
}
