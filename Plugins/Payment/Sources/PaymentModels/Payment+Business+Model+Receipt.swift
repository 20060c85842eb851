extension Payment.Business.Model {
    /// A charge: the payer, the order and the amount.
    public struct Charge: Sendable, Equatable, Codable {
        /// Bytes of an order's id.
        public static let orderIdLength = 1...64
        /// Bytes of a user's id.
        public static let payerLength = 1...120

        /// The key of the charge: repeated requests charge once.
        public let orderId: String
        /// Cents.
        public let amount: Int64
        public let payer: String

        public init(orderId: String, amount: Int64, payer: String) {
            self.orderId = orderId
            self.amount = amount
            self.payer = payer
        }

        public static func == (left: Charge, right: Charge) -> Bool {
            left.orderId.isSpelled(like: right.orderId) && left.payer.isSpelled(like: right.payer) && left.amount == right.amount
        }

        /// - Throws: `invalidCharge`.
        public func check() throws(Failure) {
            guard amount > 0, Self.orderIdLength.contains(orderId.utf8.count), Self.payerLength.contains(payer.utf8.count) else {
                throw Failure(
                    code: .invalidCharge,
                    message: "\(amount) cents for order '\(orderId.prefix(64))' of \(orderId.utf8.count) bytes from '\(payer.prefix(64))' of"
                        + " \(payer.utf8.count) bytes; a charge is more than 0, for an order of \(Self.orderIdLength.lowerBound) to"
                        + " \(Self.orderIdLength.upperBound) bytes, from a user of \(Self.payerLength.lowerBound) to \(Self.payerLength.upperBound)")
            }
        }
    }

    /// The payment service's receipt for a charge.
    public struct Receipt: Sendable, Equatable, Codable, Identifiable {
        /// Bytes of an id, in UTF-8.
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
