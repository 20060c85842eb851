public import PaymentModels
public import PaymentServiceInt
internal import Synchronization

extension Payment.Business {
    /// What `services: mock` means for the payment: money that is taken and given back within the process.
    public final class ServiceInMemory: IService {
        private struct Contents {
            var captures: [String: Model.Charge] = [:]
            var refunds: [String: Int64] = [:]
        }
        private let contents = Mutex(Contents())

        public init() {}

        public func capture(_ charge: Model.Charge) async throws(Model.Failure) -> Model.Receipt {
            let isTaken = contents.withLock { contents in
                guard contents.refunds[charge.orderId] == nil else { return false }
                let known = contents.captures[charge.orderId] ?? charge
                contents.captures[charge.orderId] = known
                return known == charge
            }
            guard isTaken else {
                throw Model.Failure(
                    code: .rejected, message: "the payment service in memory, asked about order \(charge.orderId): it is void, or has another amount or payer")
            }
            return Model.Receipt(id: "memory-\(charge.orderId)", orderId: charge.orderId, payer: charge.payer, amount: charge.amount)
        }

        public func refund(orderId: String, payer: String) async throws(Model.Failure) -> Int64 {
            let amount: Int64? = contents.withLock { contents in
                let known = contents.captures[orderId]
                if let known, !payer.isEmpty, known.payer != payer { return nil }
                let amount = contents.refunds[orderId] ?? known?.amount ?? 0
                contents.refunds[orderId] = amount
                return amount
            }
            guard let amount else {
                throw Model.Failure(
                    code: .rejected, message: "the payment service in memory, asked to give back order \(orderId): another user has paid it")
            }
            return amount
        }
    }
}
