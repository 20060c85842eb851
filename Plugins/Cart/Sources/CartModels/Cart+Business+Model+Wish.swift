extension Cart.Business.Model {
    /// A request of late and what others have said of it.
    public struct Wish: Sendable, Equatable, Codable, Identifiable {
        public enum Outcome: Sendable, Equatable, Codable {
            case open
            case bought
            case notBought(reason: String)
        }

        public let request: Request
        public var outcome: Outcome
        /// Pieces by article that the request took and that are in the cart still.
        public var inCart: PiecesByArticle

        public var id: String { request.id }

        public init(_ request: Request) {
            self.request = request
            outcome = .open
            inCart = PiecesByArticle(request.lines)
        }
    }
}
