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

    @Test func `nobody is asked whether what was written is meant`() {
        #expect(NearestName.meant("Odd", among: ["Odd"]) == nil)
        #expect(NearestName.meant("Odd", among: ["Odd", "Add"]) == "did you mean 'Add'?")
    }

    @Test(arguments: [
        ("sl", "ls"), ("lod", "load"), ("sned", "send"), ("Auht", "Auth"), ("jsno", "json"), ("x", "X"), ("größe", "grösse"),
        ("supervisor.perod", "supervisor.period"), ("Auth.Bsiness.Effect.login", "Auth.Business.Effect.login"),
    ])
    func `what is near is found`(_ typed: String, _ meant: String) { #expect(NearestName.of(typed, among: [meant]) == meant) }

    @Test(arguments: [
        ("x", "y"), ("x", "ls"), ("up", "ls"), ("sort", "json"), ("count", "color"), ("Auth", "Cart"), ("Sync", "Files"), ("Notes", "Auth"),
        ("supervisor.x", "supervisor.period"), ("bus.color", "bus.patience"), ("Auth.Business.Effect.zebra", "Auth.Business.Effect.login"), ("", "ls"),
        ("ЯЯ", "ls"),
    ])
    func `what is not near is not guessed at`(_ typed: String, _ other: String) { #expect(NearestName.of(typed, among: [other]) == nil) }

    @Test func `of two that are near the nearer is meant, whatever a longer one would allow`() {
        #expect(NearestName.of("lin", among: ["lint-everything", "lint", "line"]) == "lint")
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
