internal import ProfileModels
internal import ProfileReluxInt
internal import Relux

extension Profile.Business {
    @MainActor
    final class State: IState {
        private(set) var current: Profile.Business.Snapshot = .init(profile: nil, failure: nil)
        private let readers = Snapshots<Snapshot>()

        nonisolated init() {}

        var snapshots: AsyncStream<Snapshot> { readers.stream() }

        func cleanup() async {
            set(profile: nil, failure: nil)
        }

        func set(profile: Model.UserProfile?, failure: Model.Failure?) {
            let snapshot = Snapshot(profile: profile, failure: failure)
            current = snapshot
            readers.publish(snapshot)
        }
    }
}
