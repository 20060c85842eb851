internal import CheckoutModels
internal import ReluxFiles

/// The stored purchases and stock, and the rules about them. A call that throws changes nothing.
struct Ledger: Sendable, Equatable, Codable {
    typealias Model = Checkout.Business.Model

    var purchases = TextKeyed<Model.Purchase>()
    /// Articles without an entry are unlimited.
    var stock = TextKeyed<Int>()
    /// What the placed purchases took out of the stock, by their ids. Files of earlier builds have none of it.
    private(set) var taken: TextKeyed<TextKeyed<Int>>? = TextKeyed()

    /// - Returns: what was counted before; nil when nobody counted it.
    mutating func setStock(_ quantity: Int, of sku: String) -> Int? {
        defer { stock[sku] = quantity }
        return stock[sku]
    }

    mutating func begin(_ order: Model.Order) -> Model.Purchase {
        let purchase = purchases[order.id] ?? Model.Purchase(order: order)
        purchases[order.id] = purchase
        return purchase
    }

    mutating func move(
        _ id: String, of userId: String, to phase: Model.Phase, reason: String, receipt: String?
    ) throws(Model.Failure) -> Model.Purchase {
        let purchase = try known(id, of: userId)
        let moved = purchase.moved(to: phase, reason: reason, receipt: receipt) ?? purchase
        if purchase.phase == .placed, moved.phase == .refunded { putBack(purchase) }
        purchases[id] = moved
        return moved
    }

    mutating func place(_ id: String, of userId: String, receipt: String) throws(Model.Failure) -> Model.Purchase {
        let purchase = try known(id, of: userId)
        if purchase.phase == .placed {
            guard purchase.receipt.isSpelled(like: receipt) else {
                throw Model.Failure(
                    code: .otherReceipt, message: "purchase \(id) is placed with the receipt \(purchase.receipt); \(receipt) is not taken for it")
            }
            return purchase
        }
        guard let placed = purchase.moved(to: .placed, receipt: receipt) else {
            throw Model.Failure(
                code: .closed, message: "purchase \(id) is \(purchase.phase.rawValue) and cannot be placed; begin a new one")
        }
        let left = try stock(without: placed)
        // No sum of these is more than the stock was.
        let lines = placed.order.lines.filter { stock[$0.sku] != nil }.map { ($0.sku, $0.quantity) }
        var known = taken ?? TextKeyed()
        known[id] = TextKeyed(lines) { $0 + $1 }
        taken = known
        stock = left
        purchases[id] = placed
        return placed
    }

    private func stock(without purchase: Model.Purchase) throws(Model.Failure) -> TextKeyed<Int> {
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

    /// An article that is not counted stays so.
    private mutating func putBack(_ purchase: Model.Purchase) {
        let known = taken?.removeValue(forKey: purchase.id)?.all
        for (sku, quantity) in known ?? purchase.order.lines.map({ ($0.sku, $0.quantity) }) {
            guard let there = stock[sku] else { continue }
            let (sum, isTooMuch) = there.addingReportingOverflow(quantity)
            stock[sku] = isTooMuch ? .max : sum
        }
    }

    private func known(_ id: String, of userId: String) throws(Model.Failure) -> Model.Purchase {
        guard let purchase = purchases[id] else { throw .unknown(id) }
        guard purchase.belongs(to: userId) else { throw .others(id) }
        return purchase
    }
}
