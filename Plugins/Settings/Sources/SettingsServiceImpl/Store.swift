internal import SettingsModels
internal import Foundation
internal import GRDB
internal import Synchronization

/// The domain's database: opened and migrated at the first use, again at the next if that failed.
final class Store: Sendable {
    /// How long a write waits for another process that holds the database.
    private static let busySeconds: TimeInterval = 5

    private let path: String
    private let pool = Mutex<DatabasePool?>(nil)

    init(path: String) {
        self.path = path
    }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(Settings.Business.Model.Failure) -> T {
        do { return try await opened().read(body) } catch { throw failure("read", error) }
    }

    func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(Settings.Business.Model.Failure) -> T {
        do { return try await opened().write(body) } catch { throw failure("written", error) }
    }

    private func opened() throws -> DatabasePool {
        try pool.withLock { pool in
            if let pool { return pool }
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            var configuration = Configuration()
            configuration.busyMode = .timeout(Self.busySeconds)
            let new = try DatabasePool(path: path, configuration: configuration)
            try Self.migrator.migrate(new)
            pool = new
            return new
        }
    }

    private func failure(_ verb: String, _ error: any Error) -> Settings.Business.Model.Failure {
        Settings.Business.Model.Failure(
            code: .storage, message: "the database \(path) could not be \(verb): \(error); check the path, its rights and the disk"
        )
    }
}
