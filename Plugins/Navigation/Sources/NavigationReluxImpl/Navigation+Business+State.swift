internal import NavigationModels
internal import NavigationReluxInt
internal import Relux

extension Navigation.Business {
    @MainActor
    final class State: IState {
        /// Pages at most; beyond it the lowest ones are forgotten.
        static let depth = 64

        var pages: [Model.Page] = [] {
            didSet { publish() }
        }
        var covers: [Model.Page] = [] {
            didSet { publish() }
        }
        private var readers: [AsyncStream<Snapshot>.Continuation] = []

        nonisolated init() {}

        var current: Snapshot { Snapshot(pages: pages + covers) }

        var snapshots: AsyncStream<Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func cleanup() async {
            pages = []
            covers = []
        }

        func cover(_ page: Model.Page) {
            if let place = covers.firstIndex(where: { $0.domain == page.domain && $0.name == page.name }) {
                covers[place] = page
            } else {
                covers = (covers + [page]).suffix(Self.depth)
            }
        }

        private func publish() {
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
