public import CartModels
public import CartServiceInt

extension Cart.Business {
    /// A price list that a test has written.
    public final class ServiceMock: IService {
        private let prices: [String: Int64]

        public init(prices: [String: Int64]) { self.prices = prices }

        public func price(of sku: String) async throws(Model.Failure) -> Int64 {
            guard let price = prices[sku] else {
                throw Model.Failure(code: .unknownArticle, message: "the test's price list has no '\(sku)'")
            }
            return price
        }
    }
}
