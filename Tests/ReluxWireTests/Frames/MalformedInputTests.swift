import ReluxTestKit
import ReluxWire
import Testing

/// Whatever arrives, a decoder answers with an error or with a value that encodes to what it was decoded from.
@Suite struct `malformed inputs` {
    /// Every truncation of `bytes`, and every byte of it changed in eight ways.
    private static func mutations(of bytes: [UInt8]) -> [[UInt8]] {
        var mutations = (0..<bytes.count).map { Array(bytes[..<$0]) }
        for index in bytes.indices {
            for value in [0x00, 0x7f, 0x80, 0xff, bytes[index] ^ 0x01, bytes[index] ^ 0x20, bytes[index] &+ 1, bytes[index] &- 1] {
                var changed = bytes
                changed[index] = value
                mutations.append(changed)
            }
        }
        return mutations
    }

    @Test(arguments: WireRecord.kinds)
    func `a mutated record is refused or says the same again`(kind: UInt8) throws {
        for seed in 0..<2 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            for bytes in Self.mutations(of: try random.record(ofKind: kind).encoded()) {
                guard let record = try? WireRecord.decode(bytes) else { continue }
                #expect(try WireRecord.decode(record.encoded()) == record)
            }
        }
    }

    @Test func `a mutated frame is refused or says the same again`() throws {
        for seed in 0..<6 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let frame = random.frame()
            let bytes = try frame.encoded()
            for mutation in Self.mutations(of: bytes) where mutation != bytes {
                guard let decoded = try? Frame(decoding: mutation) else { continue }
                #expect(try Frame(decoding: decoded.encoded()) == decoded)
                // Whatever got past the checksum differs in the header only.
                #expect(decoded.records == frame.records || mutation.count != bytes.count)
            }
        }
    }

    @Test func `a mutated CBOR text is refused or says the same again`() throws {
        let everything = try (0..<40 as Range<UInt64>).map { seed in
            var random = SeededRandom(seed: seed)
            return try CBOR.encode(Everything(using: &random))
        }
        let smallest = try #require(everything.min { $0.count < $1.count })
        for bytes in Self.mutations(of: smallest) {
            _ = try? CBOR.decode(Everything.self, from: bytes)
            guard let value = try? CBORValue(decoding: bytes) else { continue }
            // A key that lost its place is sorted back, so the bytes are compared after one round.
            let encoded = value.encoded()
            guard try CBORValue(decoding: encoded).encoded() != encoded else { continue }
            Issue.record("\(Hex.text(bytes))")
        }
    }

    @Test func `a mutated JSON text is refused or says the same again`() throws {
        for seed in 0..<30 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let text = JSONTests.value(using: &random, depth: 3).text()
            for bytes in Self.mutations(of: Array(text.utf8)) {
                guard let value = try? JSONValue(parsing: bytes) else { continue }
                #expect(try JSONValue(parsing: value.text()) == value)
            }
        }
    }

    @Test func `random bytes never trap`() {
        var random = SeededRandom(seed: 42)
        for _ in 0..<20_000 {
            let bytes = random.bytes(upTo: 60)
            _ = try? CBORValue(decoding: bytes)
            _ = try? CBOR.decode(SampleEffect.self, from: bytes)
            _ = try? WireRecord.decode(bytes)
            _ = try? Frame(decoding: bytes)
            _ = try? JSONValue(parsing: bytes)
        }
    }
}
