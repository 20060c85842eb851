internal import Foundation
internal import GRDB

/// The copy of a database from before its latest migrations.
enum DatabaseCopy {
    /// Copies a database that was used and lacks migrations; a fresh one, and one that has them all, stay as they are.
    static func make(of pool: DatabasePool, at path: String, before migrator: DatabaseMigrator) throws {
        let (applied, isComplete) = try pool.read { db in
            (try migrator.appliedIdentifiers(db).count, try migrator.hasCompletedMigrations(db))
        }
        guard applied > 0, !isComplete else { return }
        let copy = "\(path).before-\(applied + 1)"
        let files = FileManager.default
        let unfinished = copy + ".unfinished"
        if files.fileExists(atPath: unfinished) { try files.removeItem(atPath: unfinished) }
        try pool.backup(to: DatabaseQueue(path: unfinished))
        let earlier = copies(of: path)
        if files.fileExists(atPath: copy) { try files.removeItem(atPath: copy) }
        try files.moveItem(atPath: unfinished, toPath: copy)
        for old in earlier where old != copy { try files.removeItem(atPath: old) }
    }

    private static func copies(of path: String) -> [String] {
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        let prefix = url.lastPathComponent + ".before-"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && Int($0.dropFirst(prefix.count)) != nil }.map { "\(folder)/\($0)" }
    }
}
