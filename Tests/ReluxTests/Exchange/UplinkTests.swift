import ReluxTestKit
import Testing

@testable import Relux

private enum Login: Relux.Effect, Equatable {
    case login(user: String, password: Secret<String>)
}

private let epoch = UInt64(7) << 40

/// A node of a cluster whose way out is recorded.
@Suite(.timeLimit(.minutes(1))) struct UplinkTests {
    private let uplink = RecordingUplink()
    private let clock = ManualClock()
    private let exchange: Relux.Exchange
    private let node: Relux

    init() {
        exchange = Relux.Exchange(clock: clock.nodeClock, uplink: uplink)
        node = .clusterNode(for: "M", on: exchange, clock: clock.nodeClock, sealer: uplink.sealer)
    }

    private func join(_ module: MockModule<Never>, handles: Set<Topic> = ["Work"], position: UInt64 = epoch) throws {
        try node.join(module, position: position, handles: handles, emits: ["Reply", "Login"], isSerial: false)
    }
    private func delivery(_ bytes: [UInt8], _ position: UInt64 = 1, life: UInt64 = 0) -> Relux.Delivery {
        Relux.Delivery(
            id: EffectID(module: "Far", position: position), topic: "Work", content: .encoded(bytes[...], as: Work.self),
            ancestry: [], awaitDepth: 0, deadline: nil, life: life)
    }

    @Test func `what a module says leaves with id, sequence, case name and recipients, its secrets sealed`() async throws {
        try join(MockModule("M"))
        exchange.setMembership(version: 3, recipients: ["Login": ["Far"]])
        let dispatcher = node.dispatcher
        async let result = dispatcher.actions { Login.login(user: "ann", password: "swordfish") }
        let appended = try await uplink.appended.wait(count: 1)[0]
        #expect(appended.id == EffectID(module: "M", position: epoch + 1))
        #expect(appended.sequence == epoch + 1)
        #expect(appended.caseName == "login")
        #expect(appended.recipients == ["Far"])
        #expect(appended.memberVersion == 3)
        #expect(appended.remaining == .seconds(30))
        #expect(!String(decoding: appended.payload, as: UTF8.self).contains("swordfish"))
        exchange.settle(appended.id, by: "Far", with: .success)
        #expect(await result.isSuccess)
    }

    @Test func `completions of settlements that come together are called in the order of these, one after the other`() async throws {
        try join(MockModule("M"))
        exchange.setMembership(version: 1, recipients: ["Reply": ["Far"]])
        let ended = Recorder<Int>()
        let dispatcher = node.dispatcher
        for n in 1...200 { dispatcher.performAsync(actions: { Reply.ping(n) }, completion: { _ in ended.record(n) }) }
        let said = try await uplink.appended.wait(count: 200)
        var effects = EffectRuns(position: said[0].id.position, sequence: said[0].sequence)
        for effect in said[1..<150] { effects.append(position: effect.id.position, sequence: effect.sequence) }
        let others = said[150...].map { EffectRuns(position: $0.id.position, sequence: $0.sequence) }
        exchange.settle(([effects] + others).map { .init($0, of: "M", by: "Far", .success) })
        #expect(try await ended.wait(count: 200) == Array(1...200))
    }

    @Test func `deliveries that come together are queued in order, each with its recipient, and none for who is not here`() async throws {
        let (module, other) = (MockModule("M"), MockModule("N"))
        try join(module)
        let neighbour = Relux.clusterNode(for: "N", on: exchange, clock: clock.nodeClock)
        try neighbour.join(other, position: epoch, handles: ["Work"], emits: [], isSerial: false)
        node.openModule()
        neighbour.openModule()
        exchange.deliver(
            try (1...40).map { .init(delivery(try CBOR.encode(Work.number($0)), UInt64($0)), to: ["M", "N", "Gone", "M"][$0 % 4]) })
        _ = try await uplink.settlements.wait(count: 30)
        #expect(module.reduced as? [Work] == (1...40).filter { $0 % 4 == 0 || $0 % 4 == 3 }.map { .number($0) })
        #expect(other.reduced as? [Work] == (1...40).filter { $0 % 4 == 1 }.map { .number($0) })
    }

    @Test func `what comes before the module is opened waits, and is handled in order`() async throws {
        let module = MockModule("M")
        try join(module)
        for n in 1...20 { exchange.deliver(delivery(try CBOR.encode(Work.number(n)), UInt64(n)), to: "M") }
        #expect(module.effects.isEmpty)
        node.openModule()
        let settled = try await uplink.settlements.wait(count: 20)
        #expect(module.reduced as? [Work] == (1...20).map { .number($0) })
        #expect(settled.allSatisfy { $0.recipient == "M" && $0.result.isSuccess })
    }

    @Test func `input that cannot be decoded is settled as failed, and what follows is handled`() async throws {
        let module = MockModule("M")
        try join(module)
        node.openModule()
        exchange.deliver(delivery([0xFF, 0x00], 1), to: "M")
        exchange.deliver(delivery([], 2), to: "M")
        exchange.deliver(delivery(try CBOR.encode(Work.a), 3), to: "M")
        let settled = try await uplink.settlements.wait(count: 3)
        #expect(settled.filter { $0.result.codes == ["coding"] }.map(\.id.position).sorted() == [1, 2])
        #expect(module.effects as? [Work] == [.a])
    }

    @Test func `a module that drains finishes what it has, starts nothing that comes later and stays a recipient`() async throws {
        let gate = Gate()
        let module = MockModule("M") { _ in
            await gate.pass()
            return .success
        }
        try join(module)
        let neighbour = Relux.clusterNode(for: "N", on: exchange, clock: clock.nodeClock)
        try neighbour.join(MockModule("N"), position: epoch, handles: [], emits: ["Work"], isSerial: false)
        exchange.setMembership(version: 1, recipients: ["Work": ["M"]])
        node.openModule()
        exchange.deliver(delivery(try CBOR.encode(Work.a), 1), to: "M")
        exchange.deliver(delivery(try CBOR.encode(Work.a), 2), to: "M")
        try await gate.waitForArrivals(1)
        let (exchange, node) = (exchange, node)
        async let isDone = exchange.drain("M", within: .seconds(5))
        try await clock.waitForSleepers(1)
        node.openModule()
        exchange.deliver(delivery(try CBOR.encode(Work.a), 3), to: "M")
        let said = neighbour.dispatcher
        async let awaited = said.actions { Work.a }
        let accepted = try await uplink.appended.wait(count: 1)[0]
        #expect(accepted.recipients == ["M"])
        gate.open()
        #expect(await isDone)
        #expect(uplink.settlements.elements.map(\.id.position).sorted() == [1, 2])
        // Its next instance settles what it has left.
        exchange.settle(accepted.id, by: "M", with: .success(1))
        #expect(await awaited.isSuccess)
    }

    @Test func `a module that yields finishes what has begun and leaves the rest to its next life`() async throws {
        let gate = Gate()
        let module = MockModule("M") { _ in
            await gate.pass()
            return .success
        }
        try node.join(module, position: epoch, handles: ["Work"], emits: [], isSerial: true)
        node.openModule()
        for n in UInt64(1)...3 { exchange.deliver(delivery(try CBOR.encode(Work.a), n), to: "M") }
        try await gate.waitForArrivals(1)
        let node = node
        async let isDone = node.leave(within: .seconds(5), yields: true)
        try await clock.waitForSleepers(1)
        gate.open()
        #expect(await isDone)
        #expect(uplink.settlements.elements.map(\.id.position) == [1])
    }

    @Test func `when the process ends, modules handle what a neighbour's running handler waits for, and go together`() async throws {
        let gate = Gate()
        let asker = MockModule("N") { _ in
            await gate.pass()
            return await actions { Work.a }
        }
        try join(MockModule("M"))
        let neighbour = Relux.clusterNode(for: "N", on: exchange, clock: clock.nodeClock)
        try neighbour.join(asker, position: epoch, handles: ["Reply"], emits: ["Work"], isSerial: false)
        exchange.setMembership(version: 1, recipients: ["Work": ["M"]])
        node.openModule()
        neighbour.openModule()
        let cause = EffectID(module: "Far", position: 1)
        exchange.deliver(
            Relux.Delivery(
                id: cause, topic: "Reply", content: .encoded(try CBOR.encode(Reply.ping(1))[...], as: Reply.self), ancestry: [], awaitDepth: 0,
                deadline: nil), to: "N")
        try await gate.waitForArrivals(1)
        exchange.end()
        let node = node
        async let isDone = node.leave(within: .seconds(5), yields: true)
        async let isNeighbourDone = neighbour.leave(within: .seconds(5), yields: true)
        // Also the one that has nothing to do.
        try await clock.waitForSleepers(2)
        gate.open()
        let asked = try await uplink.appended.wait(count: 1)[0]
        exchange.deliver(delivery(try CBOR.encode(Work.b), 9), to: "M")
        exchange.deliver(
            Relux.Delivery(
                id: asked.id, topic: asked.topic, content: .encoded(asked.payload[...], as: Work.self), ancestry: asked.ancestry,
                awaitDepth: asked.awaitDepth, deadline: nil), to: "M")
        let settled = try await uplink.settlements.wait(count: 1)[0]
        #expect(settled.id == asked.id && settled.recipient == "M")
        exchange.settle(asked.id, by: "M", with: .success)
        #expect(await isDone)
        #expect(await isNeighbourDone)
        #expect(uplink.settlements.elements.map(\.id) == [asked.id, cause])
    }

    @Test func `a module that leaves for good handles all that it has, also when the process ends meanwhile`() async throws {
        let gate = Gate()
        let module = MockModule("M") { _ in
            await gate.pass()
            return .success
        }
        try node.join(module, position: epoch, handles: ["Work"], emits: [], isSerial: true)
        node.openModule()
        for n in UInt64(1)...3 { exchange.deliver(delivery(try CBOR.encode(Work.a), n), to: "M") }
        try await gate.waitForArrivals(1)
        let exchange = exchange
        async let isGone = exchange.drain("M", within: .seconds(5))
        try await clock.waitForSleepers(1)
        exchange.end()
        async let isEnded = exchange.drain("M", within: .seconds(5), yields: true)
        try await clock.waitForSleepers(2)
        gate.open()
        #expect(await isGone)
        #expect(await isEnded)
        #expect(uplink.settlements.elements.map(\.id.position) == [1, 2, 3])
    }

    @Test func `a module that was never opened leaves at once, and what waited for it is not settled`() async throws {
        try join(MockModule("M"))
        exchange.deliver(delivery(try CBOR.encode(Work.a)), to: "M")
        #expect(await node.leave(within: .seconds(5)))
        #expect(uplink.settlements.elements.isEmpty)
    }

    @Test func `what was held back for one life of the module is not handled by the next one`() async throws {
        let module = MockModule("M")
        try join(module)
        node.openModule()
        let late = delivery(try CBOR.encode(Work.number(1)), 1, life: node.lifeNumber)
        let old = delivery(try CBOR.encode(Work.number(1)), 1, life: late.life + 1)
        exchange.deliver(old, to: "M")
        exchange.deliver(late, to: "M")
        exchange.deliver(delivery(try CBOR.encode(Work.number(2)), 2), to: "M")
        #expect(try await uplink.settlements.wait(count: 2).map(\.id.position) == [1, 2])
        #expect(module.effects as? [Work] == [.number(1), .number(2)])
    }

    @Test func `an effect for a module that is not here does no harm`() throws {
        exchange.deliver(delivery(try CBOR.encode(Work.a)), to: "Nobody")
        #expect(uplink.settlements.elements.isEmpty)
    }

    @Test func `a module that joins again in a new epoch starts its streams anew`() async throws {
        for era in 1...2 {
            try join(MockModule("M"), position: epoch * UInt64(era))
            await node.dispatcher.actions { Reply.ping(era) }
            #expect(await node.leave(within: .zero))
        }
        #expect(uplink.appended.elements.map(\.sequence) == [epoch + 1, 2 * epoch + 1])
        #expect(uplink.appended.elements.map(\.id.position) == [epoch + 1, 2 * epoch + 1])
    }

    @Test func `a second module of a name in one process is refused and leaves nothing behind`() throws {
        try join(MockModule("M"))
        let other = Relux.clusterNode(for: "M", on: exchange)
        #expect(throws: Relux.RegistrationError.self) {
            try other.join(Plain("M", states: [Counter()]), position: 0, handles: [], emits: [], isSerial: false)
        }
        #expect(other.store.getState(Counter.self) == nil)
    }

    @Test func `what nobody awaits has its place in the stream when performAsync returns, and its completion gets the result`() async throws {
        try join(MockModule("M"))
        exchange.setMembership(version: 1, recipients: ["Reply": ["Far"]])
        let results = Recorder<Relux.ActionResult>()
        for number in 1...3 { node.dispatcher.performAsync { Reply.ping(number) } completion: { results.record($0) } }
        #expect(uplink.appended.elements.map(\.sequence) == [epoch + 1, epoch + 2, epoch + 3])
        #expect(results.elements.isEmpty)
        for appended in uplink.appended.elements { exchange.settle(appended.id, by: "Far", with: .success) }
        #expect(try await results.wait(count: 3).allSatisfy(\.isSuccess))
    }

    @Test func `what nobody awaits and nobody may say tells its completion why`() async throws {
        try join(MockModule("M"))
        let results = Recorder<Relux.ActionResult>()
        node.dispatcher.performAsync { Work.number(3) } completion: { results.record($0) }
        #expect(try await results.wait(count: 1)[0].codes == ["undeclared"])
        #expect(uplink.appended.elements.isEmpty)
    }

    @Test func `an emission that the declaration does not name leaves nothing on the bus`() async throws {
        try join(MockModule("M"))
        let leased = node.store.connectTemporally(state: Counter())
        #expect(await node.dispatcher.actions { Work.number(3) }.codes == ["undeclared"])
        #expect(await leased.total == 0, "a leased state does not see what was refused")
        #expect(uplink.appended.elements.isEmpty)
    }
}
