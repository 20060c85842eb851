/// The settings that the supervisor of a run directory was started with, by key, as `<run>/settings`.
///
/// The cluster's file may have changed since; who compares it with a cluster that runs finds here what that one goes by.
package struct SettingsInForce {
    private let path: String

    package init(_ run: RunDirectory) { path = run.settings }

    /// Empty when no supervisor has written any.
    package var values: [String: String] { NoteFile.read([String: String].self, from: path) ?? [:] }

    /// Writes them again where they are gone or others.
    ///
    /// - Returns: whether that was necessary, and is done.
    package func keep(_ values: [String: String]) -> Bool {
        guard self.values != values else { return false }
        write(values)
        return self.values == values
    }

    /// Called by the supervisor that has the run directory.
    package func write(_ values: [String: String]) { NoteFile.write(values, to: path) }
}
