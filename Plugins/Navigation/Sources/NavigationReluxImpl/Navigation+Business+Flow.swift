internal import NavigationModels
internal import NavigationReluxInt
internal import NavigationServiceInt
internal import Relux

extension Navigation.Business {
    protocol IFlow: Relux.Flow {}

    /// Finds the page of a link, and says what covers. All else is the reducer's.
    actor Flow: IFlow {
        private let svc: any IService
        private let state: any IState

        init(svc: any IService, state: any IState) {
            self.svc = svc
            self.state = state
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Navigation.Business.Effect {
            case .open(let link): await open(link)
            case .covers: .success(await state.covers)
            case .set, .push, .pop, .cover, .uncover, nil: .success
            }
        }

        private func open(_ link: String) async -> Relux.ActionResult {
            do {
                let page = try await svc.page(at: link)
                return await actions { Navigation.Business.Effect.push(page: page) }
            } catch {
                return .failure(Relux.Failure(domain: "Navigation", code: "\(error.code)", message: error.message))
            }
        }
    }
}
