internal import NotesModels
internal import NotesReluxInt
internal import NotesServiceInt
internal import Relux

extension Notes.Business {
    /// Whose notes are open outlives the process; the notes themselves are read again from where they are stored.
    actor State: IState, Relux.RestorableState {
        struct Stored: Codable, Sendable {
            var userId: String?
        }

        private let svc: any IService
        private(set) var userId: String?
        private(set) var notes: [Model.Note] = []
        private var found: [String] = []
        private var failure: Model.Failure?
        private let readers = Snapshots<Snapshot>()

        init(svc: any IService) { self.svc = svc }

        var stored: Stored { Stored(userId: userId) }

        func restore(_ stored: Stored) async {
            guard let userId = stored.userId else { return }
            do throws(Model.Failure) {
                open(userId: userId, notes: try await svc.list(userId: userId))
            } catch {
                open(userId: userId, notes: [])
                fail(error)
            }
        }

        /// The snapshot of now and then every change.
        func snapshots() -> AsyncStream<Snapshot> { readers.stream(from: snapshot) }

        func cleanup() async {
            close()
        }

        func open(userId: String, notes: [Model.Note]) {
            self.userId = userId
            self.notes = Self.sorted(notes)
            found = []
            changed()
        }

        func close() {
            userId = nil
            notes = []
            found = []
            changed()
        }

        func save(_ note: Model.Note) {
            // By bytes, as they are stored: `é` and `e` followed by an accent are two ids.
            notes = Self.sorted(notes.filter { !$0.id.utf8.elementsEqual(note.id.utf8) } + [note])
            changed()
        }

        func remove(id: String) {
            notes.removeAll { $0.id.utf8.elementsEqual(id.utf8) }
            found.removeAll { $0.utf8.elementsEqual(id.utf8) }
            changed()
        }

        func find(_ ids: [String]) {
            found = ids
            changed()
        }

        func fail(_ error: Model.Failure) {
            changed(failure: error)
        }

        private func changed(failure: Model.Failure? = nil) {
            self.failure = failure
            readers.publish(snapshot)
        }

        private var snapshot: Snapshot {
            Snapshot(
                userId: userId, entries: notes.map { .init(id: $0.id, title: $0.title) }, found: found, failure: failure
            )
        }

        /// As the service sorts a list.
        private static func sorted(_ notes: [Model.Note]) -> [Model.Note] {
            notes.sorted { ($0.title.lowercased(), $0.id) < ($1.title.lowercased(), $1.id) }
        }
    }
}
