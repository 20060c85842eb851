internal import PaymentModels
internal import PaymentReluxInt
internal import Relux

extension Payment.Business {
    @MainActor
    final class State: IState, Relux.RestorableState {
        private(set) var due: [String: String] = [:]
        private var failure: Model.Failure?
        private var readers: [AsyncStream<Payment.Business.Snapshot>.Continuation] = []

        nonisolated init() {}

        nonisolated var reduces: [any Relux.Action.Type]? { [Payment.Business.Action.self] }

        var current: Payment.Business.Snapshot { Payment.Business.Snapshot(due: due.keys.sorted(), failure: failure) }

        var snapshots: AsyncStream<Payment.Business.Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Payment.Business.Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        var stored: [String: String] { due }

        func restore(_ stored: [String: String]) async {
            due = stored
            publish()
        }

        func reduce(with action: any Relux.Action) async {
            switch action as? Payment.Business.Action {
            case .refundDue(let orderId, let reason): due[orderId] = due[orderId] ?? reason
            case .refundDone(let orderId):
                due[orderId] = nil
                failure = nil
            case .captured: failure = nil
            case .failed(let error): failure = error
            case nil: return
            }
            publish()
        }

        func cleanup() async {
            // What is due stays due.
            failure = nil
            publish()
        }

        private func publish() {
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
