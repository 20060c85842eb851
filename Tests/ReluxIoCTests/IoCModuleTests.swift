import ReluxIoC
import Testing

/// The module template of the modular pattern, with its container.
@Suite struct IoCModuleTests {
    protocol IRouter: Sendable {}
    protocol IState: Sendable {}
    protocol IService: Sendable {}
    protocol ISaga: Actor {}
    struct Router: IRouter {}
    actor State: IState {}
    actor Service: IService {}
    actor Saga: ISaga {
        let svc: any IService
        let router: any IRouter
        init(svc: any IService, router: any IRouter) {
            self.svc = svc
            self.router = router
        }
    }

    @MainActor
    struct Module {
        private let ioc: IoC
        let states: [any IState]
        let sagas: [any ISaga]

        init(router: any IRouter) {
            self.ioc = Self.buildIoC(router: router)
            self.states = [ioc.get(by: (any IState).self)!]
            self.sagas = [ioc.get(by: (any ISaga).self)!]
        }

        private static func buildIoC(router: any IRouter) -> IoC {
            let ioc = IoC(logger: IoC.Logger(enabled: false))
            ioc.register((any IRouter).self, lifecycle: .container) { router }
            ioc.register((any IState).self, lifecycle: .container) { State() }
            ioc.register((any IService).self, lifecycle: .container) { Service() }
            ioc.register((any ISaga).self, lifecycle: .container) {
                Saga(
                    svc: ioc.get(by: (any IService).self)!,
                    router: ioc.get(by: (any IRouter).self)!
                )
            }
            return ioc
        }
    }

    @Test func `a container whose values are built goes with its module, although its factories resolve from it`() {
        weak var container: IoC?
        weak var service: Service?
        do {
            let ioc = IoC()
            ioc.register(Service.self, lifecycle: .container) { Service() }
            ioc.register((any ISaga).self, lifecycle: .container) { Saga(svc: ioc.get(by: Service.self)!, router: Router()) }
            #expect(ioc.get(by: (any ISaga).self) != nil)
            #expect(ioc.get(by: (any ISaga).self) === ioc.get(by: (any ISaga).self))
            container = ioc
            service = ioc.get(by: Service.self)
        }
        #expect(container == nil)
        #expect(service == nil)
    }

    @MainActor
    @Test func `a module builds its container as the pattern shows`() {
        let module = Module(router: Router())
        #expect(module.states.count == 1)
        #expect(module.sagas.first is Saga)
    }
}
