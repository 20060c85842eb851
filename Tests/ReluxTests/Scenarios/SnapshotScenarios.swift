import Relux
import ReluxTestKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct SnapshotScenarios {
    let test = TestNode()
    let state = Screen()

    private func seen(by relay: Relux.UI.StateRelay<ScreenSnapshot>) -> Recorder<Int> {
        let recorder = Recorder<Int>()
        relay.observe { recorder.record($0.count) }
        return recorder
    }

    @Test func `Given a late relay, when it joins, then its first value is the current one and the following have no gap`()
        async throws
    {
        state.set(41)
        let relay = Relux.UI.StateRelay(state)
        state.set(42)
        let values = seen(by: relay)
        for n in 43...60 { state.set(n) }
        try await values.wait(count: 20)
        #expect(values.elements == Array(41...60))
        #expect(relay.value == state.current)
    }

    @Test func `Given two equal consecutive states, when published, then relays see one value`() async throws {
        let relay = Relux.UI.StateRelay(state)
        let values = seen(by: relay)
        for n in [1, 1, 1, 2] { state.set(n) }
        try await values.wait(count: 3)
        #expect(values.elements == [0, 1, 2])
    }

    @Test func `Given two relays on one snapshot, when it changes, then both see every change`() async throws {
        let (one, two) = (Relux.UI.StateRelay(state), Relux.UI.StateRelay(state))
        let (first, second) = (seen(by: one), seen(by: two))
        for n in 1...5 { state.set(n) }
        #expect(try await first.wait(count: 6) == Array(0...5))
        #expect(try await second.wait(count: 6) == Array(0...5))
    }

    @Test func `Given the owner dies, when a relay is read, then it returns the last value marked stale`() async throws {
        let relay = Relux.UI.StateRelay(state)
        await test.relux.register([Plain("Screen", states: [state], relays: [relay])])
        await test.dispatcher.actions { Note.noted(9) }
        let values = seen(by: relay)
        try await values.wait(count: values.elements.contains(9) ? 1 : 2)
        #expect(!relay.isStale)
        await test.relux.unregister("Screen")
        #expect(relay.isStale)
        #expect(relay.value.count == 9)
    }

    @Test func `a value that was on its way when the relay was stopped comes too late`() async throws {
        let relay = Relux.UI.StateRelay(state)
        let probe = Relux.UI.StateRelay(state)
        state.set(1)
        try await seen(by: probe).wait(count: 2)
        let values = seen(by: probe)
        state.set(2)
        relay.stop()
        try await values.wait(count: 2)
        #expect(relay.isStale)
        #expect(relay.value.count < 2)
    }

    @Test func `a relay that nobody keeps ends its subscription`() async throws {
        let ended = Signal("the end of the stream")
        let provider = Provider(ended: ended)
        do { _ = Relux.UI.StateRelay(provider) }
        try await ended.wait()
    }

    @Test func `Given a snapshot type nobody provides, when getRelay is asked, then the answer is none, not a crash`() {
        #expect(test.relux.store.getRelay(for: ScreenSnapshot.self) == nil)
    }

    @Test func `a second relay of a snapshot type is refused`() async {
        await test.relux.register([Plain("One", relays: [Relux.UI.StateRelay(state)])])
        await #expect { try await test.relux.add(Plain("Two", relays: [Relux.UI.StateRelay(state)])) } throws: {
            ($0 as? Relux.RegistrationError)?.code == .duplicateRelay
        }
    }
}

@MainActor
private final class Provider: SnapshotProviding {
    let ended: Signal
    init(ended: Signal) { self.ended = ended }
    var current: ScreenSnapshot { ScreenSnapshot(count: 0) }
    var snapshots: AsyncStream<ScreenSnapshot> {
        AsyncStream { continuation in
            continuation.onTermination = { [ended] _ in ended.fire() }
        }
    }
}
