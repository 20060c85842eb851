import ReluxTestKit
import ReluxWire
import Testing

@Suite struct JSONTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `what is written is read back as it was`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = Self.value(using: &random, depth: 4)
        #expect(try JSONValue(parsing: value.text()) == value)
        #expect(try JSONValue(parsing: value.text(pretty: true)) == value)
        #expect(JSONValue(CBORValue(value)) == value)
    }

    static func value(using random: inout SeededRandom, depth: Int) -> JSONValue {
        switch random.count(upTo: depth > 0 ? 6 : 4) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int128(random.unsigned()) - (Bool.random(using: &random) ? 0 : Int128(UInt64.max)))
        case 3: return .number(Double.random(in: -1e20...1e20, using: &random))
        case 4: return .string(random.text())
        case 5: return .array(random.list(upTo: 4) { value(using: &$0, depth: depth - 1) })
        default:
            let members = random.list(upTo: 4) { JSONValue.Member($0.text(), value(using: &$0, depth: depth - 1)) }
            return .object(members.enumerated().map { .init("\($0)\($1.key)", $1.value) })
        }
    }

    @Test(arguments: [
        ("", "line 1, column 1"), ("[1,]", "line 1, column 4"), ("{\"a\":1,\n \"a\":2}", "line 2, column 2: the member 'a' comes twice"),
        ("{\"e\u{301}\":1, \"\u{e9}\":2}", "comes twice, in two spellings of the same characters"),
        ("01", "line 1, column 1"), ("-", "line 1, column 2"), ("1.", "line 1, column 3"), ("1e400", "does not fit"),
        ("\"ü\" x", "line 1, column 5"), ("\"\\ud800\"", "half a surrogate"), ("\"\\x\"", "unknown escape"), ("\"a", "no end"),
        ("\"\n\"", "control character"), ("tru", "a value is expected"), ("{1:2}", "a member name"), ("[1 2]", "',' or ']'"),
        ("{\"a\" 1}", "':'"), ("nan", "a value"), ("[", "the text ends"),
    ])
    func `bad text is refused with its place`(text: String, message: String) {
        let failure = #expect(throws: WireError.self) { try JSONValue(parsing: text) }
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
    }

    @Test func `nesting is bounded`() {
        let failure = #expect(throws: WireError.self) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
        #expect(failure?.code == .limitExceeded)
    }

    @Test func `escapes are read`() throws {
        #expect(try JSONValue(parsing: #""\u00fc\ud83d\ude42\n\/\"\\""#) == .string("ü🙂\n/\"\\"))
    }

    @Test func `a Codable value is written in its declared order and read back`() throws {
        struct Sample: Codable, Equatable {
            var name = "x", size: Double = 3, blob = ByteString([1, 2, 3, 4]), table = ["b": 1, "a": 2], a: Int? = nil
        }
        let text = try JSON.encode(Sample())
        #expect(text == #"{"name":"x","size":3.0,"blob":"AQIDBA==","table":{"a":2,"b":1}}"#)
        #expect(try JSON.decode(Sample.self, from: text) == Sample())
        #expect(try JSON.decode(Sample.self, from: text.replacing("3.0", with: "3")) == Sample())
    }

    @Test func `a sealed value shows nothing of itself`() throws {
        #expect(try JSON.encode(["token": SealedBytes([1, 2, 3])]) == #"{"token":"•••"}"#)
    }

    @Test func `pretty text is indented by two blanks`() {
        let value: JSONValue = ["a": [1, true], "b": [:], "c": []]
        #expect(
            value.text(pretty: true) == """
                {
                  "a": [
                    1,
                    true
                  ],
                  "b": {},
                  "c": []
                }
                """)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `bytes survive base64`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = ByteString(random.bytes())
        #expect(try JSON.decode([ByteString].self, from: JSON.encode([bytes])) == [bytes])
    }
}
