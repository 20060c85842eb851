internal import CheckoutModels

/// What is stored, and the rules about it. What throws changes nothing.
struct Ledger: Sendable, Equatable, Codable {
    typealias Model = Checkout.Business.Model

    var purchases: [String: Model.Purchase] = [:]
    /// Articles without an entry are unlimited.
    var stock: [String: Int] = [:]

    mutating func begin(_ order: Model.Order) -> Model.Purchase {
        let purchase = purchases[order.id] ?? Model.Purchase(order: order)
        purchases[order.id] = purchase
        return purchase
    }

    mutating func move(_ id: String, to phase: Model.Phase, reason: String, receipt: String?) throws(Model.Failure) -> Model.Purchase {
        let purchase = try known(id)
        let moved = purchase.moved(to: phase, reason: reason, receipt: receipt) ?? purchase
        purchases[id] = moved
        return moved
    }

    mutating func place(_ id: String, receipt: String) throws(Model.Failure) -> Model.Purchase {
        let purchase = try known(id)
        if purchase.phase == .placed {
            guard purchase.receipt == receipt else {
                throw Model.Failure(
                    code: .otherReceipt, message: "purchase \(id) is placed with the receipt \(purchase.receipt); \(receipt) is not taken for it")
            }
            return purchase
        }
        guard let placed = purchase.moved(to: .placed, receipt: receipt) else {
            throw Model.Failure(
                code: .closed, message: "purchase \(id) is \(purchase.phase.rawValue) and cannot be placed; begin a new one")
        }
        stock = try stock(without: placed)
        purchases[id] = placed
        return placed
    }

    private func stock(without purchase: Model.Purchase) throws(Model.Failure) -> [String: Int] {
        var left = stock
        for line in purchase.order.lines {
            guard let there = left[line.sku] else { continue }
            let (rest, isTooMuch) = there.subtractingReportingOverflow(line.quantity)
            guard line.quantity >= 0, rest >= 0, !isTooMuch else {
                throw Model.Failure(
                    code: .outOfStock,
                    message: "order \(purchase.id) takes \(line.quantity) of '\(line.sku)', and \(there) are in stock; order fewer")
            }
            left[line.sku] = rest
        }
        return left
    }

    private func known(_ id: String) throws(Model.Failure) -> Model.Purchase {
        guard let purchase = purchases[id] else { throw .unknown(id) }
        return purchase
    }
}
