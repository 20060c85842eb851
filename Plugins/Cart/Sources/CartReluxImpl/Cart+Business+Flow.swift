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
            do {
                switch effect {
                case .add(let sku, let quantity): return try await add(sku, quantity)
                case .checkOut(let id): return try await checkOut(id)
                case .remove(let sku): return try await remove(sku)
                case .assign(let userId):
                    try Model.Failure.check(userId: userId)
                    return .success
                case .bought(let id, let userId), .notBought(let id, let userId, _): return await heard(id, userId)
                case .clear, .release, .checkOutRequested, .cartFailed: return .success
                }
            } catch let error as Model.Failure {
                await actions {
                    Cart.Business.Action.failed(error: error)
                    Cart.Business.Effect.cartFailed(error: error)
                }
                return .failure(Relux.Failure(domain: "Cart", code: "\(error.code)", message: error.message))
            } catch {
                // The journal accepts nothing any more; the next life handles the effect again.
                return .failure(error)
            }
        }

        private func add(_ sku: String, _ quantity: Int) async throws(Model.Failure) -> Relux.ActionResult {
            let there = await state.contents.pieces(of: sku)
            guard Model.Line.takes(quantity, to: there) else { throw tooMany(quantity, sku, there) }
            let line = Model.Line(sku: sku, quantity: quantity, unitPrice: try await svc.price(of: sku))
            // Another call may have added pieces while this one asked for the price.
            let ticket = UInt64.random(in: .min ... .max)
            await actions { Cart.Business.Action.added(line: line, ticket: ticket) }
            if let there = await state.refusal(of: ticket) { throw tooMany(quantity, sku, there) }
            return .success(line)
        }

        private func remove(_ sku: String) async throws(Model.Failure) -> Relux.ActionResult {
            let contents = await state.contents
            guard contents.pieces(of: sku) > 0 else {
                let there = contents.lines.isEmpty ? "it is empty" : "it has \(contents.lines.prefix(10).map(\.sku).joined(separator: ", "))"
                throw Model.Failure(code: .unknownArticle, message: "there is no '\(sku.prefix(64))' in the cart; \(there)")
            }
            await actions { Cart.Business.Action.removed(sku: sku) }
            return .success
        }

        /// No failure: an orchestrator repeats an answer when it does not know whether it was heard, and answers for other carts arrive here too.
        private func heard(_ id: String, _ userId: String) async -> Relux.ActionResult {
            if await state.wish(id, of: userId) != nil { return .success }
            return .success("no request '\(id.prefix(64))' of '\(userId.prefix(64))' is known to this cart; nothing has changed")
        }

        private func tooMany(_ quantity: Int, _ sku: String, _ there: Int) -> Model.Failure {
            Model.Failure(
                code: .invalidQuantity,
                message: "\(quantity) more of '\(sku.prefix(64))' with \(there) in the cart; a line has 1 to \(Model.Line.limit)")
        }

        private func checkOut(_ id: String) async throws -> Relux.ActionResult {
            guard (1...Model.Request.idLength).contains(id.utf8.count) else {
                throw Model.Failure(
                    code: .invalidRequest, message: "the id has \(id.utf8.count) bytes; choose one of 1 to \(Model.Request.idLength)")
            }
            // A run after a death asks for the same lines, even if the cart was emptied meanwhile.
            let request = try await once("request") { try await wanted(id) }
            if await state.wish(id, of: request.userId)?.outcome != .bought {
                await actions { Cart.Business.Action.requested(request: request) }
                let result = await actions { Cart.Business.Effect.checkOutRequested(request: request) }
                try await check(request, result)
            }
            return .success(request)
        }

        private func wanted(_ id: String) async throws(Model.Failure) -> Model.Request {
            let contents = await state.contents
            guard let userId = contents.userId else { throw .notAuthenticated }
            if let wish = contents.wish(id, of: userId) { return wish.request }
            guard !contents.lines.isEmpty else { throw Model.Failure(code: .empty, message: "the cart is empty; add something first") }
            return Model.Request(id: id, userId: userId, lines: contents.lines)
        }

        /// The answer to the request so far; an orchestrator gives it to the cart by an effect of its own.
        private func check(_ request: Model.Request, _ result: Relux.ActionResult) async throws(Model.Failure) {
            let id = request.id
            switch await state.wish(id, of: request.userId)?.outcome {
            case .bought: return
            case .notBought(let reason):
                throw Model.Failure(code: .notBought, message: "request \(id) was not carried out: \(reason); the cart is as it was")
            case .open:
                guard let failure = result.failures.first else { return }
                throw undecided(id, failure.message)
            case nil: throw undecided(id, result.failures.first?.message ?? "the cart is another's by now, or has forgotten it")
            }
        }

        private func undecided(_ id: String, _ why: String) -> Model.Failure {
            Model.Failure(code: .undecided, message: "it is not known yet what becomes of request \(id) (\(why)); ask again with the same id")
        }
    }
}
