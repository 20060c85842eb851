public import CheckoutModels

extension Checkout.Business {
    /// The purchases and the stock. Every call may be made from any task and again at any time; it looks and changes in one step, and changes all
    /// of what it changes or nothing.
    public protocol IService: Sendable {
        /// Nil for one that was never begun; whose it is, it says itself.
        ///
        /// - Throws: `storage`.
        func purchase(_ id: String) async throws(Model.Failure) -> Model.Purchase?

        /// Keeps the order as a purchase that has begun. One whose id is known stays as it is.
        ///
        /// - Returns: the purchase of that id as it is now, of another order perhaps.
        /// - Throws: `storage`.
        func begin(_ order: Model.Order) async throws(Model.Failure) -> Model.Purchase

        /// Brings the user's purchase to the phase, if it may go there; one that was placed and is refunded gives back what it took out of stock.
        ///
        /// - Returns: the purchase as it is now.
        /// - Throws: `unknownOrder`, `otherUser` for another's, `storage`.
        func move(
            _ id: String, of userId: String, to phase: Model.Phase, reason: String, receipt: String?
        ) async throws(Model.Failure) -> Model.Purchase

        /// Takes the order's articles out of the stock and keeps the purchase as placed, once.
        ///
        /// - Throws: `outOfStock` for the first article of which there is not enough, `closed` for one that has ended, `otherReceipt` for one that
        ///   is placed and was paid by something else, `unknownOrder`, `otherUser` for another's, `storage`.
        func place(_ id: String, of userId: String, receipt: String) async throws(Model.Failure) -> Model.Purchase

        /// - Returns: what was counted before; nil when nobody counted it.
        /// - Throws: `storage`.
        @discardableResult
        func setStock(_ quantity: Int, of sku: String) async throws(Model.Failure) -> Int?
    }
}
