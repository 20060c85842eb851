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
        private let readers = Snapshots<Checkout.Business.Snapshot>()

        nonisolated init() {}

        nonisolated var reduces: [any Relux.Action.Type]? { [Checkout.Business.Action.self] }

        var current: Checkout.Business.Snapshot { Checkout.Business.Snapshot(entries: purchases.map(Checkout.Business.Snapshot.Entry.init), failure: failure) }

        var snapshots: AsyncStream<Checkout.Business.Snapshot> { readers.stream() }

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

        private func publish() { readers.publish(current) }
    }
}
