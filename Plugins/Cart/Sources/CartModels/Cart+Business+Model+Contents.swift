extension Cart.Business.Model {
    /// A user's cart: its lines, and the requests to buy them.
    public struct Contents: Sendable, Equatable, Codable {
        /// Requests that are remembered, at most; the oldest is forgotten.
        public static let wishLimit = 32

        public private(set) var userId: String?
        /// In the order in which they were first added.
        public private(set) var lines: [Line]
        /// In the order in which they were first asked for.
        public private(set) var wishes: [Wish] = []

        public init(userId: String? = nil, lines: [Line] = []) {
            self.userId = userId
            self.lines = lines
        }
    }
}

extension Cart.Business.Model.Contents {
    private typealias Model = Cart.Business.Model

    /// Another user's request with the same id is another wish.
    public func wish(_ id: String, of user: String) -> Cart.Business.Model.Wish? { place(of: id, by: user).map { wishes[$0] } }

    private func place(of id: String, by user: String) -> Int? {
        wishes.firstIndex { $0.id.isSpelled(like: id) && $0.request.userId.isSpelled(like: user) }
    }

    public func pieces(of sku: String) -> Int { lines.first { $0.sku.isSpelled(like: sku) }?.quantity ?? 0 }

    /// The user takes over lines that have no owner; lines of another user are removed.
    public mutating func assign(to user: String) {
        self = userId.map { $0.isSpelled(like: user) } ?? true ? self : Self()
        userId = user
    }

    /// Adds to the article's line, which keeps its price and stays within the limit.
    public mutating func add(_ line: Cart.Business.Model.Line) {
        guard let index = lines.firstIndex(where: { $0.sku.isSpelled(like: line.sku) }) else { return lines.append(line) }
        let (sum, isTooMuch) = lines[index].quantity.addingReportingOverflow(line.quantity)
        lines[index].quantity = isTooMuch ? Model.Line.limit : min(sum, Model.Line.limit)
    }

    public mutating func remove(_ sku: String) {
        lines.removeAll { $0.sku.isSpelled(like: sku) }
        for index in wishes.indices { wishes[index].inCart[sku] = nil }
    }

    public mutating func clear() {
        lines = []
        for index in wishes.indices { wishes[index].inCart = PiecesByArticle() }
    }

    /// A repeated request keeps its answer. The request of a user who has left meanwhile is ignored.
    public mutating func request(_ request: Cart.Business.Model.Request) {
        guard userId?.isSpelled(like: request.userId) == true, wish(request.id, of: request.userId) == nil else { return }
        wishes = (wishes + [Model.Wish(request)]).suffix(Self.wishLimit)
    }

    /// Removes the pieces that the request bought, once; pieces added later stay.
    public mutating func bought(_ id: String, by user: String) {
        guard let index = place(of: id, by: user), wishes[index].outcome != .bought else { return }
        wishes[index].outcome = .bought
        for (sku, quantity) in wishes[index].inCart.all {
            guard let line = lines.firstIndex(where: { $0.sku.isSpelled(like: sku) }) else { continue }
            if lines[line].quantity > quantity { lines[line].quantity -= quantity } else { lines.remove(at: line) }
            // Another request for the same pieces no longer finds them in the cart.
            for other in wishes.indices {
                wishes[other].inCart[sku] = wishes[other].inCart[sku].flatMap { $0 > quantity ? $0 - quantity : nil }
            }
        }
    }

    /// The first answer counts, unless a later one says that it was bought.
    public mutating func notBought(_ id: String, by user: String, _ reason: String) {
        guard let index = place(of: id, by: user), wishes[index].outcome == .open else { return }
        wishes[index].outcome = .notBought(reason: reason)
    }
}
