extension Cart.Business.Model {
    /// A recent request, and the answer to it.
    public struct Wish: Sendable, Equatable, Codable, Identifiable {
        public enum Outcome: Sendable, Equatable, Codable {
            case open
            case bought
            case notBought(reason: String)
        }

        public let request: Request
        public var outcome: Outcome
        /// Pieces of the request that are still in the cart, by article.
        public var inCart: PiecesByArticle

        public var id: String { request.id }

        public init(_ request: Request) {
            self.request = request
            outcome = .open
            inCart = PiecesByArticle(request.lines)
        }
    }
}
