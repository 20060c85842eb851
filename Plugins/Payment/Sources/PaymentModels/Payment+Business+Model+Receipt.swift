extension Payment.Business.Model {
    /// What is to be taken from whom, and for what.
    public struct Charge: Sendable, Equatable, Codable {
        /// The key of the charge: taken once, however often it is asked for.
        public let orderId: String
        /// Cents.
        public let amount: Int64
        public let payer: String

        public init(orderId: String, amount: Int64, payer: String) {
            self.orderId = orderId
            self.amount = amount
            self.payer = payer
        }
    }

    /// The payment service's word that the money is taken.
    public struct Receipt: Sendable, Equatable, Codable, Identifiable {
        /// Bytes of an id, and of an order's, in UTF-8.
        public static let idLength = 1...256

        public let id: String
        public let orderId: String
        public let payer: String
        /// Cents.
        public let amount: Int64

        public init(id: String, orderId: String, payer: String, amount: Int64) {
            self.id = id
            self.orderId = orderId
            self.payer = payer
            self.amount = amount
        }
    }
}
