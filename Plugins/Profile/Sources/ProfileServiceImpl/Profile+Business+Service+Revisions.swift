internal import GRDB
public import ProfileModels
internal import ReluxStorage

extension Profile.Business.Service {
    /// Takes the user's id. Higher than any revision of the profile that was seen here, and than all that are not to be given out.
    static let nextRevision =
        "(SELECT max((SELECT coalesce(max(revision), 0) FROM profile WHERE userId = ?), (SELECT revision FROM skipped)) + 1)"

    public func skip(to revision: Int) async throws(Profile.Business.Model.Failure) {
        try await store.write { db in
            guard try Self.highestRevision(in: db) < revision else { return }
            try Self.skip(to: revision, in: db)
        }
    }

    static func skip(to revision: Int, in db: Database) throws {
        try db.execute(sql: "UPDATE skipped SET revision = max(revision, ?)", arguments: [revision])
    }

    static func highestRevision(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT max(revision) FROM profile") ?? 0
    }
}
