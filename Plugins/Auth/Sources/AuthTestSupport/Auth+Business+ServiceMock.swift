public import AuthModels
public import AuthServiceInt
public import ReluxTestKit

extension Auth.Business {
    /// A service that answers what a test has set and records what it was asked. It never sees a database.
    public final class ServiceMock: IService, MockService {
        public enum Call: Sendable, Equatable {
            case register(name: String, password: String)
            case login(name: String, password: String)
            case logout(token: String)
            case validate(token: String)
            case deleteAccount(token: String)
        }

        public let mocked: Mocked<Call, Model.Session, Model.Failure>

        public init(session: Model.Session = ServiceMock.alice) { mocked = Mocked(session) }

        /// The session that the mock opens unless a test sets another answer.
        public static let alice = Model.Session(userId: "user-alice", name: "alice", token: "token-alice", expiresAt: .max)

        public func register(name: String, password: String) async throws(Model.Failure) -> Model.Session {
            try perform(.register(name: name, password: password)) { $0 }
        }

        public func login(name: String, password: String) async throws(Model.Failure) -> Model.Session {
            try perform(.login(name: name, password: password)) { $0 }
        }

        public func logout(token: String) async throws(Model.Failure) {
            try perform(.logout(token: token)) { _ in }
        }

        public func validate(token: String) async throws(Model.Failure) -> Model.Account {
            account(of: try perform(.validate(token: token)) { $0 })
        }

        public func deleteAccount(token: String) async throws(Model.Failure) -> Model.Account {
            account(of: try perform(.deleteAccount(token: token)) { $0 })
        }

        private func account(of session: Model.Session) -> Model.Account {
            Model.Account(userId: session.userId, name: session.name)
        }
    }
}
