import ReluxWire
import Testing

@Suite struct NameHashTests {
    @Test func `equal names have one hash, wherever their text came from`() throws {
        for count in 1...64 {
            let text = String(repeating: "n", count: count)
            let (left, right) = (try ModuleID(text), try ModuleID(String(decoding: Array(text.utf8), as: UTF8.self)))
            #expect(left == right && left.hashValue == right.hashValue)
            #expect(left._rawHashValue(seed: 7) == right._rawHashValue(seed: 7))
        }
    }

    @Test func `names that differ in one character anywhere are different keys`() throws {
        var topics: Set<Topic> = []
        for count in 1...60 {
            for place in 0..<count {
                var text = Array(repeating: UInt8(ascii: "a"), count: count)
                text[place] = UInt8(ascii: "b")
                topics.insert(try Topic(String(decoding: text, as: UTF8.self)))
            }
        }
        #expect(topics.count == 60 * 61 / 2)
        #expect(Set(topics.map(\.hashValue)).count == topics.count)
    }

    @Test func `numbers of one module are spread over a table`() {
        let hashes = (0..<4096 as Range<UInt64>).map { EffectID(module: "A", position: 1 << 40 + $0)._rawHashValue(seed: 3) & 4095 }
        // As chance has it, 2589 of them.
        #expect(Set(hashes).count > 2300)
    }

    @Test func `a stream is its publisher and its topic, in this order`() {
        let streams: Set<StreamID> = [
            StreamID(publisher: "A", topic: "B"), StreamID(publisher: "B", topic: "A"), StreamID(publisher: "A", topic: "B"),
        ]
        #expect(streams.count == 2)
    }

    @Test func `no number takes the module out of an effect's hash`() {
        let modules = (0..<64).compactMap { ModuleID(rawValue: "M\($0)") }
        for position in [0xd6e8_feb8_6659_fd93, 0x9e37_79b9_7f4a_7c15, 0, .max] as [UInt64] {
            #expect(Set(modules.map { EffectID(module: $0, position: position).nameHash }).count == modules.count)
        }
    }
}
