public import AuthModels
public import AuthServiceInt

extension Auth.Business {
    /// What `services: mock` means for Auth: accounts and sessions end with the process, and passwords stay in its memory as they are.
    public actor ServiceInMemory: IService {
        private struct Member {
            let account: Model.Account
            let password: String
        }

        /// By name.
        private var members: [String: Member] = [:]
        /// Names by token.
        private var sessions: [String: String] = [:]

        public init() {}

        /// There is nothing to migrate.
        public nonisolated var isPrepared: Bool { true }

        public nonisolated func prepare() {}

        public func register(name: String, password: String) throws(Model.Failure) -> Model.Session {
            let name = try Model.Rules.normalised(name: name)
            try Model.Rules.check(password: password)
            guard members[name] == nil else { throw Service.nameTaken(name) }
            let account = Model.Account(userId: Token.identifier(), name: name)
            members[name] = Member(account: account, password: password)
            return session(of: account)
        }

        public func login(name: String, password: String) throws(Model.Failure) -> Model.Session {
            guard let member = members[name.lowercased()], member.password == password else { throw .invalidCredentials }
            return session(of: member.account)
        }

        public func logout(token: String) throws(Model.Failure) { sessions[token] = nil }

        public func validate(token: String) throws(Model.Failure) -> Model.Account {
            guard let name = sessions[token], let member = members[name] else { throw .invalidSession }
            return member.account
        }

        public func deleteAccount(token: String) throws(Model.Failure) -> Model.Account {
            let account = try validate(token: token)
            members[account.name] = nil
            sessions = sessions.filter { $0.value != account.name }
            return account
        }

        /// It has no end but the process's.
        private func session(of account: Model.Account) -> Model.Session {
            let token = Token.make()
            sessions[token] = account.name
            return Model.Session(userId: account.userId, name: account.name, token: token, expiresAt: .max)
        }
    }
}
