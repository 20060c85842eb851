internal import CheckoutModels
internal import CheckoutReluxInt
internal import CheckoutServiceInt
internal import Relux

extension Checkout.Business.Flow {
    typealias Model = Checkout.Business.Model

    func known(_ id: String) async throws(Model.Failure) -> Model.Purchase {
        guard let purchase = try await svc.purchase(id) else {
            throw Model.Failure(code: .unknownOrder, message: "there is no purchase '\(id.prefix(64))'; begin it first")
        }
        return purchase
    }

    /// Begun once. A run that died behind that says again that it has begun, for it is not known who heard it.
    func begin(_ order: Model.Order) async throws(Model.Failure) -> Model.Purchase {
        if let purchase = try await svc.purchase(order.id) {
            guard purchase.order == order else {
                throw Model.Failure(
                    code: .invalidOrder, message: "'\(order.id)' is the id of another purchase already; choose a new one")
            }
            if purchase.phase == .begun { await tell(.begun(orderId: order.id, userId: order.userId, total: order.total)) }
            return try await known(order.id)
        }
        let total = order.lines.reduce(0) { $0 + Int64($1.quantity) * $1.unitPrice }
        guard !order.lines.isEmpty, total == order.total, total > 0 else {
            throw Model.Failure(
                code: .invalidOrder,
                message: "order \(order.id) has \(order.lines.count) lines of \(total) cents and says \(order.total); they must agree,"
                    + " and be more than nothing")
        }
        try await keep(Model.Purchase(order: order))
        await tell(.begun(orderId: order.id, userId: order.userId, total: order.total))
        return try await known(order.id)
    }

    /// Whatever keeps a paid purchase from becoming an order is told, so that the money goes back.
    func place(_ id: String, _ receipt: String) async throws(Model.Failure) -> Model.Purchase {
        let purchase = try await known(id)
        if purchase.phase == .placed, purchase.receipt == receipt { return purchase }
        do throws(Model.Failure) {
            guard let placed = purchase.moved(to: .placed, receipt: receipt) else {
                throw Model.Failure(
                    code: .closed, message: "purchase \(id) is \(purchase.phase.rawValue) and cannot be placed; begin a new one")
            }
            try await svc.place(placed)
            await actions {
                Checkout.Business.Action.changed(purchase: placed)
                Checkout.Business.Effect.orderPlaced(orderId: id)
                router.setCheckoutPage(.confirmation(orderId: id))
            }
            return placed
        } catch {
            if let paid = purchase.moved(to: .refundPending, reason: error.message, receipt: receipt) { try await keep(paid) }
            await tell(.orderFailed(orderId: id, error: error))
            throw error
        }
    }

    /// Going nowhere is no failure: an answer may come twice, and late.
    func close(_ id: String, _ phase: Model.Phase, _ reason: String) async throws(Model.Failure) -> Model.Purchase {
        let purchase = try await known(id)
        guard phase != .placed, phase != .begun else {
            throw Model.Failure(
                code: .invalidOrder, message: "a purchase is not closed as \(phase.rawValue); close it as failed, refunded or refundPending")
        }
        guard let closed = purchase.moved(to: phase, reason: reason) else { return purchase }
        try await keep(closed)
        await actions { router.setCheckoutPage(.refused(orderId: id)) }
        return closed
    }

    func setStock(_ quantity: Int, of sku: String) async throws(Model.Failure) -> Relux.ActionResult {
        guard quantity >= 0, !sku.isEmpty else {
            throw Model.Failure(code: .invalidOrder, message: "a stock of \(quantity) '\(sku.prefix(64))' cannot be; 0 or more of something")
        }
        try await svc.setStock(quantity, of: sku)
        return .success
    }

    private func keep(_ purchase: Model.Purchase) async throws(Model.Failure) {
        try await svc.save(purchase)
        await actions { Checkout.Business.Action.changed(purchase: purchase) }
    }

    private func tell(_ effect: Checkout.Business.Effect) async {
        await actions { effect }
    }
}
