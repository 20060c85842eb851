internal import CheckoutModels
internal import CheckoutReluxInt
internal import Relux

extension Checkout.Business {
    /// The purchases that are shown; the service keeps the stored ones.
    @MainActor
    final class State: IState {
        static let depth = 32

        private var purchases: [Model.Purchase] = []
        private var failure: Model.Failure?
        private var readers: [AsyncStream<Checkout.Business.Snapshot>.Continuation] = []

        nonisolated init() {}

        nonisolated var reduces: [any Relux.Action.Type]? { [Checkout.Business.Action.self] }

        var current: Checkout.Business.Snapshot { Checkout.Business.Snapshot(entries: purchases.map(Checkout.Business.Snapshot.Entry.init), failure: failure) }

        var snapshots: AsyncStream<Checkout.Business.Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Checkout.Business.Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func reduce(with action: any Relux.Action) async {
            switch action as? Checkout.Business.Action {
            case .changed(let purchase):
                purchases = (purchases.filter { !$0.id.isSpelled(like: purchase.id) } + [purchase]).suffix(Self.depth)
                failure = nil
            case .failed(let error): failure = error
            case nil: return
            }
            publish()
        }

        func cleanup() async {
            purchases = []
            failure = nil
            publish()
        }

        private func publish() {
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
