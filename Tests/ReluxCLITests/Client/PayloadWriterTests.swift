@testable import ReluxCLI
import ReluxWire
import Testing

@Suite struct PayloadWriterTests {
    private let writer = PayloadWriter { plain throws(CLIError) in [0xee] + plain }

    private func payload(_ effect: String, _ json: String) throws -> CBORValue {
        try CBORValue(
            decoding: writer.payload(of: Demo.catalog.target(effect), from: JSONValue(parsing: json)))
    }

    private func refusal(_ effect: String, _ json: String) throws -> CLIError {
        let fields = try JSONValue(parsing: json)
        let error = #expect(throws: CLIError.self) {
            try writer.payload(of: Demo.catalog.target(effect), from: fields)
        }
        return try #require(error)
    }

    @Test func `a secret is sealed and never in clear`() throws {
        let value = try payload("Auth.Business.Effect.login", #"{"email": "a@b.c", "password": "pa55"}"#)
        let plain = CBORValue.text("pa55").encoded()
        #expect(value["login"]?["email"] == .text("a@b.c"))
        #expect(value["login"]?["password"] == .tagged(SealedBytes.tag, .bytes([0xee] + plain)))
    }

    @Test func `a case without fields is an empty map`() throws {
        #expect(try payload("Auth.Business.Effect.logout", "{}") == .map([.init(.text("logout"), .map([]))]))
    }

    @Test func `an effect that is a struct is its fields`() throws {
        #expect(try payload("Auth.Opened", #"{"tab": "x"}"#) == .map([.init(.text("tab"), .text("x"))]))
    }

    @Test func `nested values follow their shapes`() throws {
        let value = try payload(
            "Auth.Business.Effect.configure",
            #"{"attempts": 3, "ratio": 2, "users": [{"name": "a", "role": "admin", "friends": [{"name": "b", "role": {"guest": {}}}]}]}"#)
        let fields = try #require(value["configure"])
        #expect(fields["ratio"] == .double(2))
        guard case .array(let users)? = fields["users"], case .array(let friends)? = users.first?["friends"] else {
            Issue.record("users are missing")
            return
        }
        #expect(users[0]["role"] == .map([.init(.text("admin"), .map([]))]))
        #expect(friends[0]["role"] == .map([.init(.text("guest"), .map([]))]))
    }

    @Test func `bytes are taken in base64, maps by their keys, and unknown codings as they are`() throws {
        let value = try payload(
            "Auth.Business.Effect.tagged", #"{"_0": true, "data": "AQID", "scores": {"a": 1}, "own": {"x": [1]}}"#)
        let fields = try #require(value["tagged"])
        #expect(fields["data"] == .bytes([1, 2, 3]))
        #expect(fields["scores"]?["a"] == .unsigned(1))
        #expect(fields["own"]?["x"] == .array([.unsigned(1)]))
    }

    @Test func `an optional field may be missing or null`() throws {
        let value = try payload("Auth.Business.Effect.tagged", #"{"_0": false, "data": null}"#)
        #expect(value["tagged"]?["data"] == nil)
    }

    struct Fault: Sendable {
        let effect: String
        let json: String
        let code: String
        let says: String
    }

    @Test(arguments: [
        Fault(
            effect: "Auth.Busines.Effect.login", json: "{}",
            code: "effect.unknownTopic", says: "Auth.Business.Effect.login"),
        Fault(effect: "Auth.Business.Effect.logn", json: "{}", code: "effect.unknownCase", says: "'login'"),
        Fault(
            effect: "Auth.Business.Effect", json: "{}",
            code: "effect.caseMissing", says: "Auth.Business.Effect.logout"),
        Fault(effect: "login", json: "{}", code: "effect.unknownTopic", says: "did you mean 'Auth.Business.Effect.login'?"),
        Fault(effect: "zebra", json: "{}", code: "effect.unknownTopic", says: "relux effect ls"),
        Fault(
            effect: "Auth.Business.Effect.login", json: #"{"emial": "x", "password": "y"}"#,
            code: "effect.unknownField", says: "'email'"),
        Fault(
            effect: "Auth.Business.Effect.login", json: #"{"email": "x"}"#,
            code: "effect.missingField", says: "'password' of type Secret<String>"),
        Fault(
            effect: "Auth.Business.Effect.login", json: #"{"email": null, "password": "y"}"#,
            code: "effect.missingField", says: "'email'"),
        Fault(
            effect: "Auth.Business.Effect.login", json: #"{"email": 7, "password": "y"}"#,
            code: "effect.wrongType", says: "a text, not the number 7"),
        Fault(effect: "Auth.Business.Effect.login", json: "[]", code: "effect.noObject", says: #""email": <String>"#),
        Fault(
            effect: "Auth.Business.Effect.logout", json: #"{"x": 1}"#,
            code: "effect.unknownField", says: "it takes no fields"),
        Fault(
            effect: "Auth.Business.Effect.configure", json: #"{"attempts": 256, "users": []}"#,
            code: "effect.wrongType", says: "from 0 to 255"),
        Fault(
            effect: "Auth.Business.Effect.configure", json: #"{"attempts": 1.5, "users": []}"#,
            code: "effect.wrongType", says: "a whole number"),
        Fault(
            effect: "Auth.Business.Effect.configure", json: #"{"attempts": 1, "users": [{"name": 1, "role": "admin"}]}"#,
            code: "effect.wrongType", says: "'users[0].name'"),
        Fault(
            effect: "Auth.Business.Effect.configure", json: #"{"attempts": 1, "users": [{"name": "a", "role": "admn"}]}"#,
            code: "effect.unknownValue", says: "'admin'"),
        Fault(
            effect: "Auth.Business.Effect.tagged", json: #"{"_0": "yes"}"#,
            code: "effect.wrongType", says: "true or false"),
        Fault(
            effect: "Auth.Business.Effect.tagged", json: #"{"_0": true, "data": "?"}"#,
            code: "effect.wrongType", says: "base64"),
        Fault(
            effect: "Auth.Business.Effect.bounded", json: #"{"list": [1, null, 300]}"#,
            code: "effect.wrongType", says: "'list[2]' of Auth.Business.Effect.bounded takes a whole number from 0 to 255"),
        Fault(
            effect: "Auth.Business.Effect.bounded", json: #"{"map": {"a": [256]}}"#,
            code: "effect.wrongType", says: "from 0 to 255"),
        Fault(
            effect: "Auth.Business.Effect.bounded", json: #"{"pin": -1}"#,
            code: "effect.wrongType", says: "from 0 to 255"),
        Fault(
            effect: "Auth.Business.Effect.chosen", json: #"{"tab": "zwo"}"#,
            code: "effect.unknownValue", says: "'tab' of Auth.Business.Effect.chosen has no value 'zwo'"),
        Fault(effect: "Auth.Business.Effect.chosen", json: #"{"tab": "zwie"}"#, code: "effect.unknownValue", says: "'zwei'"),
        Fault(effect: "Auth.Business.Effect.chosen", json: #"{"level": 99}"#, code: "effect.unknownValue", says: "known are: -3, 100"),
        Fault(
            effect: "Auth.Business.Effect.chosen", json: #"{"tabs": {"two": "one"}}"#,
            code: "effect.unknownValue", says: "'tabs.two'"),
        Fault(
            effect: "Auth.Business.Effect.chosen", json: #"{"tabs": {"one": "two"}}"#,
            code: "effect.unknownValue", says: "'tabs.one'"),
        Fault(
            effect: "Auth.Business.Effect.chosen", json: #"{"hidden": "two"}"#,
            code: "effect.unknownValue", says: "the secret field 'hidden'"),
    ])
    func `what breaks the contract is named with the nearest valid name`(_ fault: Fault) throws {
        let error = try refusal(fault.effect, fault.json)
        #expect(error.code == fault.code)
        #expect(error.status == (["effect.unknownTopic", "effect.unknownCase"].contains(fault.code) ? .notFound : .usage))
        #expect(error.description.contains(fault.says), "\(error)")
    }

    @Test func `raw values of an enum are taken as what they are`() throws {
        let value = try payload(
            "Auth.Business.Effect.chosen", #"{"tab": "zwei", "level": -3, "tabs": {"one": "zwei"}, "hidden": "one"}"#)
        #expect(value["chosen"]?["tab"] == .text("zwei"))
        #expect(value["chosen"]?["level"] == CBORValue(.integer(-3)))
        #expect(value["chosen"]?["tabs"]?["one"] == .text("zwei"))
    }

    @Test func `a secret that is none of the values is not repeated in the message`() throws {
        let error = try refusal("Auth.Business.Effect.chosen", #"{"hidden": "tow-or-three"}"#)
        #expect(!error.description.contains("tow"))
    }

    @Test func `a secret of the wrong type is not repeated in the message`() throws {
        let error = try refusal("Auth.Business.Effect.login", #"{"email": "x", "password": 90210}"#)
        #expect(!error.description.contains("90210"))
    }
}
