internal import CheckoutModels
internal import CheckoutReluxInt
internal import CheckoutServiceInt
internal import Relux

extension Checkout.Business.Flow {
    typealias Model = Checkout.Business.Model

    /// - Parameter userId: nil for any user.
    func known(_ id: String, _ userId: String?) async throws(Model.Failure) -> Model.Purchase {
        guard let purchase = try await svc.purchase(id) else { throw .unknown(id) }
        guard userId.map(purchase.belongs) ?? true else { throw .others(id) }
        return purchase
    }

    /// Begins a purchase once. A caller that asks again, perhaps after a death, is told its phase again, since nobody knows whether it heard.
    func begin(_ order: Model.Order) async throws(Model.Failure) -> Model.Purchase {
        let purchase: Model.Purchase
        do throws(Model.Failure) {
            purchase = try await begun(order)
        } catch {
            throw await refused(order.id, order.userId, error)
        }
        switch purchase.phase {
        case .begun:
            await show(purchase)
            await tell(.begun(orderId: order.id, userId: order.userId, total: order.total))
        case .placed: await tell(.orderPlaced(orderId: order.id, userId: order.userId))
        case .failed, .refunded, .refundPending:
            let why = "purchase \(order.id) is \(purchase.phase.rawValue) (\(purchase.reason)); begin a new one"
            let failure = Model.Failure(code: .closed, message: why)
            // Payment may have forgotten the refund; a repeated request refunds once.
            await tell(
                purchase.phase == .refundPending
                    ? .orderFailed(orderId: order.id, userId: order.userId, error: failure)
                    : .refused(orderId: order.id, userId: order.userId, error: failure))
        }
        // Its present phase, if that can be read.
        return (try? await known(order.id, order.userId)) ?? purchase
    }

    private func begun(_ order: Model.Order) async throws(Model.Failure) -> Model.Purchase {
        try order.checkNames()
        guard let sum = order.sum, sum == order.total, sum > 0 else {
            throw Model.Failure(
                code: .invalidOrder,
                message: "order \(order.id) has \(order.lines.count) lines of \(order.sum.map { "\($0)" } ?? "uncountable") cents and says"
                    + " \(order.total); they must agree, and be more than nothing, of 1 piece or more each")
        }
        let purchase = try await svc.begin(order)
        guard purchase.order == order else {
            throw Model.Failure(
                code: .invalidOrder, message: "'\(order.id)' is the id of another purchase already; choose a new one")
        }
        return purchase
    }

    /// The outcome of a placement, kept before others hear of it: a run after a death does not decide again.
    private struct Verdict: Codable, Sendable {
        var failure: Model.Failure?
    }

    /// If a paid purchase cannot become an order, others are told, so that it is refunded, even if nothing could be written.
    func place(_ id: String, _ userId: String, _ receipt: String) async throws -> Model.Purchase {
        var placed: Model.Purchase?
        let verdict = try await once("verdict") {
            do throws(Model.Failure) {
                placed = try await svc.place(id, of: userId, receipt: receipt)
                return Verdict()
            } catch {
                return Verdict(failure: error)
            }
        }
        if let failure = verdict.failure {
            // The order exists, so its money must stay.
            if failure.code == .otherReceipt { throw failure }
            if failure.code == .otherUser { throw await refused(id, userId, failure) }
            if let waiting = try? await svc.move(id, of: userId, to: .refundPending, reason: failure.message, receipt: receipt) {
                await show(waiting)
            }
            await tell(.orderFailed(orderId: id, userId: userId, error: failure))
            throw failure
        }
        if placed == nil { placed = try? await known(id, userId) }
        await actions {
            if let placed { Checkout.Business.Action.changed(purchase: placed) }
            Checkout.Business.Effect.orderPlaced(orderId: id, userId: userId)
            router.setCheckoutPage(.confirmation(orderId: id))
        }
        guard let placed else { return try await known(id, userId) }
        return placed
    }

    /// Told at each call until it is known to be placed; a repeated request refunds once.
    func cancel(_ id: String, _ userId: String, _ reason: String) async throws(Model.Failure) -> Model.Purchase {
        let failure: Model.Failure
        do throws(Model.Failure) {
            let purchase = try await svc.move(id, of: userId, to: .refundPending, reason: reason, receipt: nil)
            guard purchase.phase != .placed else { return purchase }
            await show(purchase)
            failure = Model.Failure(code: .paymentUnclear, message: reason)
        } catch {
            guard error.code != .otherUser else { throw await refused(id, userId, error) }
            failure = error
        }
        await tell(.orderFailed(orderId: id, userId: userId, error: failure))
        return try await known(id, userId)
    }

    /// A purchase that stays as it is is no failure: an answer may come twice, or late.
    func close(_ id: String, _ userId: String, _ phase: Model.Phase, _ reason: String) async throws(Model.Failure) -> Model.Purchase {
        guard phase != .placed, phase != .begun else {
            throw Model.Failure(
                code: .invalidOrder, message: "a purchase is not closed as \(phase.rawValue); close it as failed, refunded or refundPending")
        }
        let before = try await known(id, userId)
        let purchase = try await svc.move(id, of: userId, to: phase, reason: reason, receipt: nil)
        guard purchase != before else { return purchase }
        await show(purchase)
        await actions { router.setCheckoutPage(.refused(orderId: id)) }
        return purchase
    }

    /// The refunded amount is checked against the receipt and the total. Others are told only what has been written.
    func settle(_ id: String, _ userId: String, _ amount: Int64) async throws(Model.Failure) -> Model.Purchase {
        let settled: Model.Purchase
        do throws(Model.Failure) {
            settled = try await noted(id, userId, amount)
        } catch {
            if error.code == .otherUser { throw await refused(id, userId, error) }
            if error.code == .unknownOrder { await tell(.settled(orderId: id, userId: userId)) }
            throw error
        }
        await tell(.settled(orderId: id, userId: userId))
        return settled
    }

    private func noted(_ id: String, _ userId: String, _ amount: Int64) async throws(Model.Failure) -> Model.Purchase {
        let purchase = try await known(id, userId)
        switch amount {
        case _ where purchase.phase == .refunded: return purchase
        case purchase.order.total: return try await close(id, userId, .refunded, "\(amount) cents have gone back")
        case 0 where purchase.receipt.isEmpty: return try await close(id, userId, .failed, "nothing had been taken")
        default:
            let failure = Model.Failure(
                code: .otherAmount,
                message: "\(amount) of the \(purchase.order.total) cents of purchase \(id) (receipt '\(purchase.receipt)') are said to have gone"
                    + " back; look after the payment service, which is asked again")
            let waiting = try await svc.move(id, of: userId, to: .refundPending, reason: failure.message, receipt: nil)
            if waiting != purchase { await show(waiting) }
            throw failure
        }
    }

    func setStock(_ quantity: Int, of sku: String) async throws(Model.Failure) -> Relux.ActionResult {
        guard quantity >= 0, !sku.isEmpty else {
            throw Model.Failure(code: .invalidOrder, message: "a stock of \(quantity) '\(sku.prefix(64))' cannot be; 0 or more of something")
        }
        let before = try await svc.setStock(quantity, of: sku)
        return before == nil ? .success("nobody has counted '\(sku.prefix(64))' before; from now on \(quantity) can be ordered") : .success
    }

    private func show(_ purchase: Model.Purchase) async {
        await actions { Checkout.Business.Action.changed(purchase: purchase) }
    }

    /// No money moves because of this.
    private func refused(_ id: String, _ userId: String, _ failure: Model.Failure) async -> Model.Failure {
        await tell(.refused(orderId: id, userId: userId, error: failure))
        return failure
    }

    private func tell(_ effect: Checkout.Business.Effect) async {
        await actions { effect }
    }
}
