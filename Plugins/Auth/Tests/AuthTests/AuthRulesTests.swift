import AuthModels
import Testing

@Suite struct AuthRulesTests {
    typealias Rules = Auth.Business.Model.Rules
    typealias Failure = Auth.Business.Model.Failure

    @Test(arguments: ["bob", "Bob.Builder", "b_1-2", "abcdefghijklmnopqrstuvwxyz012345"])
    func `a good name is stored in lower case`(name: String) throws {
        #expect(try Rules.normalised(name: name) == name.lowercased())
    }

    @Test(arguments: [
        ("bo", "2 characters"), ("", "0 characters"), (String(repeating: "a", count: 33), "33 characters"),
        ("1bob", "start with a letter"), ("bob builder", "contains ' '"), ("bob/../x", "contains '/'"), ("böb", "contains 'ö'"),
    ])
    func `a bad name is refused with the rule that it breaks`(name: String, rule: String) {
        let failure = #expect(throws: Failure.self) { try Rules.normalised(name: name) }
        #expect(failure?.code == .invalidName)
        #expect(failure?.message.contains(rule) == true)
    }

    @Test(arguments: ["hunter2", String(repeating: "x", count: 1025)])
    func `a bad password is refused without showing it`(password: String) {
        let failure = #expect(throws: Failure.self) { try Rules.check(password: password) }
        #expect(failure?.code == .invalidPassword)
        #expect(failure?.message.contains(password) == false)
    }
}
