internal import Dispatch
internal import Foundation
public import GRDB

/// A domain's database: opened and migrated at the first use, again at the next if that failed.
///
/// Its folder is made, for this user alone. A write waits 5 s for another process that holds the database. Before a database that was used gets further
/// migrations it is copied, to `<path>.before-N` with the number of the first of them; when all have been applied, earlier copies go.
///
/// `Failure` is the domain's own error, made of a message for people that names the path, the cause and the remedy.
public actor Store<Failure: Error> {
    private let path: String
    private let migrator: DatabaseMigrator
    private let failure: @Sendable (String) -> Failure
    private var opening: Task<DatabasePool, any Error>?
    /// Opened, and with all migrations.
    public private(set) var isPrepared = false

    /// - Parameter migrator: its steps are never edited once released; a change is a new step.
    public init(path: String, migrator: DatabaseMigrator, failure: @escaping @Sendable (String) -> Failure) {
        self.path = path
        self.migrator = migrator
        self.failure = failure
    }

    public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(Failure) -> T {
        do { return try await opened().read(body) } catch { throw failed("read", error) }
    }

    public func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(Failure) -> T {
        do { return try await opened().write(body) } catch { throw failed("written", error) }
    }

    public func prepare() async throws(Failure) {
        do { _ = try await opened() } catch { throw failed("migrated", error) }
    }

    private func opened() async throws -> DatabasePool {
        let opening = opening ?? Task { [path, migrator] in try await Self.open(path, migrator) }
        self.opening = opening
        do {
            let pool = try await opening.value
            isPrepared = true
            return pool
        } catch {
            if self.opening == opening { self.opening = nil }
            throw error
        }
    }

    /// On a thread of its own: the few threads of Swift's pool run the handlers of every module in the process.
    private static func open(_ path: String, _ migrator: DatabaseMigrator) async throws -> DatabasePool {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try FileManager.default.createDirectory(
                            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                            attributes: [.posixPermissions: 0o700])
                        var configuration = Configuration()
                        configuration.busyMode = .timeout(5)
                        let pool = try DatabasePool(path: path, configuration: configuration)
                        try DatabaseCopy(path: path).upgrade(pool, with: migrator)
                        return pool
                    })
            }
        }
    }

    private func failed(_ verb: String, _ error: any Error) -> Failure {
        failure("the database \(path) could not be \(verb): \(error); check the path, its rights and the disk")
    }
}
