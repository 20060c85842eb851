import Relux
import ReluxTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct NodeTests {
    @Test func `several nodes in one process do not hear each other`() async {
        let (one, two) = (TestNode(name: "One"), TestNode(name: "Two"))
        let (first, second) = (MockModule(), MockModule())
        await one.relux.register([first])
        await two.relux.register([second])
        await one.dispatcher.actions { Work.a }
        #expect(first.effects.count == 1)
        #expect(second.effects.isEmpty)
        #expect(two.logger.entries.isEmpty)
    }

    @Test func `a handler of one node that uses another's dispatcher dispatches there`() async {
        let (one, two) = (TestNode(name: "One"), TestNode(name: "Two"))
        let heard = MockModule("Heard")
        await two.relux.register([heard])
        let other = two.relux
        await one.relux.register([MockModule { _ in await other.dispatcher.actions { Reply.ping(1) } }])
        await one.dispatcher.actions { Work.a }
        #expect(heard.effects.count == 1)
        #expect(two.logger.entry(of: Reply.ping(1))?.module == "Two")
    }

    @Test func `a module's dispatcher that was kept before carries the cause inside its handlers`() async {
        let test = TestNode()
        let dispatcher = test.relux.dispatcher(for: "M")
        await test.relux.register([
            MockModule("M", handles: [Work.self]) { _ in await dispatcher.actions { Reply.ping(1) } }
        ])
        await test.dispatcher.actions { Work.a }
        #expect(test.logger.entry(of: Reply.ping(1))?.cause?.description == "Test#1")
        #expect(test.logger.entry(of: Reply.ping(1))?.module == "M")
    }

    @Test func `a node that nobody keeps is gone, with its modules, states and relays`() async throws {
        let node = Signal("the end of the node")
        let module = Signal("the end of the module")
        let relay = Signal("the end of the relay")
        do {
            let relux = Relux(logger: EndOfNode(canary: Canary(node)))
            let saga = EndOfModule(dispatcher: relux.dispatcher(for: "M"), canary: Canary(module))
            let provider = await Provider(ended: relay)
            await relux.register([
                Plain("M", states: [Counter()], sagas: [saga], relays: [await Relux.UI.StateRelay(provider)])
            ])
            await relux.dispatcher.actions(.concurrently) { for n in 0..<100 { Work.number(n) } }
            await relux.register([Plain("Leaves")])
            await relux.unregister("Leaves")
        }
        try await module.wait()
        try await node.wait()
        try await relay.wait()
    }

    @Test func `a state of the same type is refused, and the first keeps working`() async {
        let test = TestNode()
        let first = Counter()
        await test.relux.register([Plain("One", states: [first]), Plain("Two", states: [Counter()])])
        #expect(test.relux.modules == ["One"])
        #expect(test.relux.store.getState(Counter.self) === first)
        #expect(test.logger.refusals.first?.contains("Counter") == true)
    }

    @Test func `a blocked main actor stops no module that does not need it`() async throws {
        let test = TestNode()
        let module = MockModule()
        await test.relux.register([module])
        let dispatcher = test.dispatcher
        let blocked = Signal("the main actor to be held")
        let release = Signal("the dispatch to end")
        let holder = Task { @MainActor in
            blocked.fire()
            while !release.hasFired {}
        }
        try await blocked.wait()
        let result = await Task.detached { await dispatcher.actions { Work.a } }.value
        release.fire()
        await holder.value
        #expect(result.isSuccess)
    }
}

private final class Canary: Sendable {
    private let signal: Signal
    init(_ signal: Signal) { self.signal = signal }
    deinit { signal.fire() }
}

private struct EndOfNode: Relux.Logger {
    let canary: Canary
    func log(_ entry: Relux.LogEntry) {}
}

private actor EndOfModule: Relux.Saga {
    nonisolated let dispatcher: Relux.Dispatcher
    private let canary: Canary
    init(dispatcher: Relux.Dispatcher, canary: Canary) {
        self.dispatcher = dispatcher
        self.canary = canary
    }
    func apply(_ effect: any Relux.Effect) async {
        if case .number(let n)? = effect as? Work { await actions { Note.noted(n) } }
    }
}

@MainActor
private final class Provider: SnapshotProviding {
    let ended: Signal
    init(ended: Signal) { self.ended = ended }
    var current: ScreenSnapshot { ScreenSnapshot(count: 0) }
    var snapshots: AsyncStream<ScreenSnapshot> {
        AsyncStream { continuation in continuation.onTermination = { [ended] _ in ended.fire() } }
    }
}
