internal import GRDB
public import NotesModels
internal import ReluxStorage

extension Notes.Business.Service {
    public func skip(to revision: Int64) async throws(Notes.Business.Model.Failure) {
        try await store.write { db in
            guard try Self.highestRevision(in: db) < revision else { return }
            try Self.skip(to: revision, in: db)
        }
    }

    static func skip(to revision: Int64, in db: Database) throws {
        try db.execute(sql: "UPDATE skipped SET revision = max(revision, ?)", arguments: [revision])
    }

    static func highestRevision(in db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(revision) FROM note") ?? 0
    }

    /// Higher than any revision of the user that was seen here, own or from the replica, and than all that are not to be given out.
    static func nextRevision(of userId: String, in db: Database) throws -> Int64 {
        let highest = try Int64.fetchOne(
            db, sql: "SELECT max((SELECT coalesce(max(revision), 0) FROM note WHERE userId = ?), (SELECT revision FROM skipped))", arguments: [userId])
        return (highest ?? 0) + 1
    }
}
