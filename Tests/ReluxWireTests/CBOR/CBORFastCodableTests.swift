import ReluxTestKit
import ReluxWire
import Testing

/// The type that generated code would extend; ``Fast`` is the same with such code.
private struct Plain: Codable {
    var amount: Int, to: String, memo: String?, blob: ByteString, ratio: Double, flags: [Bool], table: [String: Int8]
}

private struct Fast: CBORFastCodable, Equatable {
    var amount: Int, to: String, memo: String?, blob: ByteString, ratio: Double, flags: [Bool], table: [String: Int8]

    func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 6 + (memo == nil ? 0 : 1))
        writer.key("to")
        writer.text(to)
        writer.key("blob")
        writer.byteString(blob.bytes)
        if let memo {
            writer.key("memo")
            writer.text(memo)
        }
        writer.key("flags")
        try writer.list(flags) { writer, item throws(WireError) in writer.bool(item) }
        writer.key("ratio")
        writer.double(ratio)
        writer.key("table")
        try writer.table(table) { writer, item throws(WireError) in writer.integer(item) }
        writer.key("amount")
        writer.integer(amount)
    }
}

extension Fast {
    init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("to", in: &fields)
        let to = try reader.text()
        try reader.need("blob", in: &fields)
        let blob = ByteString(try reader.byteString())
        let memo = try reader.has("memo", in: &fields) ? reader.text() : nil
        try reader.need("flags", in: &fields)
        let flags = try reader.list { reader throws(WireError) in try reader.bool() }
        try reader.need("ratio", in: &fields)
        let ratio = try reader.double()
        try reader.need("table", in: &fields)
        let table = try reader.table { reader throws(WireError) in try reader.integer(Int8.self) }
        try reader.need("amount", in: &fields)
        let amount = try reader.integer(Int.self)
        try reader.close(&fields)
        self.init(amount: amount, to: to, memo: memo, blob: blob, ratio: ratio, flags: flags, table: table)
    }
}

/// Its `Codable` refuses everything: what comes through has come by the fast way.
private struct OnlyFast: CBORFastCodable, Equatable {
    struct Refusal: Error {}
    var size: Int
    var title: String?

    init(size: Int, title: String?) { (self.size, self.title) = (size, title) }
    init(from decoder: any Decoder) throws { throw Refusal() }
    func encode(to encoder: any Encoder) throws { throw Refusal() }

    func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (title == nil ? 0 : 1))
        writer.key("size")
        writer.integer(size)
        if let title {
            writer.key("title")
            writer.text(title)
        }
    }

    init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("size", in: &fields)
        size = try reader.integer(Int.self)
        title = try reader.has("title", in: &fields) ? reader.text() : nil
        try reader.close(&fields)
    }
}

/// A field of it codes itself, and says what it was given to do so.
private struct Wrapping: CBORFastCodable {
    struct Odd: Codable {
        var depth: Int

        init(depth: Int) { self.depth = depth }
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            depth = 0
            while !container.isAtEnd {
                depth += 1
                container = try container.nestedUnkeyedContainer()
            }
        }
        func encode(to encoder: any Encoder) throws {
            guard encoder.userInfo[.refuses] == nil else { throw OnlyFast.Refusal() }
            var container = encoder.unkeyedContainer()
            for _ in 0..<depth { container = container.nestedUnkeyedContainer() }
        }
    }
    var odd: Odd

    init(_ depth: Int) { odd = Odd(depth: depth) }

    func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1)
        writer.key("odd")
        try writer.codable(odd)
    }

    init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("odd", in: &fields)
        odd = try reader.codable(Odd.self)
        try reader.close(&fields)
    }
}

extension CodingUserInfoKey {
    fileprivate static let refuses = CodingUserInfoKey(rawValue: "refuses")!
}

@Suite struct CBORFastCodableTests {
    private let sample = Fast(amount: 1, to: "a", memo: nil, blob: ByteString([]), ratio: 1, flags: [], table: [:])

    // The generic coder, since the type is not known to have another.
    private func generic(_ value: some Encodable, _ info: [CodingUserInfoKey: any Sendable] = [:]) throws -> [UInt8] {
        try CBOR.encode(value, userInfo: info)
    }

    @Test func `a fast coder writes the bytes of the generic one and reads them`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let pairs = random.list(upTo: 4) { ($0.text(), Int8.random(in: .min ... .max, using: &$0)) }
            let fast = Fast(
                amount: Int(truncatingIfNeeded: random.unsigned()), to: random.text(), memo: seed % 2 == 0 ? random.text() : nil,
                blob: ByteString(random.bytes()), ratio: Double.random(in: -9...9, using: &random),
                flags: random.list(upTo: 5) { Bool.random(using: &$0) }, table: Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
            let plain = Plain(
                amount: fast.amount, to: fast.to, memo: fast.memo, blob: fast.blob, ratio: fast.ratio, flags: fast.flags, table: fast.table)
            let bytes = try CBOR.encode(plain)
            #expect(try CBOR.encode(fast) == bytes)
            #expect(try CBOR.decode(Fast.self, from: bytes) == fast)
        }
    }

    @Test func `a payload that has a coder of its own is never given to Codable, named by its type or not`() throws {
        let value = OnlyFast(size: 7, title: "seven")
        let bytes = try CBOR.encode(value)
        let unnamed: any WireCodable = value
        #expect(try CBOR.encode(unnamed) == bytes)
        let type: any WireCodable.Type = OnlyFast.self
        #expect(try CBOR.decode(type, from: bytes) as? OnlyFast == value)
        #expect(throws: WireError.self) { try generic(value) }
    }

    @Test func `fields that nobody asks for are skipped on the fast path, wherever they come`() throws {
        let known: [(String, CBORValue)] = [("size", .unsigned(7)), ("title", .text("seven"))]
        for unknown in ["", "a", "sizf", "siza", "titlf", "verylong", "verylongindeedlongerthan23bytes"] {
            let inside = CBORValue.array([.map([.init(.text("x"), .null)]), .tagged(1, .double(2)), .bytes([1])])
            let pairs = (known + [(unknown, inside)]).map { CBORValue.Pair(.text($0.0), $0.1) }
            let bytes = CBORValue.map(pairs).encoded()
            #expect(try CBOR.decode(OnlyFast.self, from: bytes) == OnlyFast(size: 7, title: "seven"), "\(unknown)")
        }
        #expect(try CBOR.decode(OnlyFast.self, from: CBORValue.map([.init(.text("size"), .unsigned(7)), .init(.text("title"), .null)]).encoded())
            == OnlyFast(size: 7, title: nil))
    }

    @Test func `keys in another order, or twice, are left to the generic coder, optional ones too`() throws {
        var full = sample
        full.memo = "m"
        guard case .map(let pairs) = try CBORValue(decoding: CBOR.encode(full)) else { return }
        func bytes(_ pairs: [CBORValue.Pair]) -> [UInt8] {
            var foreign = CBORWriter()
            foreign.map(count: pairs.count)
            for pair in pairs { (pair.key.encoded() + pair.value.encoded()).withUnsafeBytes { foreign.append($0) } }
            return foreign.bytes
        }
        for seed in 0..<50 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            #expect(try CBOR.decode(Fast.self, from: bytes(pairs.shuffled(using: &random))) == full)
            let unknown = CBORValue.Pair(.text("zz"), .null)
            #expect(try CBOR.decode(Fast.self, from: bytes((pairs + [unknown]).shuffled(using: &random))) == full)
            let twice = (pairs + [pairs.randomElement(using: &random)!]).shuffled(using: &random)
            #expect(throws: WireError.self) { try CBOR.decode(Fast.self, from: bytes(twice)) }
            #expect(throws: WireError.self) { try CBOR.decode(Fast.self, from: bytes((pairs + [unknown, unknown]).shuffled(using: &random))) }
        }
    }

    @Test func `what is refused is refused in the generic coder's words`() throws {
        let bytes = try CBOR.encode(sample)
        #expect(throws: WireError.self) { try CBOR.decode(Fast.self, from: bytes + [0]) }
        for end in 0..<bytes.count {
            let expected = #expect(throws: WireError.self) { try CBOR.decode(Plain.self, from: Array(bytes[..<end])) }
            let error = #expect(throws: WireError.self) { try CBOR.decode(Fast.self, from: Array(bytes[..<end])) }
            #expect(error?.code == expected?.code)
        }
        let missing = CBORValue.map([.init(.text("to"), .text("a"))]).encoded()
        let error = #expect(throws: WireError.self) { try CBOR.decode(Fast.self, from: missing) }
        #expect(error?.code == .missingField && error?.message.contains("'amount'") == true)
    }

    @Test func `a field that codes itself gets what it needs, as deep as all together may be`() throws {
        for depth in [0, 1, 30, 31, 32, 33, 61, 62] {
            let value = Wrapping(depth)
            let bytes = try CBOR.encode(value)
            #expect(try bytes == generic(value))
            #expect(try CBOR.decode(Wrapping.self, from: bytes).odd.depth == depth)
        }
        let tooDeep = #expect(throws: WireError.self) { try CBOR.encode(Wrapping(63)) }
        #expect(tooDeep?.code == .limitExceeded)
        let refused = #expect(throws: WireError.self) { try CBOR.encode(Wrapping(1), userInfo: [.refuses: true]) }
        #expect(refused?.code == .codableFailed)
    }

    @Test func `the order of keys can be asked for`() {
        #expect(CBORWriter.isOrderedKey("b", before: "aa"))
        #expect(!CBORWriter.isOrderedKey("b", before: "a"))
        #expect(!CBORWriter.isOrderedKey("a", before: "a"))
    }
}
