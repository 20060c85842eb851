import ReluxWire
import Testing

@Suite struct NameTests {
    @Test(arguments: ["Auth", "a", "Session-Orchestration", "a.b_c.9", String(repeating: "x", count: 64)])
    func `a module id of allowed characters is taken`(text: String) throws {
        #expect(try ModuleID(text).rawValue == text)
        #expect(try CBOR.decode(ModuleID.self, from: CBOR.encode(ModuleID(text))) == ModuleID(rawValue: text))
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a b", "ä", "a\u{0}", "a#1", "~a", "*", String(repeating: "x", count: 65)])
    func `any other module id is refused`(text: String) {
        #expect(ModuleID(rawValue: text) == nil)
        let failure = #expect(throws: WireError.self) { try ModuleID(text) }
        #expect(failure?.code == .invalidName)
        #expect(throws: WireError.self) { try CBOR.decode(ModuleID.self, from: CBOR.encode(text)) }
    }

    @Test func `only a leading tilde makes a topic a reserved one`() throws {
        #expect(!Topic("Auth.Business.Effect").isReserved)
        #expect(Topic("~head").isReserved)
        for text in ["", "~", "a~b", "~a.", "a.~b", "a.*", String(repeating: "x", count: 201)] {
            #expect(Topic(rawValue: text) == nil, "\(text)")
        }
    }

    @Test func `a settlement stream names its publisher`() throws {
        let longest = try ModuleID(String(repeating: "x", count: 64))
        #expect(Topic.settlements(of: "Auth").rawValue == "~settled.Auth")
        #expect(try Topic(Topic.settlements(of: longest).rawValue).settledPublisher == longest)
        #expect(Topic("Auth.Effect").settledPublisher == nil)
    }

    @Test func `an effect id is printed and parsed alike`() throws {
        let id = EffectID(module: "Auth", position: 1042)
        #expect(id.description == "Auth#1042")
        #expect(try EffectID(parsing: "Auth#1042") == id)
        #expect(try CBOR.decode(EffectID.self, from: CBOR.encode(id)) == id)
        for text in ["Auth", "Auth#", "#1", "Auth#-1", "Auth#01", "Auth#+1", "Auth#1#2", "Auth#18446744073709551616"] {
            #expect(EffectID(text) == nil, "\(text)")
        }
    }

    @Test func `ids are map keys in CBOR`() throws {
        let table: [ModuleID: Int] = ["Auth": 1, "Notes": 2]
        #expect(try CBORValue(decoding: CBOR.encode(table))["Notes"] == .unsigned(2))
        #expect(try CBOR.decode([ModuleID: Int].self, from: CBOR.encode(table)) == table)
    }
}
