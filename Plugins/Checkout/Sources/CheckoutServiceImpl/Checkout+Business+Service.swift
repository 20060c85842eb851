public import CheckoutModels
public import CheckoutServiceInt
internal import Foundation

extension Checkout.Business {
    /// Purchases and stock in one JSON file, written anew and renamed at each change: whoever dies, it is the old one or the new one.
    public actor Service: IService {
        private let path: String
        private var ledger: Ledger?

        public init(path: String) { self.path = path }

        public func purchase(_ id: String) throws(Model.Failure) -> Model.Purchase? { try read().purchases[id] }

        public func save(_ purchase: Model.Purchase) throws(Model.Failure) {
            try change { ledger throws(Model.Failure) in ledger.purchases[purchase.id] = purchase }
        }

        public func place(_ purchase: Model.Purchase) throws(Model.Failure) {
            try change { ledger throws(Model.Failure) in try ledger.place(purchase) }
        }

        public func setStock(_ quantity: Int, of sku: String) throws(Model.Failure) {
            try change { ledger throws(Model.Failure) in ledger.stock[sku] = quantity }
        }

        private func read() throws(Model.Failure) -> Ledger {
            if let ledger { return ledger }
            guard FileManager.default.fileExists(atPath: path) else { return Ledger() }
            do {
                let read = try JSONDecoder().decode(Ledger.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
                ledger = read
                return read
            } catch {
                throw failure("read", error)
            }
        }

        private func change(_ body: (inout Ledger) throws(Model.Failure) -> Void) throws(Model.Failure) {
            var changed = try read()
            try body(&changed)
            do {
                let url = URL(fileURLWithPath: path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try JSONEncoder().encode(changed).write(to: url, options: .atomic)
            } catch {
                throw failure("written", error)
            }
            ledger = changed
        }

        private func failure(_ verb: String, _ error: any Error) -> Model.Failure {
            Model.Failure(
                code: .storage, message: "the orders in \(path) could not be \(verb): \(error); check the path, its rights and the disk")
        }
    }

    /// What `services: mock` means for the checkout: purchases and stock that end with the process.
    public actor ServiceInMemory: IService {
        private var ledger = Ledger()

        public init() {}

        public func purchase(_ id: String) throws(Model.Failure) -> Model.Purchase? { ledger.purchases[id] }
        public func save(_ purchase: Model.Purchase) throws(Model.Failure) { ledger.purchases[purchase.id] = purchase }
        public func place(_ purchase: Model.Purchase) throws(Model.Failure) { try ledger.place(purchase) }
        public func setStock(_ quantity: Int, of sku: String) throws(Model.Failure) { ledger.stock[sku] = quantity }
    }
}
