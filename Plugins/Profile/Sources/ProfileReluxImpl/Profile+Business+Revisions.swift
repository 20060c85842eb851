internal import ProfileReluxInt
internal import Relux

extension Profile.Business {
    /// The highest revision that was given out, of any profile. It lies in the module's journal, and the profiles in a database: an older copy of that
    /// does not know what was given out since.
    actor Revisions: Relux.RestorableState {
        private(set) var given: Int = 0

        nonisolated var reduces: [any Relux.Action.Type]? { [Profile.Business.Action.self] }

        func reduce(with action: any Relux.Action) async {
            guard case Profile.Business.Action.shown(let profile) = action else { return }
            given = max(given, profile.revision)
        }

        var stored: Int { given }

        func restore(_ stored: Int) async { given = stored }
    }
}
