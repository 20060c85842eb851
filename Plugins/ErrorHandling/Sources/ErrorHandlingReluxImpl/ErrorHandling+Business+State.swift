internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import Relux

extension ErrorHandling.Business {
    @MainActor
    final class State: IState {
        /// Errors that are shown at most.
        static let limit = 100

        private(set) var entries: [Model.Entry] = []
        private(set) var total = 0
        private var readers: [AsyncStream<Snapshot>.Continuation] = []

        nonisolated init() {}

        var current: Snapshot { Snapshot(entries: entries, total: total) }

        var snapshots: AsyncStream<Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func cleanup() async {
            entries = []
            total = 0
            publish()
        }

        func add(_ entry: Model.Entry) {
            entries = (entries + [entry]).suffix(Self.limit)
            total += 1
            publish()
        }

        func clear() {
            entries = []
            publish()
        }

        private func publish() {
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
