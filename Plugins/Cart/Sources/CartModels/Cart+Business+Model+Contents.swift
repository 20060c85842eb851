extension Cart.Business.Model {
    /// What a user has in the cart, and what they wanted to buy of it.
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

    /// The same id of another user is another wish.
    public func wish(_ id: String, of user: String) -> Cart.Business.Model.Wish? { place(of: id, by: user).map { wishes[$0] } }

    private func place(of id: String, by user: String) -> Int? {
        wishes.firstIndex { $0.id.isSpelled(like: id) && $0.request.userId.isSpelled(like: user) }
    }

    public func pieces(of sku: String) -> Int { lines.first { $0.sku.isSpelled(like: sku) }?.quantity ?? 0 }

    /// What nobody had put into the cart becomes the user's; what another user had does not.
    public mutating func assign(to user: String) {
        self = userId.map { $0.isSpelled(like: user) } ?? true ? self : Self()
        userId = user
    }

    /// The line of an article that is there already keeps its price, and never grows beyond the limit.
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

    /// The same request again leaves what was said of it. One of a user who has gone meanwhile is none of this cart.
    public mutating func request(_ request: Cart.Business.Model.Request) {
        guard userId?.isSpelled(like: request.userId) == true, wish(request.id, of: request.userId) == nil else { return }
        wishes = (wishes + [Model.Wish(request)]).suffix(Self.wishLimit)
    }

    /// What the request took goes out of the cart, once; what was added behind it stays.
    public mutating func bought(_ id: String, by user: String) {
        guard let index = place(of: id, by: user), wishes[index].outcome != .bought else { return }
        wishes[index].outcome = .bought
        for (sku, quantity) in wishes[index].inCart.all {
            guard let line = lines.firstIndex(where: { $0.sku.isSpelled(like: sku) }) else { continue }
            if lines[line].quantity > quantity { lines[line].quantity -= quantity } else { lines.remove(at: line) }
            // Another request that took these pieces, too, has them in the cart no more.
            for other in wishes.indices {
                wishes[other].inCart[sku] = wishes[other].inCart[sku].flatMap { $0 > quantity ? $0 - quantity : nil }
            }
        }
    }

    /// The first word counts, unless it turns out to be bought.
    public mutating func notBought(_ id: String, by user: String, _ reason: String) {
        guard let index = place(of: id, by: user), wishes[index].outcome == .open else { return }
        wishes[index].outcome = .notBought(reason: reason)
    }
}
