internal import NotesModels
internal import NotesReluxInt
internal import NotesServiceInt
internal import Relux

extension Notes.Business.Flow {
    typealias Model = Notes.Business.Model

    func openUser() async throws(Model.Failure) -> String {
        guard let userId = await state.userId else { throw .notAuthenticated }
        return userId
    }

    func upsert(_ note: Model.Note) async throws(Model.Failure) -> Relux.ActionResult {
        let userId = try await openUser()
        try await skipGiven()
        let saved = try await svc.upsert(note, userId: userId)
        await actions {
            Notes.Business.Action.saved(note: saved, userId: userId)
            Notes.Business.Effect.upserted(note: saved)
            router.setNotesPage(.details(id: saved.id))
        }
        return .success(saved)
    }

    func delete(_ id: String) async throws(Model.Failure) -> Relux.ActionResult {
        let userId = try await openUser()
        try await skipGiven()
        let revision = try await svc.delete(id: id, userId: userId)
        await actions {
            Notes.Business.Action.removed(id: id, userId: userId, revision: revision)
            Notes.Business.Effect.deleted(id: id)
            router.setNotesPage(.list)
        }
        return .success
    }

    func search(_ query: String) async throws(Model.Failure) -> Relux.ActionResult {
        let notes = try await svc.search(query, userId: try await openUser())
        await actions { Notes.Business.Action.found(query: query, ids: notes.map(\.id)) }
        return .success(notes)
    }

    /// Without a session the notes are closed, whoever's they were.
    func sync(_ context: Model.SyncContext) async throws(Model.Failure) -> Relux.ActionResult {
        guard context.isAuthenticated, let userId = context.userId else {
            await actions { Notes.Business.Action.closed }
            throw .notAuthenticated
        }
        let report = try await svc.sync(context)
        let notes = try await svc.list(userId: userId)
        await actions {
            Notes.Business.Action.opened(userId: userId, notes: notes)
            Notes.Business.Effect.synced(userId: userId, report: report)
        }
        return .success(report)
    }

    func deleteAll(_ userId: String) async throws(Model.Failure) -> Relux.ActionResult {
        try await svc.deleteAll(userId: userId)
        if await state.userId?.utf8.elementsEqual(userId.utf8) == true { await actions { Notes.Business.Action.closed } }
        return .success
    }
}
