import ReluxTestKit
import ReluxWire
import Testing

@Suite struct CBORCodableTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `any Codable value comes back as it was`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = Everything(using: &random)
        let bytes = try CBOR.encode(value)
        #expect(try CBOR.decode(Everything.self, from: bytes) == value)
        #expect(try CBORValue(decoding: bytes).encoded() == bytes)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `equal values give equal bytes, however their collections were filled`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = Everything(using: &random)
        var other = value
        other.dictionary = [:]
        other.dictionary.reserveCapacity(500)
        for key in value.dictionary.keys.shuffled(using: &random) { other.dictionary[key] = value.dictionary[key] }
        other.set = Set(minimumCapacity: 300)
        for member in value.set.shuffled(using: &random) { other.set.insert(member) }
        other.coloured = Dictionary(minimumCapacity: 64)
        for key in value.coloured.keys.shuffled(using: &random) { other.coloured[key] = value.coloured[key] }
        #expect(try CBOR.encode(value) == CBOR.encode(other))
    }

    @Test func `an enum is a map from its case to a map of its labels`() throws {
        #expect(Hex.text(try CBOR.encode(SampleEffect.logout)) == "a1 66 6c 6f 67 6f 75 74 a0")
        #expect(
            try CBORValue(decoding: CBOR.encode(SampleEffect.rename("a", to: "b")))
                == .map([
                    .init(
                        .text("rename"),
                        .map([.init(.text("_0"), .text("a")), .init(.text("to"), .text("b"))]))
                ]))
    }

    @Test func `scalars have the bytes of RFC 8949`() throws {
        #expect(Hex.text(try CBOR.encode(0)) == "00")
        #expect(Hex.text(try CBOR.encode(23)) == "17")
        #expect(Hex.text(try CBOR.encode(24)) == "18 18")
        #expect(Hex.text(try CBOR.encode(1000)) == "19 03 e8")
        #expect(Hex.text(try CBOR.encode(1_000_000)) == "1a 00 0f 42 40")
        #expect(Hex.text(try CBOR.encode(UInt64.max)) == "1b ff ff ff ff ff ff ff ff")
        #expect(Hex.text(try CBOR.encode(Int64.min)) == "3b 7f ff ff ff ff ff ff ff")
        #expect(Hex.text(try CBOR.encode(-1)) == "20")
        #expect(Hex.text(try CBOR.encode(1.1)) == "fb 3f f1 99 99 99 99 99 9a")
        #expect(Hex.text(try CBOR.encode(Float(1.5))) == "fa 3f c0 00 00")
        #expect(Hex.text(try CBOR.encode("ü")) == "62 c3 bc")
        #expect(Hex.text(try CBOR.encode([true, false, nil])) == "83 f5 f4 f6")
        #expect(Hex.text(try CBOR.encode(ByteString([1, 2]))) == "42 01 02")
        #expect(Hex.text(try CBOR.encode(SealedBytes([1, 2]))) == "d9 a5 ec 42 01 02")
    }

    @Test func `map keys come sorted by their encoded bytes`() throws {
        let bytes = try CBOR.encode(["bb": 1, "a": 2, "b": 3, "aa": 4])
        #expect(Hex.text(bytes) == "a4 61 61 02 61 62 03 62 61 61 04 62 62 62 01")
    }

    @Test func `a key order of a foreign encoder is accepted`() throws {
        let bytes = Hex.bytes("a2 62 6262 01 61 61 02")
        #expect(try CBOR.decode([String: Int].self, from: bytes) == ["bb": 1, "a": 2])
    }

    @Test func `unknown fields are skipped`() throws {
        struct Wide: Codable { var a = 1, b = ["x": [1, 2]], c = "z" }
        struct Narrow: Codable, Equatable { var c: String }
        #expect(try CBOR.decode(Narrow.self, from: CBOR.encode(Wide())) == Narrow(c: "z"))
    }

    @Test func `a subclass shares the map of its superclass`() throws {
        let bytes = try CBOR.encode(Shared())
        #expect(try CBORValue(decoding: bytes).swiftDescription() == "(name: \"base\", extra: 7)")
        #expect(try CBOR.decode(Shared.self, from: bytes).extra == 7)
    }

    @Test func `a super encoder keeps what the superclass writes apart`() throws {
        let bytes = try CBOR.encode(Separate())
        #expect(try CBORValue(decoding: bytes)["super"]?.swiftDescription() == "(name: \"base\")")
        #expect(try CBOR.decode(Separate.self, from: bytes).name == "base")
    }

    @Test func `nested containers may be filled turn by turn`() throws {
        let bytes = try CBOR.encode(Interleaved())
        #expect(try CBORValue(decoding: bytes).swiftDescription() == "(left: [1, 2], right: (a: 1, b: 2))")
        #expect(try CBOR.decode(Interleaved.self, from: bytes) == Interleaved())
    }

    @Test func `of a key that is written several times the last value counts`() throws {
        struct Repeated: Encodable {
            enum Keys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                for value in 1...3 {
                    try container.encode(value, forKey: .b)
                    try container.encode(-value, forKey: .a)
                }
            }
        }
        #expect(Hex.text(try CBOR.encode(Repeated())) == "a2 61 61 22 61 62 03")
    }

    @Test func `a type that writes nothing is an empty map`() throws {
        struct Nothing: Codable {
            init() {}
            init(from decoder: any Decoder) {}
            func encode(to encoder: any Encoder) {}
        }
        #expect(Hex.text(try CBOR.encode([Nothing()])) == "81 a0")
    }

    @Test func `user info reaches the type in both directions`() throws {
        struct Informed: Codable, Equatable {
            static let key = CodingUserInfoKey(rawValue: "key")
            var word: String

            init(word: String) { self.word = word }

            init(from decoder: any Decoder) throws {
                word = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? "none"
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String } ?? "none")
            }
        }
        let key = try #require(Informed.key)
        #expect(try CBOR.encode(Informed(word: ""), userInfo: [key: "a"]) == CBOR.encode("a"))
        #expect(try CBOR.decode(Informed.self, from: [0xa0], userInfo: [key: "b"]).word == "b")
    }

    @Test func `a slice is decoded in place`() throws {
        let bytes = try [9, 9] + CBOR.encode(["k": "v"]) + [9]
        #expect(try CBOR.decode([String: String].self, from: bytes[2..<bytes.count - 1]) == ["k": "v"])
    }

    @Test func `whole numbers decode as floating-point numbers`() throws {
        #expect(try CBOR.decode([Double].self, from: CBOR.encode([3, -3])) == [3, -3])
        #expect(try CBOR.decode([Double].self, from: Hex.bytes("82 f9 3e00 fa 3fc00000")) == [1.5, 1.5])
    }
}
