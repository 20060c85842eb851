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
        private var readers: [AsyncStream<Snapshot>.Continuation] = []

        nonisolated init() {}

        var current: Snapshot {
            Snapshot(isAuthenticated: session != nil, userId: session?.userId, name: session?.name, failure: failure)
        }

        var snapshots: AsyncStream<Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func cleanup() async {
            set(session: nil, failure: nil)
        }

        func set(session: Session?, failure: Model.Failure?) {
            self.session = session
            self.failure = failure
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
