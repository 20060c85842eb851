// Seed 3, `<Domain>ServiceImpl` and `<Domain>ReluxImpl`: what the seed's module template builds and does not print.
import Relux

extension Notes.Business {
    actor Service: IService {
        private var count = 0
        func add() async -> Int {
            count += 1
            return count
        }
    }

    actor State: IState {
        private(set) var count = 0
        func reduce(with action: any Relux.Action) async {
            if case .created(let count)? = action as? Action { self.count = count }
        }
        func cleanup() async { count = 0 }
    }

    actor Saga: ISaga {
        private let svc: IService
        private let router: IRouter
        init(svc: IService, router: IRouter) {
            self.svc = svc
            self.router = router
        }
        func apply(_ effect: any Relux.Effect) async {
            guard case .create? = effect as? Command else { return }
            let count = await svc.add()
            await actions {
                Action.created(count)
                router.setNotesPage(.details(id: count))
                router.pushMain()
            }
        }
    }
}
