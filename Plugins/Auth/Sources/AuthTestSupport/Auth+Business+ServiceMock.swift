public import AuthModels
public import AuthServiceInt
internal import Synchronization

extension Auth.Business {
    /// A service that answers what a test has set and records what it was asked. It never sees a database.
    public final class ServiceMock: IService {
        public enum Call: Sendable, Equatable {
            case register(name: String, password: String)
            case login(name: String, password: String)
            case logout(token: String)
            case validate(token: String)
            case deleteAccount(token: String)
        }

        private struct Contents {
            var calls: [Call] = []
            var isPrepared = false
            var session: Result<Model.Session, Model.Failure>
        }

        private let contents: Mutex<Contents>

        public init(session: Result<Model.Session, Model.Failure> = .success(ServiceMock.alice)) {
            self.contents = Mutex(Contents(session: session))
        }

        /// The session that the mock opens unless a test sets another answer.
        public static let alice = Model.Session(userId: "user-alice", name: "alice", token: "token-alice", expiresAt: .max)

        public var calls: [Call] { contents.withLock { $0.calls } }

        /// What every later call answers with.
        public func answer(_ session: Result<Model.Session, Model.Failure>) {
            contents.withLock { $0.session = session }
        }

        public var isPrepared: Bool { contents.withLock { $0.isPrepared } }

        /// Not recorded: it is no call of the flow's.
        public func prepare() async throws(Model.Failure) {
            try contents.withLock { contents in
                contents.isPrepared = true
                return contents.session.map { _ in }
            }.get()
        }

        public func register(name: String, password: String) async throws(Model.Failure) -> Model.Session {
            try record(.register(name: name, password: password)).get()
        }

        public func login(name: String, password: String) async throws(Model.Failure) -> Model.Session {
            try record(.login(name: name, password: password)).get()
        }

        public func logout(token: String) async throws(Model.Failure) {
            _ = try record(.logout(token: token)).get()
        }

        public func validate(token: String) async throws(Model.Failure) -> Model.Account {
            account(of: try record(.validate(token: token)).get())
        }

        public func deleteAccount(token: String) async throws(Model.Failure) -> Model.Account {
            account(of: try record(.deleteAccount(token: token)).get())
        }

        private func record(_ call: Call) -> Result<Model.Session, Model.Failure> {
            contents.withLock { contents in
                contents.calls.append(call)
                return contents.session
            }
        }

        private func account(of session: Model.Session) -> Model.Account {
            Model.Account(userId: session.userId, name: session.name)
        }
    }
}
