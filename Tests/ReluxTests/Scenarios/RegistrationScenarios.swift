import Relux
import ReluxTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RegistrationScenarios {
    let test = TestNode()

    @Test func `Given a module with two dependencies, when registered, then dependencies are ready before it, in declared order`()
        async throws
    {
        try await test.relux.add(Plain("M", dependencies: [Plain("D2", dependencies: [Plain("D1")]), Plain("D3")]))
        #expect(test.relux.modules == ["D1", "D2", "D3", "M"])
    }

    @Test func `Given the same module registered twice, when an effect is sent, then it is handled once`() async throws {
        let module = MockModule()
        try await test.relux.add(module)
        try await test.relux.add(module)
        await test.dispatcher.actions { Work.a }
        #expect(module.effects.count == 1)
        #expect(module.reduced.count == 1)
        await test.relux.unregister(module)
        #expect(test.relux.modules.isEmpty)
    }

    @Test func `Given a second instance with an existing module id, when registered, then it is refused with a reason and the first keeps working`()
        async throws
    {
        let first = MockModule("Same", as: First.self)
        let second = MockModule("Same", as: First.self)
        await test.relux.register([first])
        await #expect { try await test.relux.add(second) } throws: {
            ($0 as? Relux.RegistrationError)?.code == .duplicateModule
        }
        await test.relux.register([second])
        #expect(test.logger.refusals.count == 1)
        await test.dispatcher.actions { Work.a }
        #expect(first.effects.count == 1)
        #expect(second.effects.isEmpty)
    }

    @Test func `Given no logger, a refused registration is a line that names both, and its caller can ask for it`() async throws {
        let lines = Recorder<String>()
        let node = Relux(
            name: "Alone", exchange: Relux.Exchange(say: { lines.record($0) }), logger: nil, clock: .continuous, sealer: nil,
            deadline: .seconds(30), drainLimit: .seconds(5))
        await node.register {
            MockModule("Same", as: First.self)
            Plain("Same")
        }
        #expect(node.modules == ["Same"])
        #expect(lines.elements.count == 1)
        #expect(lines.elements.first?.contains("Same, a Plain, is not registered") == true)
        #expect(lines.elements.first?.contains("another instance, a MockModule<First>") == true)
        #expect(node.refusedRegistrations.map(\.code) == [.duplicateModule])
        for _ in 1...100 { await node.register { Plain("Same") } }
        #expect(node.refusedRegistrations.count == 64)
    }

    @Test func `a module may not take the name of the node`() async {
        await #expect { try await test.relux.add(Plain("Test", states: [Counter()])) } throws: {
            ($0 as? Relux.RegistrationError)?.code == .duplicateModule
        }
        #expect(test.relux.store.getState(Counter.self) == nil)
        #expect(await test.dispatcher.actions { Work.a }.isSuccess)
    }

    @Test func `Given A and B both depending on D, when A is removed, then D stays; when B is removed too, then D is removed`()
        async
    {
        let counter = Counter()
        let d = Plain("D", states: [counter])
        await test.relux.register([Plain("A", dependencies: [d]), Plain("B", dependencies: [d])])
        await test.relux.unregister("A")
        #expect(test.relux.modules == ["D", "B"])
        #expect(await counter.cleanups == 0)
        await test.relux.unregister("B")
        #expect(test.relux.modules.isEmpty)
        #expect(await counter.cleanups == 1)
    }

    @Test func `Given D registered directly and as dependency, when its direct owner leaves, then D stays until the last dependant leaves`()
        async
    {
        let d = Plain("D")
        await test.relux.register([d, Plain("A", dependencies: [d])])
        await test.relux.unregister("D")
        #expect(test.relux.modules == ["D", "A"])
        await test.relux.unregister("A")
        #expect(test.relux.modules.isEmpty)
    }

    @Test func `two modules that each bring their own instance of a dependency share the first`() async throws {
        try await test.relux.add(Plain("A", dependencies: [MockModule("D")]))
        try await test.relux.add(Plain("B", dependencies: [MockModule("D")]))
        #expect(test.relux.modules == ["D", "A", "B"])
    }

    @Test func `Given a dependency cycle, when registering, then it is refused and the cycle is printed`() async {
        await #expect { try await test.relux.add(Looping(step: 0)) } throws: { error in
            guard let error = error as? Relux.RegistrationError else { return false }
            return error.code == .dependencyCycle && error.message.contains("L0 → L1 → L2 → L0")
        }
        #expect(test.relux.modules.isEmpty)
    }

    @Test func `a refused module leaves none of its dependencies behind`() async {
        await test.relux.register([Plain("Taken", states: [Counter()])])
        await test.relux.register([Plain("M", states: [Counter()], dependencies: [Plain("D1"), Plain("D2")])])
        #expect(test.relux.modules == ["Taken"])
        #expect(test.logger.refusals.count == 1)
    }

    @Test func `Given a module with hybrid state and relays, when removed and added again, then it works`() async throws {
        for round in 1...3 {
            let state = await Screen()
            try await test.relux.add(await screenModule(state))
            await test.dispatcher.actions { Note.noted(round) }
            #expect(await test.relux.store.getState(Screen.self)?.count == round)
            #expect(await test.relux.store.getRelay(for: ScreenSnapshot.self) != nil)
            await test.relux.unregister("Screen")
            #expect(test.relux.store.getState(Screen.self) == nil)
            #expect(await test.relux.store.getRelay(for: ScreenSnapshot.self) == nil)
        }
    }

    @Test func `a module that returns counts its effects on, so that no id comes twice`() async {
        let ids = Recorder<EffectID>()
        let listener = MockModule("Listener", as: Second.self, handles: [Reply.self]) { _ in
            if let id = Relux.Scope.current?.handler?.effect { ids.record(id) }
            return .success
        }
        await test.relux.register([listener])
        for _ in 1...3 {
            await test.relux.register([MockModule("M", as: First.self, handles: [Work.self]) { _ in await actions { Reply.ping(1) } }])
            await test.dispatcher.actions { Work.a }
            await test.relux.unregister("M")
        }
        #expect(ids.elements.map(\.position) == [1, 2, 3])
    }

    @Test func `a module whose states are computed properties keeps one set of them`() async throws {
        try await test.relux.add(Computed())
        await test.dispatcher.actions { Work.number(5) }
        #expect(await test.relux.store.getState(Counter.self)?.total == 5)
    }

    @Test func `Given cleanup(except: [Router]), when run, then every other state is reset, Router is not, and the report lists both`()
        async
    {
        let (counter, router) = (Counter(), Router())
        await test.relux.register([Plain("A", states: [counter]), Plain("B", states: [router])])
        let report = await test.relux.store.cleanup(except: [Router.self])
        #expect(report.reset == ["Counter"])
        #expect(report.spared == ["Router"])
        #expect(await counter.cleanups == 1)
        #expect(await router.cleanups == 0)
    }

    @Test func `Given a leased state whose owner lets go of it, when the lease ends, then it leaves routing without any error for dispatchers`()
        async
    {
        var state: Counter? = Counter()
        if let state { test.relux.store.connectTemporally(state: state) }
        await test.dispatcher.actions {
            Note.noted(2)
            Work.number(3)
        }
        #expect(await state?.total == 5)
        state = nil
        let result = await test.dispatcher.actions { Note.noted(1) }
        #expect(result.isSuccess)
        #expect(result.isUnhandled)
    }

    @Test func `a second leased state of a type replaces the first, which reduces no more`() async {
        let (first, second) = (Counter(), Counter())
        test.relux.store.connectTemporally(state: first)
        test.relux.store.connectTemporally(state: second)
        await test.dispatcher.actions { Note.noted(4) }
        #expect(await first.total == 0)
        #expect(await second.total == 4)
    }
}

/// Depends on itself over two others, and makes new modules each time it is asked.
private struct Looping: Relux.Module {
    let step: Int
    var moduleID: ModuleID { ModuleID(rawValue: "L\(step)")! }
    var states: [any Relux.AnyState] { [] }
    var sagas: [any Relux.Saga] { [] }
    var dependencies: [any Relux.Module] { [Looping(step: (step + 1) % 3)] }
}

private struct Computed: Relux.Module {
    var states: [any Relux.AnyState] { [Counter()] }
    var sagas: [any Relux.Saga] { [] }
}

private actor Router: Relux.BusinessState {
    private(set) var cleanups = 0
    func reduce(with action: any Relux.Action) async {}
    func cleanup() async { cleanups += 1 }
}
