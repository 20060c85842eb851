// Seed 0, "Registration Order", with the app's container that it takes for granted. Edit: the arguments of `Relux.init(...)`,
// which the seed elides, and only those modules that the seeds print.
import Relux
import ReluxIoC

enum Navigation {
    struct Module: Relux.Module {
        let states: [any Relux.AnyState] = [AppRouter.State()]
        let sagas: [any Relux.Saga] = []
    }
}

/// The app's composition root.
@MainActor
struct App {
    private let ioc = IoC(logger: IoC.Logger(enabled: false))

    init() {
        ioc.register(Navigation.Module.self, lifecycle: .container) { Navigation.Module() }
        ioc.register(SessionOrchestration.Module.self, lifecycle: .container) { SessionOrchestration.Module() }
        ioc.register(Notes.Module.self, lifecycle: .container) { await Notes.Module(router: NotesRouterAdapter()) }
    }

    func resolve<T: Sendable>(_ type: T.Type) -> T { ioc.get(by: type)! }
    func resolveAsync<T: Sendable>(_ type: T.Type) async -> T { await ioc.getAsync(by: type)! }

    func start(logger: any Relux.Logger) async -> Relux {
        await Relux.init(logger: logger)
            .register { @MainActor in
                // 1. Infrastructure
                resolve(Navigation.Module.self)

                // 2. Domains
                await resolveAsync(Notes.Module.self)

                // 3. Orchestrators (last)
                resolve(SessionOrchestration.Module.self)
            }
    }
}
