@testable import ReluxOutput
import Testing

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("logn", "login"), ("LOGOUT", "logout"), ("ligon", "login"), ("userid", "userId"),
        ("Auth.Busines.Effect.login", "Auth.Business.Effect.login"),
    ])
    func `a slip of the finger finds the name that was meant`(_ typed: String, _ meant: String) {
        let names = ["login", "logout", "userId", "Auth.Business.Effect.login", "Notes.Business.Effect.search"]
        #expect(NearestName.of(typed, among: names) == meant)
    }

    @Test func `a word that is near to nothing finds nothing`() {
        #expect(NearestName.of("zebra", among: ["login", "logout"]) == nil)
        #expect(NearestName.of("x", among: []) == nil)
        #expect(NearestName.hint("zebra", among: ["login", "logout"]) == "known are: login, logout")
    }

    @Test func `a swap of neighbours is one edit`() {
        #expect(NearestName.distance("login", "lgoin") == 1)
        #expect(NearestName.distance("", "abc") == 3)
        #expect(NearestName.distance("same", "same") == 0)
    }
}
