import Relux
import ReluxTestKit
import Testing

/// Compiles and runs what `Sources/Relux/Relux.docc/ComingFromReduxSaga.md` says.
@Suite(.timeLimit(.minutes(1))) struct FromReduxSaga {
    enum Effect: Relux.Effect, Equatable {
        case fetchUser(Int)
        case watch
        case tick(Int)
    }
    enum Action: Relux.Action, Equatable {
        case userFetched(String)
        case fetchFailed
    }

    /// One type in the place of a reducer and its selectors.
    actor Users: Relux.BusinessState {
        private(set) var names: [String] = []
        func reduce(with action: any Relux.Action) async {
            if case .userFetched(let name)? = action as? Action { names.append(name) }
        }
        func cleanup() async { names = [] }
    }

    /// In the place of `takeEvery`: a saga is called for each effect, one beside the other where it awaits.
    actor UserFlow: Relux.Flow {
        private let users: Users
        private let fetch: @Sendable (Int) async throws -> String
        private var latest: Task<String, any Error>?

        init(_ users: Users, fetch: @escaping @Sendable (Int) async throws -> String) {
            self.users = users
            self.fetch = fetch
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Effect {
            case .fetchUser(let id):
                // takeLatest: what runs is cancelled by the next one.
                latest?.cancel()
                let task = Task { [fetch] in try await fetch(id) }
                latest = task
                do {
                    let name = try await task.value
                    await actions { Action.userFetched(name) }
                    return .success(await users.names.count)
                } catch {
                    await actions { Action.fetchFailed }
                    return .failure(error)
                }
            case .watch:
                performAsync(delay: .milliseconds(1)) { Effect.tick(1) }
                return .success
            case .tick, nil: return .success
            }
        }
    }

    @Test func `what a saga yields, a flow awaits`() async {
        let users = Users()
        let module = Plain(states: [users], sagas: [UserFlow(users) { "user \($0)" }])
        let relux = await Relux().register(module)
        let result = await relux.dispatcher.actions { Effect.fetchUser(7) }
        #expect(result.value(Int.self) == 1)
        #expect(await users.names == ["user 7"])
        let both = await relux.dispatcher.actions(.concurrently) {
            Effect.fetchUser(1)
            Effect.watch
        }
        #expect(both.isSuccess)
    }

    struct Plain: Relux.Module {
        let states: [any Relux.AnyState]
        let sagas: [any Relux.Saga]
    }
}
