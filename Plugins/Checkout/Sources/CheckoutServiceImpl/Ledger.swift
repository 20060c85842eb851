internal import CheckoutModels

/// What is stored, and the one rule about it.
struct Ledger: Sendable, Codable {
    typealias Model = Checkout.Business.Model

    var purchases: [String: Model.Purchase] = [:]
    /// Articles without an entry are unlimited.
    var stock: [String: Int] = [:]

    mutating func place(_ purchase: Model.Purchase) throws(Model.Failure) {
        var left = stock
        for line in purchase.order.lines {
            guard let there = left[line.sku] else { continue }
            guard there >= line.quantity else {
                throw Model.Failure(
                    code: .outOfStock,
                    message: "order \(purchase.id) takes \(line.quantity) of '\(line.sku)', and \(there) are in stock; order fewer")
            }
            left[line.sku] = there - line.quantity
        }
        stock = left
        purchases[purchase.id] = purchase
    }
}
