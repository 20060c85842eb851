import ReluxTap
import ReluxWire
import Testing

@Suite struct TapPatternTests {
    struct Match: Sendable {
        let pattern: String
        let topic: Topic
        let caseName: String
        let matches: Bool
        init(_ pattern: String, _ topic: Topic, _ caseName: String, _ matches: Bool) {
            (self.pattern, self.topic, self.caseName, self.matches) = (pattern, topic, caseName, matches)
        }
    }

    @Test(arguments: [
        Match("**", "Auth.Business.Effect", "login", true),
        Match("Auth.**", "Auth.Business.Effect", "login", true),
        Match("Auth.**", "Authority.Business.Effect", "login", false),
        Match("Auth.Business.Effect.login", "Auth.Business.Effect", "login", true),
        Match("Auth.Business.Effect.login", "Auth.Business.Effect", "logout", false),
        Match("Auth.Business.Effect", "Auth.Business.Effect", "login", true),
        Match("Auth.Business.Effect.*", "Auth.Business.Effect", "login", true),
        Match("Auth.Business.Effect.*", "Auth.Business.Effect.Inner", "login", false),
        Match("*.Business.Effect.login", "Auth.Business.Effect", "login", true),
        Match("*.*.*.*", "Auth.Business.Effect", "login", true),
        Match("*.*.*", "Auth.Business.Effect", "login", false),
        Match("Auth.*.Effect.**", "Auth.Business.Effect", "login", true),
        Match("Auth.Opened", "Auth.Opened", "", true),
        Match("**", "~settled.Auth", "", false),
    ])
    func `a pattern matches by segments, the case being the last`(_ match: Match) throws {
        #expect(try TapPattern(match.pattern).matches(match.topic, caseName: match.caseName) == match.matches)
    }

    @Test(arguments: [
        ("**", ""), ("Auth.**", "Auth"), ("Auth.*.Effect.login", "Auth"), ("*.Business", ""),
        ("Auth.Business.Effect.login", "Auth.Business.Effect"), ("Auth.Business.Effect.*", "Auth.Business.Effect"),
    ])
    func `a subscription holds all that the pattern can match`(_ pattern: String, _ prefix: String) throws {
        #expect(try TapPattern(pattern).prefix == prefix)
    }

    @Test(arguments: ["", "Auth.", ".Auth", "Auth..x", "**.Auth", "Au*", "Auth.\u{1b}[2J"])
    func `a pattern that breaks the grammar is refused with a remedy`(_ pattern: String) {
        let error = #expect(throws: TapError.self) { try TapPattern(pattern) }
        #expect(error?.code == .pattern)
        #expect(error?.message.isEmpty == false)
    }
}
