internal import Relux
internal import SettingsModels
internal import SettingsReluxInt

extension Settings.Business {
    @MainActor
    final class State: IState {
        private(set) var current: Settings.Business.Snapshot = .defaults
        private var readers: [AsyncStream<Snapshot>.Continuation] = []

        nonisolated init() {}

        var snapshots: AsyncStream<Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func cleanup() async {
            set(.defaults)
        }

        func set(_ snapshot: Snapshot) {
            current = snapshot
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
