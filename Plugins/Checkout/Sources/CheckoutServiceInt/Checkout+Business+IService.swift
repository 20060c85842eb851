public import CheckoutModels

extension Checkout.Business {
    /// The purchases and the stock. Every call may be made from any task, and changes all of what it changes or nothing.
    public protocol IService: Sendable {
        /// Nil for one that was never begun.
        ///
        /// - Throws: `storage`.
        func purchase(_ id: String) async throws(Model.Failure) -> Model.Purchase?

        /// Keeps the purchase as it is now.
        ///
        /// - Throws: `storage`.
        func save(_ purchase: Model.Purchase) async throws(Model.Failure)

        /// Takes the order's articles out of the stock and keeps the purchase as placed.
        ///
        /// - Throws: `outOfStock` for the first article of which there is not enough, `storage`.
        func place(_ purchase: Model.Purchase) async throws(Model.Failure)

        /// - Throws: `storage`.
        func setStock(_ quantity: Int, of sku: String) async throws(Model.Failure)
    }
}
