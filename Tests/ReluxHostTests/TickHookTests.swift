import Testing

@testable import ReluxHost

@Suite struct TickHookTests {
    @Test func `after a hundred thousand ticks each is as deep in the stack as the first`() {
        let probe = StackProbe()
        let hook = TickHook()
        hook.attach(probe.note)
        hook.run()
        let first = probe.place
        for _ in 0..<100_000 {
            hook.run()
            // The next ones would overflow the stack, before anything could be told.
            guard probe.place == first else { break }
        }
        #expect(probe.place == first)
    }
}
