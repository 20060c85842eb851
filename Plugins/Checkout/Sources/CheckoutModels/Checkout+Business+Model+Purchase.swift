extension Checkout.Business.Model {
    /// What is to be bought, by whom, for how much.
    public struct Order: Sendable, Equatable, Codable, Identifiable {
        public struct Line: Sendable, Equatable, Codable {
            public let sku: String
            public let quantity: Int
            /// Cents.
            public let unitPrice: Int64

            public static func == (left: Line, right: Line) -> Bool {
                left.sku.isSpelled(like: right.sku) && left.quantity == right.quantity && left.unitPrice == right.unitPrice
            }

            public init(sku: String, quantity: Int, unitPrice: Int64) {
                self.sku = sku
                self.quantity = quantity
                self.unitPrice = unitPrice
            }
        }

        /// Bytes of an id.
        public static let idLength = 1...64
        /// Bytes of a user's id.
        public static let userIdLength = 1...120

        /// Chosen by the caller; every domain knows the purchase by it.
        public let id: String
        public let userId: String
        public let lines: [Line]
        /// Cents.
        public let total: Int64

        public init(id: String, userId: String, lines: [Line], total: Int64) {
            self.id = id
            self.userId = userId
            self.lines = lines
            self.total = total
        }

        public static func == (left: Order, right: Order) -> Bool {
            left.id.isSpelled(like: right.id) && left.userId.isSpelled(like: right.userId) && left.lines == right.lines && left.total == right.total
        }

        /// - Throws: `invalidOrder` if its id, or its user's, is too short or too long.
        public func checkNames() throws(Failure) {
            guard Self.idLength.contains(id.utf8.count) else { throw Self.refusal("an order's", id, Self.idLength) }
            guard Self.userIdLength.contains(userId.utf8.count) else { throw Self.refusal("a user's", userId, Self.userIdLength) }
        }

        private static func refusal(_ whose: String, _ id: String, _ length: ClosedRange<Int>) -> Failure {
            Failure(
                code: .invalidOrder,
                message: "'\(id.prefix(64))' has \(id.utf8.count) bytes, and \(whose) id \(length.lowerBound) to \(length.upperBound); choose another")
        }

        /// The cost of all lines in cents; nil if a quantity is below 1, a price below 0, or the sum too large to count.
        public var sum: Int64? {
            var sum: Int64 = 0
            for line in lines {
                guard line.quantity >= 1, line.unitPrice >= 0 else { return nil }
                let (cost, isTooMuch) = line.unitPrice.multipliedReportingOverflow(by: Int64(line.quantity))
                let (next, isTooLarge) = sum.addingReportingOverflow(cost)
                guard !isTooMuch, !isTooLarge else { return nil }
                sum = next
            }
            return sum
        }
    }

    /// How far a purchase has come.
    public enum Phase: String, Sendable, Codable {
        /// Waits for its payment.
        case begun
        /// Paid and ordered; only a refund ends it.
        case placed
        /// Nothing was paid.
        case failed
        /// Paid and refunded, with its articles back in stock; final.
        case refunded
        /// Paid, perhaps, and not refunded yet.
        case refundPending

        /// Whether a purchase in this phase may go on to the next.
        public func allows(_ next: Phase) -> Bool {
            switch self {
            case .begun: next != .begun
            // A payment in doubt may turn out to have failed, unless there is a receipt.
            case .refundPending: next == .refunded || next == .failed
            // A payment that seemed to have failed may turn out to have been made.
            case .failed: next == .refundPending || next == .refunded
            case .placed: next == .refunded
            case .refunded: false
            }
        }
    }

    /// One purchase, from its beginning to its end.
    public struct Purchase: Sendable, Equatable, Codable, Identifiable {
        public let order: Order
        public internal(set) var phase: Phase
        /// Why it is not placed, naming the cause; empty if nothing went wrong.
        public internal(set) var reason: String
        /// The payment's receipt; empty before the payment.
        public internal(set) var receipt: String

        public var id: String { order.id }

        public init(order: Order, phase: Phase = .begun, reason: String = "", receipt: String = "") {
            self.order = order
            self.phase = phase
            self.reason = reason
            self.receipt = receipt
        }

        public func belongs(to userId: String) -> Bool { userId.isSpelled(like: order.userId) }

        /// The purchase in its next phase, with the first reason for a failure; nil if that phase is not allowed.
        public func moved(to next: Phase, reason: String = "", receipt: String? = nil) -> Purchase? {
            guard phase.allows(next), phase != .refundPending || next != .failed || self.receipt.isEmpty else { return nil }
            return Purchase(
                order: order, phase: next, reason: self.reason.isEmpty ? reason : self.reason, receipt: receipt ?? self.receipt)
        }
    }
}
