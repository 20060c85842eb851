import ReluxWire
import Testing

@Suite struct CBORErrorTests {
    @Test(arguments: [
        ("", WireError.Code.truncated), ("18", .truncated), ("61", .truncated), ("81", .truncated), ("a1 61 61", .truncated),
        ("5b 7fffffffffffffff", .truncated), ("9b 7fffffffffffffff", .truncated), ("bb ffffffffffffffff", .truncated),
        ("9f ff", .malformed), ("bf ff", .malformed), ("7f ff", .malformed), ("5f ff", .malformed),
        ("1c", .malformed), ("fc", .malformed), ("f8 20", .malformed), ("e0", .malformed), ("f7", .malformed),
        ("18 17", .malformed), ("19 00ff", .malformed), ("1a 0000ffff", .malformed), ("1b 00000000ffffffff", .malformed),
        ("00 00", .malformed), ("61 ff", .malformed), ("a2 61 61 01 61 61 02", .malformed),
        ("a3 62 6262 01 61 61 02 62 6262 03", .malformed), ("a2 81 01 00 81 01 00", .malformed),
    ])
    func `bytes outside the profile are refused`(text: String, code: WireError.Code) {
        #expect(throws: WireError.self) { try CBORValue(decoding: Hex.bytes(text)) }
        do {
            _ = try CBORValue(decoding: Hex.bytes(text))
        } catch {
            #expect(error.code == code, "\(error)")
        }
    }

    @Test func `a text may nest sixty-four deep and no deeper`() throws {
        let deep = [UInt8](repeating: 0x81, count: 64) + [0]
        #expect(try CBORValue(decoding: deep).encoded() == deep)
        let deeper = [UInt8](repeating: 0xc1, count: 1_000_000) + [0]
        #expect(throws: WireError.self) { try CBORValue(decoding: deeper) }
    }

    @Test func `a value that nests too deep is refused before it is sent`() throws {
        indirect enum Chain: Codable { case end, link(Chain) }
        var chain = Chain.end
        for _ in 0..<31 { chain = .link(chain) }
        let bytes = try CBOR.encode(chain)
        _ = try CBOR.decode(Chain.self, from: bytes)
        let failure = #expect(throws: WireError.self) { try CBOR.encode(Chain.link(.link(chain))) }
        #expect(failure?.code == .limitExceeded)
    }

    @Test func `endless single-value wrapping is refused`() {
        struct Endless: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Endless())
            }
        }
        let failure = #expect(throws: WireError.self) { try CBOR.encode(Endless()) }
        #expect(failure?.code == .limitExceeded)
    }

    @Test func `two values in one place are refused`() {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        struct Both: Encodable {
            func encode(to encoder: any Encoder) throws {
                var map = encoder.container(keyedBy: Keys.self)
                var list = encoder.unkeyedContainer()
                try map.encode(1, forKey: .a)
                try list.encode(1)
            }
            enum Keys: CodingKey { case a }
        }
        #expect(throws: WireError.self) { try CBOR.encode(Twice()) }
        #expect(throws: WireError.self) { try CBOR.encode(Both()) }
    }

    @Test func `a message names the field and what was found there`() throws {
        struct Inner: Codable { var list: [Int] }
        struct Outer: Codable { var inner: Inner }
        let value = CBORValue.map([
            .init(.text("inner"), .map([.init(.text("list"), .array([.unsigned(1), .text("x")]))]))
        ])
        let failure = #expect(throws: WireError.self) { try CBOR.decode(Outer.self, from: value.encoded()) }
        #expect(failure?.code == .typeMismatch)
        #expect(failure?.message.contains("'inner.list.1'") == true, "\(failure?.message ?? "")")
        let missing = #expect(throws: WireError.self) { try CBOR.decode(Outer.self, from: [0xa1, 0x65] + "inner".utf8 + [0xa0]) }
        #expect(missing?.code == .missingField)
        #expect(missing?.message.contains("'inner.list'") == true, "\(missing?.message ?? "")")
    }

    @Test func `an error that the type throws is wrapped`() {
        struct Refusal: Error {}
        struct Stubborn: Codable {
            init() {}
            init(from decoder: any Decoder) throws { throw Refusal() }
            func encode(to encoder: any Encoder) throws { throw Refusal() }
        }
        #expect(throws: WireError.self) { try CBOR.encode(Stubborn()) }
        #expect(throws: WireError.self) { try CBOR.decode(Stubborn.self, from: [0xa0]) }
    }

    @Test func `an integer that does not fit is refused`() throws {
        #expect(throws: WireError.self) { try CBOR.decode(UInt8.self, from: CBOR.encode(256)) }
        #expect(throws: WireError.self) { try CBOR.decode(Int64.self, from: CBOR.encode(UInt64.max)) }
        #expect(throws: WireError.self) { try CBOR.decode(UInt.self, from: CBOR.encode(-1)) }
        #expect(throws: WireError.self) { try CBOR.decode(Float.self, from: CBOR.encode(1e300)) }
    }
}
