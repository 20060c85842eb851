// Seed 3, "IoC Integration", with Notes for <Domain>. Edit: the container is ReluxIoC, SwiftIoC's place in this project.
import Relux
import ReluxIoC

extension Notes {
    @MainActor
    public struct Module: Relux.Module {
        private let ioc: IoC
        
        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        
        public init(router: Notes.Business.IRouter) {
            self.ioc = Self.buildIoC(router: router)
            
            self.states = [
                ioc.get(by: Notes.Business.IState.self)!
            ]
            self.sagas = [
                ioc.get(by: Notes.Business.ISaga.self)!
            ]
        }
    }
}

extension Notes.Module {
    private static func buildIoC(router: Notes.Business.IRouter) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))
        
        ioc.register(Notes.Business.IRouter.self, lifecycle: .container) { router }
        ioc.register(Notes.Business.IState.self, lifecycle: .container) { Notes.Business.State() }
        ioc.register(Notes.Business.IService.self, lifecycle: .container) { Notes.Business.Service() }
        ioc.register(Notes.Business.ISaga.self, lifecycle: .container) { 
            Notes.Business.Saga(
                svc: ioc.get(by: Notes.Business.IService.self)!,
                router: ioc.get(by: Notes.Business.IRouter.self)!
            )
        }
        
        return ioc
    }
}
