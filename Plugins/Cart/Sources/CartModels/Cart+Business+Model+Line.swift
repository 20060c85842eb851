extension Cart.Business.Model {
    /// Some pieces of one article, at the price of when the first was added.
    public struct Line: Sendable, Equatable, Codable {
        /// Pieces of one line, at most.
        public static let limit = 1_000
        /// Cents for one piece, at most: a million units of money.
        public static let priceLimit: Int64 = 100_000_000

        /// The article's name in the price list.
        public let sku: String
        public var quantity: Int
        /// Cents.
        public let unitPrice: Int64

        /// Whether a line of `there` pieces has room for `quantity` more.
        public static func takes(_ quantity: Int, to there: Int) -> Bool {
            quantity >= 1 && there <= limit && quantity <= limit - max(there, 0)
        }

        public init(sku: String, quantity: Int, unitPrice: Int64) {
            self.sku = sku
            self.quantity = quantity
            self.unitPrice = unitPrice
        }
    }

    /// A user's request to buy, as the cart was at that moment.
    public struct Request: Sendable, Equatable, Codable {
        /// Bytes of an id, at most.
        public static let idLength = 64
        /// Bytes of a user's id.
        public static let userIdLength = 1...120

        /// Chosen by the caller: the same request made twice is one.
        public let id: String
        public let userId: String
        public let lines: [Line]
        /// Cents.
        public let total: Int64

        public init(id: String, userId: String, lines: [Line]) {
            self.id = id
            self.userId = userId
            self.lines = lines
            self.total = lines.total
        }
    }
}

extension [Cart.Business.Model.Line] {
    /// Cents; `Int64.max` when it is more than can be counted.
    public var total: Int64 {
        var total: Int64 = 0
        for line in self {
            let (cost, isTooMuch) = line.unitPrice.multipliedReportingOverflow(by: Int64(line.quantity))
            let (next, isTooLarge) = total.addingReportingOverflow(cost)
            guard !isTooMuch, !isTooLarge else { return .max }
            total = next
        }
        return total
    }
}
