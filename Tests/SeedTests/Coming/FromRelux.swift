import Relux
import ReluxTestKit
import Testing

/// Compiles and runs what `Sources/Relux/Relux.docc/ComingFromRelux.md` says.
@Suite(.timeLimit(.minutes(1))) struct FromRelux {
    enum Effect: Relux.Effect, Equatable { case obtain, boom }
    enum Action: Relux.Action, Equatable { case obtained(Int) }

    actor State: Relux.BusinessState {
        private(set) var number = 0
        func reduce(with action: any Relux.Action) async {
            if case .obtained(let number)? = action as? FromRelux.Action { self.number = number }
        }
        func cleanup() async { number = 0 }
    }

    actor Flow: Relux.Flow {
        func apply(_ effect: any Relux.Effect) async -> Relux.Flow.Result {
            switch effect as? Effect {
            case .obtain:
                await actions { Action.obtained(7) }
                return .success(7, for: "number")
            case .boom: return .failure
            case nil: return .success
            }
        }
    }

    struct Module: Relux.Module {
        let states: [any Relux.AnyState] = [State()]
        let sagas: [any Relux.Saga] = [Flow()]
    }

    @Test func `nodes, dispatches and results have their names`() async {
        let logger = Relux.Testing.Logger()
        let relux = Relux(logger: logger)
        await relux.register(Module())
        await relux.register { Module() }
        let dispatcher = relux.dispatcher
        let result = await dispatcher.actions(.concurrently, actions: { Effect.obtain }, label: "at the start")
        if case .success = result {} else { Issue.record("\(result)") }
        #expect(result.value(Int.self, for: "number") == 7)
        let failed = await dispatcher.action { Effect.boom }
        if case .failure = failed {} else { Issue.record("\(failed)") }
        #expect(failed.failures.map(\.code) == ["failed"])
        #expect(await relux.store.getState(State.self)?.number == 7)
        #expect(Effect.obtain.caseName == "Effect.obtain" && Flow.defaultDispatcher.self is Relux.Dispatcher)
        await relux.store.cleanup(except: [])
        #expect(await relux.store.getState(State.self)?.number == 0)
        let ended = Gate()
        dispatcher.performAsync(withPriority: .high, delay: .milliseconds(1)) { Effect.obtain } completion: { _ in ended.open() } label: { "later" }
        await ended.pass()
        await Relux.Dispatcher(logger: logger).actions { Effect.boom }
        #expect(logger.effects.count == 4)
        await relux.unregister(Module())
    }

    @Test func `mocks and states without a module have theirs`() async {
        let mock = await Relux.Testing.MockModule<Action, Effect, Self>()
        let relux = await Relux().register(mock)
        relux.store.connect(state: State())
        await relux.dispatcher.actions {
            Action.obtained(3)
            Effect.obtain
        }
        #expect(mock.actionsLogger.actions == [.obtained(3)] && mock.effectsLogger.effects == [.obtain])
        #expect(await relux.store.getState(State.self)?.number == 3)
    }
}
