internal import GRDB
public import NotesModels
internal import ReluxStorage

extension Notes.Business.Service {
    public func sync(
        _ context: Notes.Business.Model.SyncContext
    ) async throws(Notes.Business.Model.Failure) -> Notes.Business.Model.SyncReport {
        guard context.isAuthenticated, let userId = context.userId else { throw .notAuthenticated }
        try Self.check(userId)
        let seen = try await store.read { db in try Self.seenSequence(of: userId, in: db) }
        // An older copy of the replica lacks what was exchanged since: it is offered everything.
        let isWhole = try await replica.hasForgotten(seen)
        let pending = try await store.read { db in try isWhole ? Self.all(of: userId, in: db) : Self.pending(of: userId, in: db) }
        let exchange = try await replica.exchange(pending, userId: userId, after: seen)
        // Nothing is lost if the process dies here: the next exchange pushes the same notes, which changes nothing.
        let pulled = try await store.write { db in
            var pulled = 0
            for change in exchange.changes where try Self.take(change, userId: userId, in: db) { pulled += 1 }
            for pushed in pending { try Self.markExchanged(pushed, userId: userId, in: db) }
            try Self.setSeenSequence(exchange.sequence, of: userId, in: db)
            return pulled
        }
        return Notes.Business.Model.SyncReport(pushed: exchange.pushed, pulled: pulled)
    }

    private static func pending(of userId: String, in db: Database) throws -> [StoredNote] {
        try Row.fetchAll(db, sql: "SELECT * FROM note WHERE userId = ? AND isPending", arguments: [userId])
            .map { StoredNote($0) }
    }

    private static func all(of userId: String, in db: Database) throws -> [StoredNote] {
        try Row.fetchAll(db, sql: "SELECT * FROM note WHERE userId = ?", arguments: [userId]).map { StoredNote($0) }
    }

    /// Takes a change of the replica unless what is here wins.
    private static func take(_ change: StoredNote, userId: String, in db: Database) throws -> Bool {
        if let here = try stored(id: change.note.id, userId: userId, in: db), !change.wins(over: here) { return false }
        try save(change, userId: userId, isPending: false, in: db)
        return true
    }

    /// A note that was changed again since it was read stays pending.
    private static func markExchanged(_ pushed: StoredNote, userId: String, in db: Database) throws {
        try db.execute(
            sql: "UPDATE note SET isPending = 0 WHERE userId = ? AND id = ? AND revision = ?",
            arguments: [userId, pushed.note.id, pushed.note.revision]
        )
    }

    private static func seenSequence(of userId: String, in db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT sequence FROM seen WHERE userId = ?", arguments: [userId]) ?? 0
    }

    private static func setSeenSequence(_ sequence: Int64, of userId: String, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO seen (userId, sequence) VALUES (?, ?)
                ON CONFLICT (userId) DO UPDATE SET sequence = max(sequence, excluded.sequence)
                """,
            arguments: [userId, sequence]
        )
    }
}
