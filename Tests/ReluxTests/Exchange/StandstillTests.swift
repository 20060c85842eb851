import ReluxTestKit
import Testing

@testable import Relux

private enum Passing: Relux.Effect {
    case by
    static var wireDurability: Relux.Durability { .transient }
}

/// The end of a process in which handlers wait for modules that have no process any more, as when the whole cluster goes down.
@Suite(.timeLimit(.minutes(1))) struct StandstillTests {
    private let uplink = RecordingUplink()
    private let clock = ManualClock()
    private let exchange: Relux.Exchange
    /// Modules that have left, and whether all was finished.
    private let left = Recorder<(module: ModuleID, isDone: Bool)>()

    init() { exchange = Relux.Exchange(clock: clock.nodeClock, uplink: uplink) }

    private func node(
        _ module: MockModule<Never>, handles: Set<Topic> = ["Work"], emits: Set<Topic> = ["Reply"], isSerial: Bool = false
    ) throws -> Relux {
        let node = Relux.clusterNode(for: module.moduleID, on: exchange, clock: clock.nodeClock)
        try node.join(module, position: 1 << 40, handles: handles, emits: emits, isSerial: isSerial)
        node.openModule()
        return node
    }

    /// Its handlers ask a module of another process, once they are let through.
    private func asker(behind gate: Gate? = nil) throws -> Relux {
        try node(
            MockModule("M") { _ in
                await gate?.pass()
                return await actions { Reply.ping(1) }
            })
    }

    /// Its handlers ask `M`.
    private func neighbour() throws -> Relux { try node(MockModule("N") { _ in await actions { Work.a } }, handles: ["Reply"], emits: ["Work"]) }

    private func setFar(isAbsent: Bool) {
        let recipients: [Topic: [ModuleID]] = ["Reply": ["Far"], Passing.wireTopic: ["Far"], "Work": ["M"]]
        exchange.setMembership(version: isAbsent ? 2 : 1, recipients: recipients, withoutProcess: isAbsent ? ["Far"] : [])
    }

    private func deliver(_ effect: some Relux.Effect, to module: ModuleID, as said: Relux.Emission? = nil, position: UInt64 = 1) throws {
        exchange.deliver(
            Relux.Delivery(
                id: said?.id ?? EffectID(module: "Other", position: position), topic: type(of: effect).wireTopic,
                content: .encoded(try CBOR.encode(effect)[...], as: type(of: effect)), ancestry: said?.ancestry ?? [],
                awaitDepth: said?.awaitDepth ?? 0, deadline: nil), to: module)
    }

    /// A handler of `N` that waits for one of `M`, which waits for `Far`.
    private func startChain() async throws {
        try deliver(Reply.ping(1), to: "N")
        try deliver(Work.a, to: "M", as: try await uplink.appended.wait(count: 1)[0])
        _ = try await uplink.appended.wait(count: 2)
    }

    private func leave(_ node: Relux) {
        Task { left.record((node.name, await node.leave(within: .seconds(5), yields: true))) }
    }
    private func waitsForDrain(_ count: Int = 1) async throws { try await clock.waitForSleepers(count, dueWithin: .seconds(5)) }

    @Test func `who waits for a module that loses its process, itself or through a neighbour, is not waited for`() async throws {
        let (asker, neighbour) = (try asker(), try neighbour())
        setFar(isAbsent: false)
        try await startChain()
        exchange.end()
        leave(asker)
        leave(neighbour)
        try await waitsForDrain(2)
        setFar(isAbsent: true)
        #expect(try await left.wait(count: 2).allSatisfy { !$0.isDone })
        #expect(uplink.settlements.elements.isEmpty)
    }

    @Test func `a neighbour that leaves when the one between has left already is not waited for either`() async throws {
        let (asker, neighbour) = (try asker(), try neighbour())
        setFar(isAbsent: true)
        try await startChain()
        exchange.end()
        leave(asker)
        _ = try await left.wait(count: 1)
        leave(neighbour)
        #expect(try await left.wait(count: 2).map(\.module) == ["M", "N"])
    }

    @Test func `so is who waits behind a serial module's handler that does`() async throws {
        let serial = try node(MockModule("M") { _ in await actions { Reply.ping(1) } }, isSerial: true)
        let neighbour = try neighbour()
        setFar(isAbsent: true)
        try deliver(Work.b, to: "M", position: 2)
        _ = try await uplink.appended.wait(count: 1)
        try deliver(Reply.ping(1), to: "N")
        let asked = try await uplink.appended.wait(count: 2)[1]
        exchange.end()
        leave(serial)
        leave(neighbour)
        // The effect that it asks for is on its way.
        try await waitsForDrain(2)
        #expect(left.elements.isEmpty)
        try deliver(Work.a, to: "M", as: asked)
        #expect(try await left.wait(count: 2).allSatisfy { !$0.isDone })
    }

    @Test func `who can still end is waited for`() async throws {
        let gate = Gate()
        let module = try node(
            MockModule("M") { effect in
                if effect as? Work == .a { return await actions { Reply.ping(1) } }
                await gate.pass()
                return .success
            })
        setFar(isAbsent: true)
        try deliver(Work.a, to: "M")
        _ = try await uplink.appended.wait(count: 1)
        try deliver(Work.b, to: "M", position: 2)
        try await gate.waitForArrivals(1)
        exchange.end()
        leave(module)
        try await waitsForDrain()
        gate.open()
        #expect(try await left.wait(count: 1).allSatisfy { !$0.isDone })
        #expect(uplink.settlements.elements.count == 1)
    }

    @Test func `what is transient is lost with the process that would handle it, and who waits for it goes on`() async throws {
        let module = try node(MockModule("M") { _ in await actions { Passing.by } }, emits: [Passing.wireTopic])
        setFar(isAbsent: true)
        try deliver(Work.a, to: "M")
        let said = try await uplink.appended.wait(count: 1)[0]
        exchange.end()
        leave(module)
        try await waitsForDrain()
        exchange.settle(said.id, by: "Far", with: .success)
        #expect(try await left.wait(count: 1).allSatisfy { $0.isDone })
        #expect(uplink.settlements.elements.count == 1)
    }

    @Test func `whoever asks such a module while the process ends lets it go on ending`() async throws {
        let gate = Gate()
        let asker = try asker(behind: gate)
        setFar(isAbsent: true)
        try deliver(Work.a, to: "M")
        try await gate.waitForArrivals(1)
        exchange.end()
        leave(asker)
        try await waitsForDrain()
        gate.open()
        #expect(try await left.wait(count: 1).allSatisfy { !$0.isDone })
        #expect(uplink.appended.elements.count == 1)
    }

    @Test func `a module that leaves while its process goes on has its whole time`() async throws {
        let asker = try asker()
        setFar(isAbsent: true)
        try deliver(Work.a, to: "M")
        let question = try await uplink.appended.wait(count: 1)[0]
        leave(asker)
        try await waitsForDrain()
        exchange.settle(question.id, by: "Far", with: .success)
        #expect(try await left.wait(count: 1).allSatisfy { $0.isDone })
        #expect(uplink.settlements.elements.count == 1)
    }
}
