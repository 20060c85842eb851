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
        private var readers: [AsyncStream<Snapshot>.Continuation] = []

        nonisolated init() {}

        var current: Snapshot { Snapshot(pages: pages) }

        var snapshots: AsyncStream<Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func cleanup() async {
            pages = []
        }

        private func publish() {
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
