internal import LibraryModels
internal import Dispatch
internal import Foundation
internal import GRDB

/// One database: opened and migrated at the first use, again at the next if that failed.
actor Store {
    /// How long a write waits for another process that holds the database.
    private static let busySeconds: TimeInterval = 5

    private let path: String
    private let migrator: DatabaseMigrator
    private var opening: Task<DatabasePool, any Error>?
    /// Opened, and with all migrations.
    private(set) var isPrepared = false

    init(path: String, migrator: DatabaseMigrator) {
        self.path = path
        self.migrator = migrator
    }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(Library.Business.Model.Failure) -> T {
        do { return try await opened().read(body) } catch { throw failure("read", error) }
    }

    func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(Library.Business.Model.Failure) -> T {
        do { return try await opened().write(body) } catch { throw failure("written", error) }
    }

    func prepare() async throws(Library.Business.Model.Failure) {
        do { _ = try await opened() } catch { throw failure("migrated", error) }
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
                            at: URL(fileURLWithPath: path).deletingLastPathComponent(),
                            withIntermediateDirectories: true,
                            attributes: [.posixPermissions: 0o700]
                        )
                        var configuration = Configuration()
                        configuration.busyMode = .timeout(busySeconds)
                        let pool = try DatabasePool(path: path, configuration: configuration)
                        try migrator.migrate(pool)
                        return pool
                    }
                )
            }
        }
    }

    private func failure(_ verb: String, _ error: any Error) -> Library.Business.Model.Failure {
        Library.Business.Model.Failure(
            code: .storage, message: "the database \(path) could not be \(verb): \(error); check the path, its rights and the disk"
        )
    }
}
