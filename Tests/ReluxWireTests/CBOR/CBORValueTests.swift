import ReluxWire
import Testing

@Suite struct CBORValueTests {
    @Test(arguments: [
        (SampleEffect.logout, "logout"),
        (.authSucceeded(userId: "u1"), "authSucceeded(userId: \"u1\")"),
        (.rename("a\"b\u{1b}", to: "b"), "rename(\"a\\\"b\\u{1b}\", to: \"b\")"),
        (
            .transfer(amount: -5, to: String(repeating: "x", count: 20), token: SealedBytes([1]), blob: ByteString([1, 2, 3])),
            "transfer(to: \"xxxxxxxx…\", blob: <3 bytes>, token: •••, amount: -5)"
        ),
    ])
    func `an effect reads the way that Swift would write it`(effect: SampleEffect, text: String) throws {
        #expect(try CBORValue(decoding: CBOR.encode(effect)).swiftDescription(textLimit: 8) == text)
    }

    @Test func `the case of an encoded enum is found without decoding it`() throws {
        for (effect, name) in [(SampleEffect.logout, "logout"), (.authSucceeded(userId: "u"), "authSucceeded")] {
            #expect(CBOR.caseName(of: try CBOR.encode(effect)) == name)
        }
        #expect(CBOR.caseName(of: try CBOR.encode("red")) == "red")
        for other in ["", "00", "a1", "a0", "a1 01 02", "a1 65 61", "78", "80"] {
            #expect(CBOR.caseName(of: Hex.bytes(other)) == nil, "\(other)")
        }
    }

    @Test func `structs, dictionaries and collections read like literals`() throws {
        struct Sample: Codable { var a = 1, b = "x", c = [1.5, 2], d = ["my key": true], e = Float(0.5) }
        #expect(
            try CBORValue(decoding: CBOR.encode(Sample())).swiftDescription()
                == "(a: 1, b: \"x\", c: [1.5, 2.0], d: [\"my key\": true], e: 0.5)")
    }

    @Test func `encoding sorts keys and lets the later of two win`() {
        let map = CBORValue.map([.init(.text("b"), .null), .init(.text("a"), .bool(true)), .init(.text("b"), .unsigned(1))])
        #expect(Hex.text(map.encoded()) == "a2 61 61 f5 61 62 01")
    }
}
