import Relux
@testable import ReluxBus
import Synchronization
import Testing

@Suite(.serialized) struct ConformanceTests {
    private typealias Effect = Shop.Business.Effect
    private let topic = Shop.Business.Effect.wireTopic
    private let tea = Shop.Business.Effect.buy(item: "tea", count: 21)

    @Test(arguments: Medium.allCases)
    func `an awaited effect brings its value back`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2")
        try world.join("Shop", on: "h1", handles: [topic]) { effect in
            if case .buy(_, let count) = effect { return .success(count * 2) }
            return .success
        }
        let buyer = try world.join("Buyer", on: "h2", emits: [topic])
        world.publish()
        let result = await buyer.dispatcher.actions { tea }
        #expect(result.value(Int.self, from: "Shop") == 42)
    }

    @Test(arguments: Medium.allCases)
    func `a failure keeps the successes beside it`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        for name in ["h1", "h2", "h3"] { try world.start(name) }
        try world.join("Shop", on: "h1", handles: [topic]) { _ in .success(1) }
        try world.join("Till", on: "h2", handles: [topic]) { _ in
            .failure(Relux.Failure(domain: "till", code: "empty", message: "no change left"))
        }
        let buyer = try world.join("Buyer", on: "h3", emits: [topic])
        world.publish()
        let result = await buyer.dispatcher.actions { tea }
        #expect(result.isFailure)
        #expect(result.value(Int.self, from: "Shop") == 1)
        #expect(result.failures.map(\.code) == ["empty"])
    }

    @Test(arguments: Medium.allCases)
    func `an effect without recipients is a success that says so`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        let buyer = try world.join("Buyer", on: "h1", emits: [topic])
        world.publish()
        let result = await buyer.dispatcher.actions { tea }
        #expect(result.isSuccess && result.isUnhandled)
    }

    @Test(arguments: Medium.allCases)
    func `an effect whose type the recipient did not bring is settled as failed`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2")
        try world.join("Shop", on: "h1", handles: [topic], types: []) { _ in .success }
        let buyer = try world.join("Buyer", on: "h2", emits: [topic])
        world.publish()
        let result = await buyer.dispatcher.actions { tea }
        #expect(result.failures.map(\.code) == ["coding"])
    }

    @Test(arguments: Medium.allCases)
    func `what pends on a recipient that is removed is lost, by name`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2")
        let begun = Gate()
        try world.join("Shop", on: "h1", handles: [topic]) { _ in
            begun.open()
            try? await Task.sleep(for: .seconds(3600))
            return .success
        }
        let buyer = try world.join("Buyer", on: "h2", emits: [topic])
        world.publish()
        async let result = buyer.dispatcher.actions { tea }
        await begun.pass()
        world.remove("Shop")
        let outcome = await result
        #expect(outcome.outcomes.map(\.status) == [.lost])
        #expect(outcome.outcomes.map(\.recipient.module) == ["Shop"])
    }

    @Test(arguments: Medium.allCases)
    func `the deadline names who has not answered`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        for name in ["h1", "h2", "h3"] { try world.start(name) }
        try world.join("Shop", on: "h1", handles: [topic]) { _ in .success(1) }
        try world.join("Till", on: "h2", handles: [topic]) { _ in
            try? await Task.sleep(for: .seconds(3600))
            return .success
        }
        let buyer = try world.join("Buyer", on: "h3", emits: [topic], deadline: .milliseconds(700))
        world.publish()
        let result = await buyer.dispatcher.actions { tea }
        #expect(result.unanswered == ["Till"])
    }

    @Test(arguments: Medium.allCases)
    func `recipients are those of the moment when the effect was accepted`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        for name in ["h1", "h2", "h3"] { try world.start(name) }
        let (begun, mayEnd) = (Gate(), Gate())
        try world.join("Shop", on: "h1", handles: [topic]) { _ in
            begun.open()
            await mayEnd.pass()
            return .success
        }
        let buyer = try world.join("Buyer", on: "h2", emits: [topic])
        world.publish()
        async let first = buyer.dispatcher.actions { tea }
        await begun.pass()
        try world.join("Late", on: "h3", handles: [topic]) { _ in .success }
        world.publish()
        mayEnd.open()
        #expect(await first.outcomes.map(\.recipient.module) == ["Shop"])
        let second = await buyer.dispatcher.actions { tea }
        #expect(Set(second.outcomes.map(\.recipient.module)) == ["Shop", "Late"])
    }

    @Test(arguments: Medium.allCases)
    func `what was said for a module before it came into the speaker's own process reaches it, in order and once`(
        _ medium: Medium
    ) async throws {
        let world = try World(medium)
        defer { world.stop() }
        let host = try world.start("h1")
        let buyer = try world.join("Buyer", on: "h1", emits: [topic])
        world.declare("Late", handles: [topic])
        world.publish()
        let seen = Mutex<[Int]>([])
        var early: [Task<Bool, Never>] = []
        for count in 1...20 {
            early.append(Task { await buyer.dispatcher.actions { Effect.buy(item: "tea", count: count) }.isSuccess })
            while host.exchange.counters()["Buyer"]!.emitted < count { await Task.yield() }
        }
        try world.join("Late", on: "h1", handles: [topic], isSerial: true) { effect in
            if case .buy(_, let count) = effect { seen.withLock { $0.append(count) } }
            return .success
        }
        world.publish()
        for task in early { #expect(await task.value) }
        #expect(await buyer.dispatcher.actions { Effect.buy(item: "tea", count: 21) }.isSuccess)
        #expect(seen.withLock { $0 } == Array(1...21))
        while !host.endpoint.core.withLock({ $0.isSettled("Buyer") && $0.unsettledBytes.isEmpty }) { await Task.yield() }
    }

    @Test(arguments: Medium.allCases, [false, true])
    func `two modules that hear each other boot in either order`(_ medium: Medium, _ isReversed: Bool) async throws {
        let world = try World(medium)
        defer { world.stop() }
        let names = isReversed ? ["h2", "h1"] : ["h1", "h2"]
        var nodes: [String: Relux] = [:]
        for name in names {
            try world.start(name)
            nodes[name] = try world.join(name == "h1" ? "Left" : "Right", on: name, handles: [topic], emits: [topic]) { effect in
                if case .buy(_, let count) = effect { return .success(count + 1) }
                return .success
            }
            world.publish()
        }
        for _ in 0..<10 {
            let left = await nodes["h1"]!.dispatcher.actions { tea }
            let right = await nodes["h2"]!.dispatcher.actions { tea }
            #expect(left.value(Int.self, from: "Right") == 22 && left.value(Int.self, from: "Left") == 22)
            #expect(right.value(Int.self, from: "Left") == 22)
        }
    }

    @Test(arguments: Medium.allCases)
    func `modules that answer each other for ever stop at the hop limit`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2")
        let answer: @Sendable (Shop.Business.Effect) async -> Relux.ActionResult = { effect in
            await actions { effect }
        }
        try world.join("Left", on: "h1", handles: [topic], emits: [topic], answer)
        let right = try world.join("Right", on: "h2", emits: [topic])
        world.publish()
        let result = await right.dispatcher.actions { tea }
        #expect(result.failures.contains { $0.code == "hops" })
    }

    @Test(arguments: Medium.allCases)
    func `a serial module that would wait for itself is told the cycle`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2")
        try world.join("Serial", on: "h1", handles: [topic], emits: [topic], isSerial: true) { effect in
            await actions { effect }
        }
        let buyer = try world.join("Buyer", on: "h2", emits: [topic])
        world.publish()
        let result = await buyer.dispatcher.actions { tea }
        #expect(result.failures.contains { $0.code == "cycle" })
    }

    @Test(arguments: Medium.allCases)
    func `two hundred awaits there and back, four at a time`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2")
        let left = try world.join("Left", on: "h1", handles: [topic], emits: [topic]) { effect in
            if case .note = effect { return .success(1) }
            return .success
        }
        try world.join("Right", on: "h2", handles: [topic], emits: [topic]) { effect in
            // Half way it asks the one that waits for it.
            if case .buy(_, let count) = effect {
                let back = await actions { Shop.Business.Effect.note("\(count)") }
                return back.value(Int.self, from: "Left") == 1 ? .success(count) : back
            }
            return .success
        }
        world.publish()
        let wrong = await withTaskGroup(of: Bool.self) { group in
            var wrong = 0
            for n in 0..<200 {
                if n >= 4, await group.next() == false { wrong += 1 }
                group.addTask {
                    await left.dispatcher.actions { Shop.Business.Effect.buy(item: "tea", count: n) }
                        .value(Int.self, from: "Right") == n
                }
            }
            for await isRight in group where !isRight { wrong += 1 }
            return wrong
        }
        #expect(wrong == 0)
    }

    @Test(arguments: Medium.allCases)
    func `a late observer gets the current snapshot, equal ones are dropped, a dead owner's is stale`(
        _ medium: Medium
    ) async throws {
        let world = try World(medium)
        defer { world.stop() }
        let owner = try world.start("h1")
        let snapshot: Topic = "Shop.Snapshot"
        owner.endpoint.publish(snapshot: snapshot, of: "Shop", payload: [1])
        try world.join("Shop", on: "h1", provides: [snapshot])
        world.publish()
        owner.endpoint.publish(snapshot: snapshot, of: "Shop", payload: [2])
        let late = try world.start("h2")
        try world.join("Screen", on: "h2", observes: [snapshot])
        world.publish()
        var seen = late.snapshots.makeAsyncIterator()
        #expect(await seen.next()?.payload == [2])
        owner.endpoint.publish(snapshot: snapshot, of: "Shop", payload: [2])
        owner.endpoint.publish(snapshot: snapshot, of: "Shop", payload: [3])
        #expect(await seen.next()?.payload == [3])
        world.publish(without: ["Shop"])
        #expect(await seen.next()?.stale == true)
    }

    @Test func `a frozen subscriber slows nobody else and repairs afterwards`() async throws {
        let world = try World(.inMemory)
        defer { world.stop() }
        for name in ["h1", "h2", "h3"] { try world.start(name) }
        let count = Mutex(0)
        try world.join("Frozen", on: "h1", handles: [topic]) { _ in
            count.withLock { $0 += 1 }
            return .success
        }
        try world.join("Quick", on: "h2", handles: [topic]) { _ in .success(1) }
        let buyer = try world.join("Buyer", on: "h3", emits: [topic])
        world.publish()
        #expect(await buyer.dispatcher.actions { tea }.isSuccess)
        world.hub.freeze("h1")
        let waiting = Task<Bool, Never> {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<2000 { group.addTask { await buyer.dispatcher.actions { tea }.isSuccess } }
                return await group.allSatisfy { $0 }
            }
        }
        // The other one hears all of it meanwhile.
        while world.hosts["h2"]!.exchange.counters()["Quick"]!.handled < 2001 { await Task.yield() }
        #expect(count.withLock { $0 } == 1)
        world.hub.thaw("h1")
        #expect(await waiting.value)
        #expect(count.withLock { $0 } == 2001)
    }

    @Test func `a source waits while the queue is over its limit`() async throws {
        let world = try World(.inMemory)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2", queuedByteLimit: 1000)
        try world.join("Shop", on: "h1", handles: [topic]) { _ in .success(1) }
        let buyer = try world.join("Buyer", on: "h2", emits: [topic])
        world.publish()
        #expect(await buyer.dispatcher.actions { tea }.isSuccess)
        world.hub.freeze("h2")
        let waiting = Task<Bool, Never> {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 { group.addTask { await buyer.dispatcher.actions { tea }.isSuccess } }
                return await group.allSatisfy { $0 }
            }
        }
        let outbox = world.hosts["h2"]!.endpoint
        while outbox.outbox.withLock({ $0.waiting }) < 30 { await Task.yield() }
        world.hub.thaw("h2")
        #expect(await waiting.value)
        #expect(outbox.outbox.withLock { $0.waiting } == 0)
    }

    @Test(arguments: Medium.allCases)
    func `a source is refused when too much is unsettled at a recipient until its deadline`(_ medium: Medium) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try world.start("h1")
        try world.start("h2", unsettledByteLimit: 2000)
        let mayEnd = Gate()
        try world.join("Shop", on: "h1", handles: [topic]) { _ in
            await mayEnd.pass()
            return .success
        }
        let buyer = try world.join("Buyer", on: "h2", emits: [topic], deadline: .milliseconds(600))
        world.publish()
        let results = await withTaskGroup(of: Relux.ActionResult.self) { group in
            for _ in 0..<100 { group.addTask { await buyer.dispatcher.actions { tea } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = await buyer.dispatcher.actions { tea }
        #expect(refused.outcomes.map(\.status) == [.refused])
        #expect(refused.failures.map(\.code) == ["overloaded"])
        #expect(refused.outcomes.map(\.recipient.module) == ["Shop"])
        #expect(!results.contains { $0.isSuccess })
        mayEnd.open()
        while world.hosts["h2"]!.endpoint.outbox.withLock({ !$0.overloaded.isEmpty }) { await Task.yield() }
        #expect(await buyer.dispatcher.actions { tea }.isSuccess)
    }
}
