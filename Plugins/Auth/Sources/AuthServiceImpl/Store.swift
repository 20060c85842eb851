internal import AuthModels
internal import Dispatch
internal import Foundation
internal import GRDB

/// The domain's database: opened and migrated at the first use, again at the next if that failed.
actor Store {
    /// How long a write waits for another process that holds the database.
    private static let busySeconds: TimeInterval = 5

    private let path: String
    private var opening: Task<DatabasePool, any Error>?
    /// Opened, and with all migrations.
    private(set) var isPrepared = false

    init(path: String) {
        self.path = path
    }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(Auth.Business.Model.Failure) -> T {
        do { return try await opened().read(body) } catch { throw failure("read", error) }
    }

    func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(Auth.Business.Model.Failure) -> T {
        do { return try await opened().write(body) } catch { throw failure("written", error) }
    }

    func prepare() async throws(Auth.Business.Model.Failure) {
        do { _ = try await opened() } catch { throw failure("migrated", error) }
    }

    private func opened() async throws -> DatabasePool {
        let opening = opening ?? Task { [path] in try await Self.open(path) }
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
    private static func open(_ path: String) async throws -> DatabasePool {
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

    private func failure(_ verb: String, _ error: any Error) -> Auth.Business.Model.Failure {
        Auth.Business.Model.Failure(
            code: .storage, message: "the database \(path) could not be \(verb): \(error); check the path, its rights and the disk"
        )
    }
}
