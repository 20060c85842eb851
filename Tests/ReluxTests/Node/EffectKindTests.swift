import ReluxWire
import Testing

@testable import Relux

@Suite struct EffectKindTests {
    private class Notice: Relux.Effect, @unchecked Sendable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    private final class Urgent: Notice, @unchecked Sendable {}

    @Test func `an effect is coded where it lies, a subclass that is said as what it inherits from too`() throws {
        let said: Notice = Urgent("fire")
        let kind = try #require(Relux.EffectKind.of(said))
        let bytes = try kind.encode(said, userInfo: [:])
        #expect(try CBOR.decode(Notice.self, from: bytes).text == "fire")
        #expect(try Relux.EffectKind.of(effect: Work.a).encode(Work.a, userInfo: [:]) == CBOR.encode(Work.a))
    }

    @Test func `a kind is made once, and an action that is no effect has none`() {
        struct Plain: Relux.Action {}
        let kinds = (0..<4).map { $0 % 2 == 0 ? Relux.EffectKind.of(Work.a) : Relux.EffectKind.of(Notice("a")) }
        #expect(kinds[0] != nil && kinds[1] != nil)
        #expect(kinds[0] === kinds[2] && kinds[1] === kinds[3] && kinds[0] !== kinds[1])
        #expect(Relux.EffectKind.of(Plain()) == nil)
    }
}
