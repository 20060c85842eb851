public import AuthModels
public import AuthServiceInt
internal import Foundation
internal import GRDB
internal import ReluxStorage

extension Auth.Business {
    /// Accounts in SQLite. Passwords are stored as Argon2id, tokens as their hash.
    ///
    /// The database is opened at the first call, so that a path that cannot be opened is an answer and not a crash.
    public final class Service: IService {
        /// How long a session is accepted, in seconds: 30 days.
        public static let sessionSeconds: Int64 = 30 * 24 * 3600

        private let store: Store
        private let passwords = PasswordHashing()
        private let secondsSince1970: @Sendable () -> Int64

        public init(databasePath: String) {
            self.store = Store(path: databasePath)
            self.secondsSince1970 = { Int64(Date().timeIntervalSince1970) }
        }

        init(databasePath: String, secondsSince1970: @escaping @Sendable () -> Int64) {
            self.store = Store(path: databasePath)
            self.secondsSince1970 = secondsSince1970
        }

        public var isPrepared: Bool { get async { await store.isPrepared } }

        public func prepare() async throws(Model.Failure) { try await store.prepare() }

        public func register(name: String, password: String) async throws(Model.Failure) -> Model.Session {
            let name = try Model.Rules.normalised(name: name)
            try Model.Rules.check(password: password)
            let hash = try await passwords.hash(password)
            let account = Model.Account(userId: Token.identifier(), name: name)
            let session = newSession(of: account)
            let isNew = try await store.write { db in
                guard try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE name = ?)", arguments: [name]) != true
                else { return false }
                try db.execute(
                    sql: "INSERT INTO account (userId, name, passwordHash) VALUES (?, ?, ?)",
                    arguments: [account.userId, name, hash]
                )
                try Self.insert(session, into: db)
                return true
            }
            guard isNew else { throw Self.nameTaken(name) }
            return session
        }

        public func login(name: String, password: String) async throws(Model.Failure) -> Model.Session {
            let name = name.lowercased()
            let found = try await store.read { db in
                // SQLite ends a text at U+0000: such a name would find another account.
                name.utf8.contains(0) ? nil : try Row.fetchOne(db, sql: "SELECT userId, passwordHash FROM account WHERE name = ?", arguments: [name])
                    .map { (userId: $0["userId"] as String, hash: $0["passwordHash"] as String) }
            }
            let isRight = try await passwords.verify(password, against: found?.hash)
            guard isRight, let found else { throw .invalidCredentials }
            let session = newSession(of: Model.Account(userId: found.userId, name: name))
            let now = secondsSince1970()
            try await store.write { db in
                try db.execute(sql: "DELETE FROM session WHERE expiresAt <= ?", arguments: [now])
                try Self.insert(session, into: db)
            }
            return session
        }

        public func logout(token: String) async throws(Model.Failure) {
            let hash = Token.hash(token)
            try await store.write { db in
                try db.execute(sql: "DELETE FROM session WHERE tokenHash = ?", arguments: [hash])
            }
        }

        public func validate(token: String) async throws(Model.Failure) -> Model.Account {
            let (hash, now) = (Token.hash(token), secondsSince1970())
            let account = try await store.read { db in try Self.account(tokenHash: hash, now: now, in: db) }
            guard let account else { throw .invalidSession }
            return account
        }

        public func deleteAccount(token: String) async throws(Model.Failure) -> Model.Account {
            let (hash, now) = (Token.hash(token), secondsSince1970())
            let account = try await store.write { db in
                let account = try Self.account(tokenHash: hash, now: now, in: db)
                if let account {
                    try db.execute(sql: "DELETE FROM account WHERE userId = ?", arguments: [account.userId])
                }
                return account
            }
            guard let account else { throw .invalidSession }
            return account
        }

        static func nameTaken(_ name: String) -> Model.Failure {
            Model.Failure(code: .nameTaken, message: "the user name '\(name)' is taken; choose another")
        }

        private func newSession(of account: Model.Account) -> Model.Session {
            Model.Session(
                userId: account.userId,
                name: account.name,
                token: Token.make(),
                expiresAt: secondsSince1970() + Self.sessionSeconds
            )
        }

        private static func insert(_ session: Model.Session, into db: Database) throws {
            try db.execute(
                sql: "INSERT INTO session (tokenHash, userId, expiresAt) VALUES (?, ?, ?)",
                arguments: [Token.hash(session.token), session.userId, session.expiresAt]
            )
        }

        private static func account(tokenHash: Data, now: Int64, in db: Database) throws -> Model.Account? {
            try Row.fetchOne(
                db,
                sql: """
                    SELECT account.userId, account.name FROM session JOIN account USING (userId)
                    WHERE tokenHash = ? AND expiresAt > ?
                    """,
                arguments: [tokenHash, now]
            ).map { Model.Account(userId: $0["userId"], name: $0["name"]) }
        }
    }
}
