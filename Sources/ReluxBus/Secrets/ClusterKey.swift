import Glibc
package import Relux

/// The cluster's key with the note on which one it is. The note lies with the journals, which hold what was sealed: a key that was lost, or another one
/// in its place, is found before anything is sealed with it.
package struct ClusterKey {
    private struct Note: Codable {
        var key: String
    }
    private let run: RunDirectory

    package init(_ run: RunDirectory) { self.run = run }

    private var note: String { run.journals + "/key.name" }

    /// The key that this cluster has always had; a new one in a cluster that has had none.
    ///
    /// - Throws: `Relux.Failure`: the file cannot be used, or is not the key that the journals are sealed with.
    package func take() throws(Relux.Failure) -> ClusterSealer {
        let known = NoteFile.read(Note.self, from: note)?.key
        if known == nil, isMissing { try ClusterSealer.makeKeyFile(run.key) }
        let sealer = try open(known)
        if known == nil { NoteFile.write(Note(key: sealer.name), to: note) }
        return sealer
    }

    /// What is wrong with it; nil where all is well, or nothing is there yet.
    package var trouble: String? {
        let known = NoteFile.read(Note.self, from: note)?.key
        if known == nil, isMissing { return nil }
        do throws(Relux.Failure) {
            _ = try open(known)
            return nil
        } catch {
            return error.message
        }
    }

    private var isMissing: Bool {
        var found = stat()
        return lstat(run.key, &found) != 0 && errno == ENOENT
    }

    private func open(_ known: String?) throws(Relux.Failure) -> ClusterSealer {
        if isMissing { throw failure("is gone") }
        let sealer = try ClusterSealer(keyFile: run.key)
        if let known, known != sealer.name { throw failure("is another one than before") }
        return sealer
    }

    private func failure(_ what: String) -> Relux.Failure {
        Relux.Failure(
            domain: "relux", code: "sealing",
            message: "the cluster's key \(run.key) \(what), and secrets in \(run.journals) are sealed with the right one: put it back; or rm \(note), "
                + "and what is sealed can be opened by nobody any more")
    }
}
