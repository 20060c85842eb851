internal import AuthModels
internal import AuthReluxInt
internal import Relux

extension Auth.Business {
    @MainActor
    final class State: IState {
        struct Session: Equatable {
            let userId: String
            let name: String
            let token: Secret<String>
        }

        private(set) var session: Session?
        private(set) var failure: Model.Failure?
        private let readers = Snapshots<Snapshot>()

        nonisolated init() {}

        var current: Snapshot {
            Snapshot(isAuthenticated: session != nil, userId: session?.userId, name: session?.name, failure: failure)
        }

        var snapshots: AsyncStream<Snapshot> { readers.stream() }

        func cleanup() async {
            set(session: nil, failure: nil)
        }

        func set(session: Session?, failure: Model.Failure?) {
            self.session = session
            self.failure = failure
            readers.publish(current)
        }
    }
}
