import ReluxTap
import ReluxWire
import Testing

@Suite struct CausalHoldTests {
    private let start = ContinuousClock.now

    private func effect(_ position: UInt64, of module: ModuleID = "Auth", after ancestry: [EffectID] = [], at offset: UInt64 = 0) -> TapEvent {
        .effect(
            TappedEffect(
                publisher: module, topic: "Auth.Business.Effect", epoch: Epoch(1),
                record: Sample.effect(position, ancestry: ancestry, at: offset)))
    }

    private func settlement(_ position: UInt64, of module: ModuleID = "Auth") -> TapEvent {
        .settlement(
            TappedSettlement(recipient: "Notes", effect: EffectID(module: module, position: position), record: Sample.settled(1, of: position)))
    }

    private let login = EffectID(module: "Cluster", position: 1)

    @Test func `a cause that is heard after its effect is shown before it, also from another module`() {
        var hold = CausalHold()
        hold.add([effect(5, after: [login], at: 5)], at: start, wallMilliseconds: 0)
        hold.add([effect(1, of: "Cluster")], at: start + .milliseconds(20), wallMilliseconds: 0)
        #expect(hold.release(at: start + .milliseconds(49)).isEmpty)
        #expect(hold.release(at: start + CausalHold.moment) == [effect(1, of: "Cluster"), effect(5, after: [login], at: 5)])
        #expect(hold.due == nil)
    }

    @Test func `a clock that was set back does not put an effect before its cause`() {
        var hold = CausalHold()
        let session = EffectID(module: "Session", position: 2)
        let events = [
            effect(3, of: "Notes", after: [login, session], at: 1), effect(2, of: "Session", after: [login], at: 5), effect(1, of: "Cluster", at: 9),
        ]
        hold.add(events, at: start, wallMilliseconds: 0)
        #expect(hold.release(at: start + CausalHold.moment) == events.reversed())
    }

    @Test func `what was said earlier is shown earlier, and what is not due yet waits`() {
        var hold = CausalHold()
        hold.add([effect(2, at: 158)], at: start, wallMilliseconds: 0)
        hold.add([effect(1, at: 153), effect(3, at: 160)], at: start + .milliseconds(30), wallMilliseconds: 0)
        #expect(hold.release(at: start + CausalHold.moment) == [effect(1, at: 153), effect(2, at: 158)])
        #expect(hold.due == start + .milliseconds(80))
        #expect(hold.releaseAll() == [effect(3, at: 160)])
    }

    @Test func `a settlement follows its effect`() {
        var hold = CausalHold()
        hold.add([settlement(7), effect(7, at: 5)], at: start, wallMilliseconds: Sample.noon - 1)
        #expect(hold.releaseAll() == [effect(7, at: 5), settlement(7)])
        // One whose effect was shown before, or never heard, waits for nobody.
        hold.add([settlement(6)], at: start, wallMilliseconds: Sample.noon)
        #expect(hold.release(at: start + CausalHold.moment) == [settlement(6)])
    }

    @Test func `forged ancestries that name each other end all the same`() {
        var hold = CausalHold()
        let (one, two) = (EffectID(module: "Auth", position: 1), EffectID(module: "Auth", position: 2))
        hold.add([effect(1, after: [two]), effect(2, after: [one])], at: start, wallMilliseconds: 0)
        #expect(hold.releaseAll().count == 2)
    }
}
