import ReluxTestKit
import ReluxWire
import Testing

@Suite struct WireRecordTests {
    @Test(arguments: WireRecord.kinds)
    func `a record of any kind comes back as it was`(kind: UInt8) throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let record = random.record(ofKind: kind)
            let bytes = try record.encoded()
            #expect(bytes.drop { $0 >= 0x80 }.dropFirst().first == kind)
            #expect(try WireRecord.decode(bytes) == record)
        }
    }

    @Test(arguments: WireRecord.kinds)
    func `an extension that the reader does not know is skipped`(kind: UInt8) throws {
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

    @Test(arguments: [0, 100, 0x70, 0x80, 0x3f00, 0x3fff, 0x4000, 0x4100, (1 << 20) - 16])
    func `a record's length takes one, two or three bytes`(around size: Int) throws {
        for count in max(0, size - 20)...size {
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let record = WireRecord.snapshot(SnapshotRecord(version: 1, payload: payload[...]))
            let two = try record.encoded() + WireRecord.snapshot(SnapshotRecord(version: 2, payload: payload[...])).encoded()
            let read = try WireRecord.decodeAll(two[...])
            #expect(read.count == 2 && read[0] == record)
        }
    }

    /// A number is read at once where eight bytes are left, else byte by byte.
    @Test(arguments: [0, 1, 3, 20])
    func `a number of any size comes back, whatever follows it`(payload: Int) throws {
        for bit in 0..<64 as Range<UInt64> {
            for number in [(1 << bit) - 1, 1 << bit, (1 << bit) + 1] as [UInt64] {
                let effect = EffectRecord(
                    position: number, sequence: number, caseName: "", wallTimeMilliseconds: number, payload: [UInt8](repeating: 0xff, count: payload)[...])
                let record = WireRecord.effect(effect)
                #expect(try WireRecord.decode(record.encoded()) == record)
                let gone = WireRecord.gone(GoneRecord(topic: "A", range: number...number))
                #expect(try WireRecord.decode(gone.encoded()) == gone)
            }
        }
    }

    @Test(arguments: [1, 2, 3, 6] as [Int])
    func `a number that is longer than it needs to be is refused, also where much follows it`(zeros: Int) {
        let number = [UInt8](repeating: 0x80, count: zeros) + [0]
        var text = ""
        do { _ = try WireRecord.decode([UInt8(number.count + 10), 2] + number + [UInt8](repeating: 1, count: 9)) } catch { text = error.message }
        #expect(text.contains("the number at byte 2 is longer than it needs to be"), "\(text)")
    }

    private static let nines = [UInt8](repeating: 0xff, count: 9)
    private static let bad: [(bytes: [UInt8], message: String)] = [
        ([0x80, 0x00], "longer than it needs"), (nines + [0xff, 0x01], "more than 64 bits"),
        ([], "cut off"), ([0x80], "cut off"), ([0], "cut off"), ([5, 2, 1, 1], "only 3 are left"),
        ([3, 9, 1, 0x41, 0], "1 bytes follow the record"),
        // SETTLED of topic A
        ([12, 2, 1, 1, 0x41, 1, 1, 1, 0, 5, 0, 0, 0], "5 is no status of a settlement; 0 to 4 are known"),
        ([12, 2, 1, 1, 0x41, 1, 1, 1, 0, 4, 0, 99, 0], "a list of 99"),
        // Those of journals, of module and topic A.
        ([11, 10, 1, 0x41, 1, 1, 0x41, 1, 1, 1, 0, 9], "9 is no status"),
        ([16, 11, 1, 0x41, 1, 0x41, 1] + nines + [0x01], "past 2^64 - 1"),
        ([5, 12, 0, 1, 99, 0], "a list of 99"), ([5, 13, 1, 0x41, 1, 0], "cut off"), ([5, 14, 1, 0x41, 1, 5], "cut off"),
        ([5, 15, 1, 0x20, 1, 1], "module id"),
    ]

    @Test(arguments: bad)
    func `bad records are refused with the place`(bytes: [UInt8], message: String) {
        var text = ""
        do { _ = try WireRecord.decode(bytes) } catch { text = error.message }
        #expect(text.contains(message), "\(text)")
    }
}
