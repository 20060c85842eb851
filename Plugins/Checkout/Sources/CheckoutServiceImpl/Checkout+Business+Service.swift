public import CheckoutModels
public import CheckoutServiceInt
internal import Foundation
internal import ReluxFiles

extension Checkout.Business {
    /// Purchases and stock in one JSON file, replaced as a whole at each change.
    public actor Service: IService {
        private let path: String
        private var ledger: Ledger?

        public init(path: String) { self.path = path }

        public func purchase(_ id: String) throws(Model.Failure) -> Model.Purchase? { try read().purchases[id] }

        public func begin(_ order: Model.Order) throws(Model.Failure) -> Model.Purchase {
            try change { ledger throws(Model.Failure) in ledger.begin(order) }
        }

        public func move(
            _ id: String, of userId: String, to phase: Model.Phase, reason: String, receipt: String?
        ) throws(Model.Failure) -> Model.Purchase {
            try change { ledger throws(Model.Failure) in try ledger.move(id, of: userId, to: phase, reason: reason, receipt: receipt) }
        }

        public func place(_ id: String, of userId: String, receipt: String) throws(Model.Failure) -> Model.Purchase {
            try change { ledger throws(Model.Failure) in try ledger.place(id, of: userId, receipt: receipt) }
        }

        public func setStock(_ quantity: Int, of sku: String) throws(Model.Failure) -> Int? {
            try change { ledger throws(Model.Failure) in ledger.setStock(quantity, of: sku) }
        }

        private func read() throws(Model.Failure) -> Ledger {
            if let ledger { return ledger }
            do {
                guard let data = try DiskFile.read(path) else { return Ledger() }
                let read = try JSONDecoder().decode(Ledger.self, from: data)
                ledger = read
                return read
            } catch {
                throw failure("read", error)
            }
        }

        private func change<R>(_ body: (inout Ledger) throws(Model.Failure) -> R) throws(Model.Failure) -> R {
            let known = try read()
            var changed = known
            let result = try body(&changed)
            guard changed != known else { return result }
            do {
                try DiskFile.write(try JSONEncoder().encode(changed), to: path)
            } catch {
                throw failure("written", error)
            }
            ledger = changed
            return result
        }

        private func failure(_ verb: String, _ error: any Error) -> Model.Failure {
            Model.Failure(
                code: .storage, message: "the orders in \(path) could not be \(verb): \(DiskFile.reason(of: error)); check the path, its rights and the disk")
        }
    }

    /// What `services: mock` means for the checkout: purchases and stock that end with the process.
    public actor ServiceInMemory: IService {
        private var ledger = Ledger()

        public init() {}

        public func purchase(_ id: String) throws(Model.Failure) -> Model.Purchase? { ledger.purchases[id] }
        public func begin(_ order: Model.Order) throws(Model.Failure) -> Model.Purchase { ledger.begin(order) }
        public func move(
            _ id: String, of userId: String, to phase: Model.Phase, reason: String, receipt: String?
        ) throws(Model.Failure) -> Model.Purchase {
            try ledger.move(id, of: userId, to: phase, reason: reason, receipt: receipt)
        }
        public func place(_ id: String, of userId: String, receipt: String) throws(Model.Failure) -> Model.Purchase {
            try ledger.place(id, of: userId, receipt: receipt)
        }
        public func setStock(_ quantity: Int, of sku: String) throws(Model.Failure) -> Int? { ledger.setStock(quantity, of: sku) }
    }
}
