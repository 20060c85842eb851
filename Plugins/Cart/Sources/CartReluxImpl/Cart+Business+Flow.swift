internal import CartModels
internal import CartReluxInt
internal import CartServiceInt
internal import Relux

extension Cart.Business {
    protocol IFlow: Relux.Flow {}

    /// Prices what is added, and tells others what a user wants to buy.
    actor Flow: IFlow {
        private let svc: any IService
        private let state: any IState

        init(svc: any IService, state: any IState) {
            self.svc = svc
            self.state = state
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard let effect = effect as? Cart.Business.Effect else { return .success }
            do throws(Model.Failure) {
                switch effect {
                case .add(let sku, let quantity): return try await add(sku, quantity)
                case .checkOut(let id): return try await checkOut(id)
                case .remove, .clear, .assign, .release, .checkOutRequested, .cartFailed: return .success
                }
            } catch {
                await actions {
                    Cart.Business.Action.failed(error: error)
                    Cart.Business.Effect.cartFailed(error: error)
                }
                return .failure(Relux.Failure(domain: "Cart", code: "\(error.code)", message: error.message))
            }
        }

        private func add(_ sku: String, _ quantity: Int) async throws(Model.Failure) -> Relux.ActionResult {
            let there = await state.lines.first { $0.sku == sku }?.quantity ?? 0
            guard quantity >= 1, quantity <= Model.Line.limit - there else {
                throw Model.Failure(
                    code: .invalidQuantity,
                    message: "\(quantity) more of '\(sku.prefix(64))' with \(there) in the cart; a line has 1 to \(Model.Line.limit)")
            }
            let line = Model.Line(sku: sku, quantity: quantity, unitPrice: try await svc.price(of: sku))
            await actions { Cart.Business.Action.added(line: line) }
            return .success(line)
        }

        private func checkOut(_ id: String) async throws(Model.Failure) -> Relux.ActionResult {
            guard (1...Model.Request.idLength).contains(id.utf8.count) else {
                throw Model.Failure(
                    code: .invalidRequest, message: "the id has \(id.utf8.count) bytes; choose one of 1 to \(Model.Request.idLength)")
            }
            guard let userId = await state.userId else { throw .notAuthenticated }
            let lines = await state.lines
            guard !lines.isEmpty else { throw Model.Failure(code: .empty, message: "the cart is empty; add something first") }
            let request = Model.Request(id: id, userId: userId, lines: lines)
            await actions { Cart.Business.Effect.checkOutRequested(request: request) }
            return .success(request)
        }
    }
}
