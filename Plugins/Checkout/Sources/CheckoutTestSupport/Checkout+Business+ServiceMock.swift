public import CheckoutModels
public import CheckoutServiceInt
internal import Synchronization

extension Checkout.Business {
    /// A storage in front of another one, whose disk a test can fill or take away.
    public final class FailingServiceMock: IService {
        public enum Disk: Sendable {
            case works
            /// The stored purchases can be read.
            case full
            case gone
        }

        private let disk: Mutex<Disk>
        private let service: any IService

        public init(_ service: any IService, disk: Disk) {
            self.service = service
            self.disk = Mutex(disk)
        }

        public func set(_ disk: Disk) { self.disk.withLock { $0 = disk } }

        public func purchase(_ id: String) async throws(Model.Failure) -> Model.Purchase? {
            if disk.withLock({ $0 == .gone }) { throw failure }
            return try await service.purchase(id)
        }

        public func begin(_ order: Model.Order) async throws(Model.Failure) -> Model.Purchase {
            try check()
            return try await service.begin(order)
        }

        public func move(
            _ id: String, of userId: String, to phase: Model.Phase, reason: String, receipt: String?
        ) async throws(Model.Failure) -> Model.Purchase {
            try check()
            return try await service.move(id, of: userId, to: phase, reason: reason, receipt: receipt)
        }

        public func place(_ id: String, of userId: String, receipt: String) async throws(Model.Failure) -> Model.Purchase {
            try check()
            return try await service.place(id, of: userId, receipt: receipt)
        }

        public func setStock(_ quantity: Int, of sku: String) async throws(Model.Failure) -> Int? {
            try check()
            return try await service.setStock(quantity, of: sku)
        }

        private func check() throws(Model.Failure) {
            if disk.withLock({ $0 != .works }) { throw failure }
        }

        private var failure: Model.Failure { Model.Failure(code: .storage, message: "the test's disk is full") }
    }
}
