internal import CheckoutModels
internal import CheckoutReluxInt
internal import CheckoutServiceInt
internal import Relux

extension Checkout.Business {
    protocol IFlow: Relux.Flow {}

    /// Leads each purchase through its phases, and tells others.
    actor Flow: IFlow {
        let svc: any IService
        let router: any IRouter

        init(svc: any IService, router: any IRouter) {
            self.svc = svc
            self.router = router
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard let effect = effect as? Checkout.Business.Effect else { return .success }
            do {
                switch effect {
                case .begin(let order): return .success(try await begin(order))
                case .place(let id, let userId, let receipt): return .success(try await place(id, userId, receipt))
                case .close(let id, let userId, let phase, let reason): return .success(try await close(id, userId, phase, reason))
                case .settle(let id, let userId, let amount): return .success(try await settle(id, userId, amount))
                case .cancel(let id, let userId, let reason): return .success(try await cancel(id, userId, reason))
                case .status(let id): return .success(try await known(id, nil))
                case .setStock(let sku, let quantity): return try await setStock(quantity, of: sku)
                case .begun, .refused, .orderPlaced, .orderFailed, .settled: return .success
                }
            } catch let error as Model.Failure {
                await actions { Checkout.Business.Action.failed(error: error) }
                return .failure(Relux.Failure(domain: "Checkout", code: "\(error.code)", message: error.message))
            } catch {
                // The journal accepts nothing any more; the next life handles the effect again.
                return .failure(error)
            }
        }
    }
}
