internal import Foundation
internal import GRDB
internal import Glibc

/// The copy of a database from before its latest migrations.
///
/// Each migration is committed by itself, so an upgrade may end in the middle, and go on with the next try. A mark beside the database says so: until all
/// have been applied the first copy stays, and no later one takes its place.
struct DatabaseCopy {
    let path: String

    private var mark: String { path + ".upgrading" }

    /// Applies what the database lacks. A database that was used is copied first.
    func upgrade(_ pool: DatabasePool, with migrator: DatabaseMigrator) throws {
        let (applied, isComplete) = try pool.read { db in
            (try migrator.appliedIdentifiers(db).count, try migrator.hasCompletedMigrations(db))
        }
        let files = FileManager.default
        guard !isComplete else { return try removeIfThere(mark) }
        guard applied > 0 else { return try migrator.migrate(pool) }
        // Two processes may have one database: whoever comes second finds it complete.
        try withLock {
            guard try pool.read({ try !migrator.hasCompletedMigrations($0) }) else { return }
            if !files.fileExists(atPath: mark) { try copy(pool, as: "\(path).before-\(applied + 1)") }
            let kept = try String(contentsOfFile: mark, encoding: .utf8)
            try migrator.migrate(pool)
            for old in earlier() where old != kept { try removeIfThere(old) }
            try removeIfThere(mark)
        }
    }

    private func copy(_ pool: DatabasePool, as copy: String) throws {
        for old in earlier() where old.hasSuffix(Self.unfinished) { try removeIfThere(old) }
        try pool.backup(to: DatabaseQueue(path: copy + Self.unfinished))
        for rest in [copy, copy + "-wal", copy + "-shm"] { try removeIfThere(rest) }
        try FileManager.default.moveItem(atPath: copy + Self.unfinished, toPath: copy)
        try Data(copy.utf8).write(to: URL(fileURLWithPath: mark), options: .atomic)
    }

    private static let unfinished = ".unfinished"

    /// Copies, and what is left of some.
    private func earlier() -> [String] {
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(url.lastPathComponent + ".before-") }.map { "\(folder)/\($0)" }
    }

    private func removeIfThere(_ file: String) throws {
        if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
    }

    private func withLock(_ body: () throws -> Void) throws {
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        try body()
    }
}
