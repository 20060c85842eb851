public import PaymentModels
public import PaymentServiceInt
internal import Synchronization

extension Payment.Business {
    /// What `services: mock` means for the payment: money that is taken and given back within the process.
    public final class ServiceInMemory: IService {
        private struct Contents {
            /// By order, byte for byte.
            var captures: [[UInt8]: Model.Charge] = [:]
            var refunds: [[UInt8]: Int64] = [:]
        }
        private let contents = Mutex(Contents())

        public init() {}

        public func capture(_ charge: Model.Charge) async throws(Model.Failure) -> Model.Receipt {
            try charge.check()
            let isTaken = contents.withLock { contents in
                let key = Array(charge.orderId.utf8)
                guard contents.refunds[key] == nil else { return false }
                let known = contents.captures[key] ?? charge
                contents.captures[key] = known
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
                let key = Array(orderId.utf8)
                let known = contents.captures[key]
                if let known, !payer.isEmpty, !known.payer.isSpelled(like: payer) { return nil }
                let amount = contents.refunds[key] ?? known?.amount ?? 0
                contents.refunds[key] = amount
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
