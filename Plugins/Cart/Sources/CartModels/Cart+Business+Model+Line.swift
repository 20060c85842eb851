extension Cart.Business.Model {
    /// Some pieces of one article, at the price of when the first was added.
    public struct Line: Sendable, Equatable, Codable {
        /// Pieces of one line, at most.
        public static let limit = 1_000

        /// The article's name in the price list.
        public let sku: String
        public var quantity: Int
        /// Cents.
        public let unitPrice: Int64

        public init(sku: String, quantity: Int, unitPrice: Int64) {
            self.sku = sku
            self.quantity = quantity
            self.unitPrice = unitPrice
        }
    }

    /// What a user wants to buy, fixed when they said so.
    public struct Request: Sendable, Equatable, Codable {
        /// Bytes of an id, at most.
        public static let idLength = 64

        /// Chosen by whoever asks, so that the same request asked for twice is one.
        public let id: String
        public let userId: String
        public let lines: [Line]
        /// Cents.
        public let total: Int64

        public init(id: String, userId: String, lines: [Line]) {
            self.id = id
            self.userId = userId
            self.lines = lines
            self.total = lines.reduce(0) { $0 + Int64($1.quantity) * $1.unitPrice }
        }
    }
}
