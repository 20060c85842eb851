import ReluxBus
import ReluxWire
import Testing

/// The type that generated code would extend; ``Fast`` is the same with such code.
private struct Plain: Codable {
    var amount: Int, to: String, memo: String?, blob: ByteString, ratio: Double, flags: [Bool]
}

private struct Fast: CBORFastCodable, Equatable {
    var amount: Int, to: String, memo: String?, blob: ByteString, ratio: Double, flags: [Bool]

    init(amount: Int, to: String, memo: String?, blob: ByteString, ratio: Double, flags: [Bool]) {
        (self.amount, self.to, self.memo, self.blob, self.ratio, self.flags) = (amount, to, memo, blob, ratio, flags)
    }

    func encodeCBOR(into writer: inout CBORWriter) {
        writer.map(count: memo == nil ? 5 : 6)
        writer.text("to")
        writer.text(to)
        writer.text("blob")
        writer.byteString(blob.bytes)
        if let memo {
            writer.text("memo")
            writer.text(memo)
        }
        writer.text("flags")
        writer.array(count: flags.count)
        for flag in flags { writer.bool(flag) }
        writer.text("ratio")
        writer.double(ratio)
        writer.text("amount")
        writer.integer(Int64(amount))
    }

    init(cbor reader: inout CBORReader) throws(WireError) {
        func key(_ name: StaticString) throws(WireError) {
            guard reader.encoded(name) else { throw WireError(.typeMismatch, "another key is expected") }
        }
        let count = try reader.map()
        try key("\u{62}to")
        to = try reader.text()
        try key("\u{64}blob")
        blob = ByteString(try reader.byteString())
        memo = nil
        if count == 6 {
            try key("\u{64}memo")
            memo = try reader.text()
        }
        try key("\u{65}flags")
        flags = []
        for _ in 0..<(try reader.array()) { flags.append(try reader.bool()) }
        try key("\u{65}ratio")
        ratio = try reader.double()
        try key("\u{66}amount")
        amount = Int(try reader.integer())
    }
}

@Suite struct CBORFastCodableTests {
    @Test func `a fast coder writes the bytes of the generic one and reads them`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let fast = Fast(
                amount: Int(truncatingIfNeeded: random.unsigned()), to: random.text(), memo: seed % 2 == 0 ? random.text() : nil,
                blob: ByteString(random.bytes()), ratio: Double.random(in: -9...9, using: &random),
                flags: random.list(upTo: 5) { Bool.random(using: &$0) })
            let plain = Plain(
                amount: fast.amount, to: fast.to, memo: fast.memo, blob: fast.blob, ratio: fast.ratio, flags: fast.flags)
            let bytes = try CBOR.encode(plain)
            #expect(try CBOR.encode(fast) == bytes)
            #expect(try CBOR.decode(Fast.self, from: bytes) == fast)
        }
    }

    @Test func `a fast coder that meets another key order leaves it to the generic one`() throws {
        let fast = Fast(amount: 1, to: "a", memo: nil, blob: ByteString([]), ratio: 1, flags: [])
        guard case .map(let pairs) = try CBORValue(decoding: CBOR.encode(fast)) else { return }
        var foreign = CBORWriter()
        foreign.map(count: pairs.count)
        for pair in pairs.reversed() { foreign.bytes += pair.key.encoded() + pair.value.encoded() }
        #expect(try CBOR.decode(Fast.self, from: foreign.bytes) == fast)
    }

    @Test func `bytes behind the value are refused on the fast path too`() throws {
        let fast = Fast(amount: 1, to: "a", memo: nil, blob: ByteString([]), ratio: 1, flags: [])
        #expect(throws: WireError.self) { try CBOR.decode(Fast.self, from: CBOR.encode(fast) + [0]) }
    }

    @Test func `the order of keys can be asked for`() {
        #expect(CBORWriter.isOrderedKey("b", before: "aa"))
        #expect(!CBORWriter.isOrderedKey("b", before: "a"))
        #expect(!CBORWriter.isOrderedKey("a", before: "a"))
    }
}
