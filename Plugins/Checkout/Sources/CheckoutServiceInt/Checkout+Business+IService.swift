public import CheckoutModels

extension Checkout.Business {
    /// The purchases and the stock. Every call may be made from any task, and repeated; it reads and changes in one step, and changes all
    /// or nothing.
    public protocol IService: Sendable {
        /// Nil if it was never begun. The caller compares the user.
        ///
        /// - Throws: `storage`.
        func purchase(_ id: String) async throws(Model.Failure) -> Model.Purchase?

        /// Keeps the order as a begun purchase. A known purchase stays as it is.
        ///
        /// - Returns: the present purchase of that id, perhaps for another order.
        /// - Throws: `storage`.
        func begin(_ order: Model.Order) async throws(Model.Failure) -> Model.Purchase

        /// Moves the user's purchase to the phase, if that is allowed. A placed purchase that is refunded returns its articles to the stock.
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
