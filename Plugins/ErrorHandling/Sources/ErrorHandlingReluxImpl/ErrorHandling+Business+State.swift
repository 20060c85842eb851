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
        private let readers = Snapshots<Snapshot>()

        nonisolated init() {}

        var current: Snapshot { Snapshot(entries: entries, total: total) }

        var snapshots: AsyncStream<Snapshot> { readers.stream() }

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

        private func publish() { readers.publish(current) }
    }
}
