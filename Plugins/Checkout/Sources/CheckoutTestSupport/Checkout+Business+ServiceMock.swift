public import CheckoutModels
public import CheckoutServiceInt

extension Checkout.Business {
    /// A storage that takes nothing, and says so.
    public struct BrokenServiceMock: IService {
        public init() {}

        public func purchase(_ id: String) async throws(Model.Failure) -> Model.Purchase? { throw failure }
        public func save(_ purchase: Model.Purchase) async throws(Model.Failure) { throw failure }
        public func place(_ purchase: Model.Purchase) async throws(Model.Failure) { throw failure }
        public func setStock(_ quantity: Int, of sku: String) async throws(Model.Failure) { throw failure }

        private var failure: Model.Failure { Model.Failure(code: .storage, message: "the test's disk is full") }
    }
}
