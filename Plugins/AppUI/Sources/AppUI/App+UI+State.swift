internal import AuthReluxInt
internal import NotesReluxInt
public import Observation
internal import ProfileReluxInt
public import Relux

/// The application as a whole, as people see it.
public enum App {
    public enum UI {}
}

extension App.UI {
    /// One picture of Auth, Profile and Notes, wherever they run: subscribes to the snapshots of all three and maps them for showing.
    ///
    /// Data of a user who is not logged in is not shown: snapshots of different domains arrive at different times.
    @MainActor
    @Observable
    public final class State: Relux.UIState {
        /// The user's name in the system; nil while nobody is logged in.
        public private(set) var account: String?
        /// As the user wants to be called; the account's name until the profile says otherwise.
        public private(set) var displayName: String?
        public private(set) var noteTitles: [String] = []

        @ObservationIgnored private var auth: Auth.Business.Snapshot?
        @ObservationIgnored private var profile: Profile.Business.Snapshot?
        @ObservationIgnored private var notes: Notes.Business.Snapshot?
        private let sources: [(name: String, isStale: @MainActor () -> Bool)]

        public init(_ dispatcher: Relux.Dispatcher) {
            let auth = dispatcher.view(of: Auth.Business.Snapshot.self)
            let profile = dispatcher.view(of: Profile.Business.Snapshot.self)
            let notes = dispatcher.view(of: Notes.Business.Snapshot.self)
            sources = [
                ("Auth", { auth?.isStale ?? true }), ("Profile", { profile?.isStale ?? true }), ("Notes", { notes?.isStale ?? true }),
            ]
            auth?.observe { [weak self] in self?.accept(auth: $0) }
            profile?.observe { [weak self] in self?.accept(profile: $0) }
            notes?.observe { [weak self] in self?.accept(notes: $0) }
        }

        /// Domains that are gone or have not spoken yet, in a fixed order.
        public var stale: [String] { sources.filter { $0.isStale() }.map(\.name) }

        private func accept(auth snapshot: Auth.Business.Snapshot) {
            auth = snapshot
            map()
        }

        private func accept(profile snapshot: Profile.Business.Snapshot) {
            profile = snapshot
            map()
        }

        private func accept(notes snapshot: Notes.Business.Snapshot) {
            notes = snapshot
            map()
        }

        private func map() {
            let userId = auth?.userId
            account = userId == nil ? nil : auth?.name
            let own = profile?.profile.flatMap { $0.userId == userId ? $0 : nil }
            displayName = own.flatMap { $0.displayName.isEmpty ? nil : $0.displayName } ?? account
            noteTitles = userId != nil && notes?.userId == userId ? notes?.entries.map(\.title) ?? [] : []
        }
    }
}
