public import PaymentModels

extension Payment.Business {
    /// Whoever holds the money. Every call may be made from any task and again at any time: what is done once is not done twice.
    public protocol IService: Sendable {
        /// - Throws: any code, `rejected` for an order that another has paid; with `mayHaveCaptured` when it is not known whether the money was taken.
        func capture(_ charge: Model.Charge) async throws(Model.Failure) -> Model.Receipt

        /// Gives back what was taken, to whoever paid it, and answers with how much that was, in cents; an order without a charge is void from now
        /// on.
        ///
        /// - Parameter payer: empty in a debt of an earlier version, which did not keep it: of whoever it is.
        /// - Throws: any code but `declined`, `rejected` for an order that another has paid.
        func refund(orderId: String, payer: String) async throws(Model.Failure) -> Int64
    }
}
