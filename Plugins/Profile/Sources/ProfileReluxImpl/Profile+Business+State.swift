internal import ProfileModels
internal import ProfileReluxInt
internal import Relux

extension Profile.Business {
    @MainActor
    final class State: IState {
        private(set) var current: Profile.Business.Snapshot = .init(profile: nil, failure: nil)
        private var readers: [AsyncStream<Snapshot>.Continuation] = []

        nonisolated init() {}

        var snapshots: AsyncStream<Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func cleanup() async {
            set(profile: nil, failure: nil)
        }

        func set(profile: Model.UserProfile?, failure: Model.Failure?) {
            let snapshot = Snapshot(profile: profile, failure: failure)
            current = snapshot
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
