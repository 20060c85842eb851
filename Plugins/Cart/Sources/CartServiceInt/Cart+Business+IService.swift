public import CartModels

extension Cart.Business {
    /// The price list. Every call may be made from any task.
    public protocol IService: Sendable {
        /// Cents for one piece.
        ///
        /// - Throws: `unknownArticle`, `priceList`.
        func price(of sku: String) async throws(Model.Failure) -> Int64
    }
}
