import Testing

@testable import ReluxWire

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
        // A tilde and its marks are one character.
        let marks = String(repeating: "\u{301}", count: 5000)
        for text in ["", "~", "a~b", "~a.", "a.~b", "a.*", String(repeating: "x", count: 201), "~\(marks)abc", "~\u{301}abc"] {
            #expect(Topic(rawValue: text) == nil, "\(text)")
        }
    }

    @Test func `a settlement stream names its publisher`() throws {
        let longest = try ModuleID(String(repeating: "x", count: 64))
        #expect(Topic.settlements(of: "Auth").rawValue == "~settled.Auth")
        #expect(try Topic(Topic.settlements(of: longest).rawValue).settledPublisher == longest)
        #expect(Topic("Auth.Effect").settledPublisher == nil)
    }

    @Test func `a snapshot's stream names its type, as long as the prefix leaves room`() throws {
        let longest = try Topic(String(repeating: "x", count: Topic.snapshotByteLimit))
        let stream = try #require(Topic.snapshots(of: longest))
        #expect(stream.rawValue.utf8.count == Topic.byteLimit)
        #expect(try Topic(stream.rawValue).snapshotType == longest)
        #expect(longest.snapshotType == nil)

        let longer = try Topic(String(repeating: "x", count: Topic.snapshotByteLimit + 1))
        #expect(longer.fault(as: .effect) == nil)
        let fault = try #require(longer.fault(as: .snapshot))
        for word in [longer.rawValue, "191 bytes", "limit is 190", "wireTopic"] { #expect(fault.contains(word), "\(fault)") }
        #expect(Topic.snapshots(of: longer) == nil)
        #expect(Topic.snapshots(of: "~head.Auth") == nil)
        #expect(Topic("~head.Auth").fault(as: .effect)?.contains("~head.Auth") == true)
    }

    @Test(arguments: [201, 250, 100_000]) func `what stands for a path that is too long keeps its length and beginning`(count: Int) throws {
        let path = "App.Business.\(String(repeating: "Segment.", count: count / 8))".prefix(count - 6) + "Effect"
        let topic = Topic(standingForPath: String(path))
        #expect(try Topic(topic.rawValue).isReserved)
        for use in [Topic.Use.effect, .snapshot] {
            let fault = try #require(topic.fault(as: use))
            #expect(fault.contains("App.Business.Segment.") && fault.contains("\(count) bytes"), "\(fault)")
        }
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

    @Test func `an effect id is printed by life and position, parsed in both forms, and travels as one number`() throws {
        let id = EffectID(module: "Auth", position: 3 << 40 | 42)
        #expect(id.description == "Auth#3.42" && id.number == "Auth#3298534883370")
        #expect(id.life == 3 && id.positionInLife == 42)
        #expect(try EffectID(parsing: "Auth#3.42") == id)
        #expect(try EffectID(parsing: "Auth#3298534883370") == id)
        #expect(try CBORValue(decoding: CBOR.encode(id)) == .text("Auth#3298534883370"))
        #expect(try JSON.encode(id) == #""Auth#3298534883370""#)
        #expect(try JSON.decode(EffectID.self, from: #""Auth#3.42""#) == id)
        let last = EffectID(module: "A", position: .max)
        #expect(EffectID(last.description) == last && EffectID(last.number) == last)
        for text in [
            "Auth#3.", "Auth#.42", "Auth#03.42", "Auth#3.042", "Auth#3.42.1", "Auth#3,42", "Auth#16777216.1", "Auth#3.1099511627776",
            "Auth#18446744073709551615.1", "Auth#-3.42", "Auth# 3.42",
        ] {
            #expect(EffectID(text) == nil, "\(text)")
        }
        let error = #expect(throws: WireError.self) { try EffectID(parsing: "Auth#03.42") }
        #expect(error?.message.contains("'Auth#03.42'") == true && error?.message.contains("Auth#3.42") == true, "\(error as Any)")
    }

    @Test func `ids are map keys in CBOR`() throws {
        let table: [ModuleID: Int] = ["Auth": 1, "Notes": 2]
        #expect(try CBORValue(decoding: CBOR.encode(table))["Notes"] == .unsigned(2))
        #expect(try CBOR.decode([ModuleID: Int].self, from: CBOR.encode(table)) == table)
    }

    /// A name is kept once for all that may have it; what each of them may be called stays its own rule.
    @Test func `a name that is known as one thing is not taken for another by that`() throws {
        let long = String(repeating: "k", count: 65)
        #expect(try Topic(long).rawValue == long)
        #expect(ModuleID(rawValue: long) == nil)
        #expect(Topic("~known.A").isReserved)
        #expect(ModuleID(rawValue: "~known.A") == nil)
        #expect(ModuleID("Known.A").rawValue == Topic("Known.A").rawValue)
    }

    @Test func `a process that has seen too many names takes no new one, and says what to do`() {
        let (old, new) = ("NameTests.old", "NameTests.new")
        let known = Name.of(old)
        #expect(Name.admitted(old, limit: 0) === known)
        #expect(Name.admitted(new, limit: 0) == nil)
        #expect(Name.known(new) == nil)
        let error = WireError.tooManyNames(new)
        #expect(error.code == .limitExceeded)
        let text = "\(error)"
        for word in [new, "\(Name.limit)", "relux tap", "restart"] { #expect(text.contains(word), "\(text)") }
    }

    @Test func `a name is the same wherever and whenever it was made`() async throws {
        let names = await withTaskGroup(of: ObjectIdentifier?.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let text = "NameTests.shared.\(number % 4)"
                    return number % 2 == 0 ? ModuleID(rawValue: text).map { ObjectIdentifier($0.name) } : ObjectIdentifier(Topic(stringLiteral: text).name)
                }
            }
            return await group.reduce(into: Set<ObjectIdentifier?>()) { $0.insert($1) }
        }
        #expect(names.count == 4 && !names.contains(nil))
        #expect(Topic.settlements(of: "NameTests.shared.0") == Topic("~settled.NameTests.shared.0"))
    }
}
