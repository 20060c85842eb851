import ReluxBus
import ReluxWire
import Testing

@Suite struct WireRecordTests {
    @Test(arguments: 0..<9)
    func `a record of any kind comes back as it was`(kind: Int) throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let record = random.record(ofKind: kind)
            let bytes = try record.encoded()
            #expect(try WireRecord.decode(bytes) == record)
        }
    }

    @Test(arguments: 0..<9)
    func `an extension that the reader does not know is skipped`(kind: Int) throws {
        var random = SeededRandom(seed: 7)
        let record = random.record(ofKind: kind)
        #expect(try WireRecord.decode(Self.appending([0xc8, 0x01, 3, 1, 2, 3], to: record.encoded())) == record)
        #expect(throws: WireError.self) { try WireRecord.decode(Self.appending([0xc8, 0x01, 3, 1, 2], to: record.encoded())) }
    }

    /// `record` with more bytes at its end and a length that says so. Lengths fit two bytes here.
    private static func appending(_ tail: [UInt8], to record: [UInt8]) -> [UInt8] {
        let body = record.drop { $0 >= 0x80 }.dropFirst() + tail
        let count = body.count
        return [UInt8(count & 0x7f) | 0x80, UInt8(count >> 7)].filter { count >= 0x80 || $0 != 0 }.map { count < 0x80 ? $0 & 0x7f : $0 } + body
    }

    @Test func `a record of an unknown kind is nothing, and no error`() throws {
        #expect(try WireRecord.decode([3, 200, 1, 2]) == nil)
    }

    @Test func `an effect may have thirty-two ancestors and no more`() throws {
        func effect(_ count: Int) -> WireRecord {
            .effect(
                EffectRecord(
                    position: 1, sequence: 1, caseName: "a", ancestry: (0..<UInt64(count)).map { EffectID(module: "Auth", position: $0) },
                    payload: []))
        }
        _ = try effect(32).encoded()
        let failure = #expect(throws: WireError.self) { try effect(33).encoded() }
        #expect(failure?.code == .limitExceeded)
        var bytes = try effect(32).encoded()
        // One ancestor more, by hand: count and length each rise.
        let position = try #require(bytes.firstIndex(of: 32))
        bytes[position] = 33
        bytes.insert(contentsOf: [4] + "Auth".utf8 + [0], at: position + 1)
        bytes.replaceSubrange(0..<2, with: [UInt8((bytes.count - 2) & 0x7f) | 0x80, UInt8((bytes.count - 2) >> 7)])
        let refusal = #expect(throws: WireError.self) { try WireRecord.decode(bytes) }
        #expect(refusal?.code == .limitExceeded)
    }

    @Test func `more waiting ancestors than ancestors are refused`() {
        let effect = EffectRecord(position: 1, sequence: 1, caseName: "a", awaitDepth: 1, payload: [])
        #expect(throws: WireError.self) { try WireRecord.effect(effect).encoded() }
    }

    @Test func `a record over one mebibyte is refused before it is sent`() throws {
        func snapshot(_ count: Int) -> WireRecord {
            .snapshot(SnapshotRecord(version: 1, payload: [UInt8](repeating: 0, count: count)[...]))
        }
        _ = try snapshot(WireRecord.byteLimit - 16).encoded()
        let failure = #expect(throws: WireError.self) { try snapshot(WireRecord.byteLimit).encoded() }
        #expect(failure?.code == .limitExceeded)
    }

    @Test(arguments: [
        ([0x80, 0x00] as [UInt8], "longer than it needs"), (Array(repeating: 0xff, count: 10) + [0x01], "more than 64 bits"), ([], "cut off"),
        ([0x80], "cut off"), ([0], "cut off"), ([5, 2, 1, 1], "only 3 are left"), ([6, 2, 1, 1, 9, 0, 0], "no status"),
        ([2, 1, 1, 0], "follow the record"),
    ])
    func `bad records are refused with the place`(bytes: [UInt8], message: String) {
        var text = ""
        do { _ = try WireRecord.decode(bytes) } catch { text = error.message }
        #expect(text.contains(message) || text.contains("cut off"), "\(text)")
    }
}
