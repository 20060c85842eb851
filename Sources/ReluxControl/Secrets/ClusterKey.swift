import Glibc
package import Relux
import ReluxSystem

/// The cluster's key with the note on which one it is. The note lies with the journals, which hold what was sealed: a key that was lost, or another one
/// in its place, is found before anything is sealed with it.
package struct ClusterKey {
    private struct Note: Codable {
        var key: String
    }
    private let run: RunDirectory

    package init(_ run: RunDirectory) { self.run = run }

    private var note: String { run.journals + "/key.name" }

    /// The key that this cluster has always had; a new one in a cluster that has had none. For the one process that makes it.
    ///
    /// - Throws: `Relux.Failure`: the file cannot be used, is not the key that the journals are sealed with, or could not be noted.
    package func take() throws(Relux.Failure) -> ClusterSealer {
        if Self.isMissing(note), Self.isMissing(run.key) { try ClusterSealer.makeKeyFile(run.key) }
        let sealer = try open()
        try keepNote(of: sealer)
        return sealer
    }

    /// The key that is there, for who uses it.
    ///
    /// - Throws: `Relux.Failure`: the file cannot be used, or is not the key that the journals are sealed with.
    package func open() throws(Relux.Failure) -> ClusterSealer {
        if Self.isMissing(run.key), !Self.isMissing(note) { throw failure("is gone") }
        let sealer = try ClusterSealer(keyFile: run.key)
        if let known, known != sealer.name { throw failure("is another one than before") }
        return sealer
    }

    /// Puts the key back where its file is gone, damaged or another one, and its note: without it the next process could not read what others have
    /// sealed. What lay in its place is kept beside it.
    ///
    /// - Returns: what was done, a line each.
    package func keep(_ sealer: ClusterSealer) throws(Relux.Failure) -> [String] {
        var done: [String] = []
        var found = stat()
        if lstat(run.key, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_mode & 0o077 != 0, chmod(run.key, 0o600) == 0 {
            done.append("the key was open to others, and is closed again: \(run.key)")
        }
        if !Self.isMissing(run.key), (try? ClusterSealer(keyFile: run.key).name) != sealer.name {
            let aside = run.key + ".aside"
            FilePlace.clear(aside)
            guard rename(run.key, aside) == 0 else {
                throw Self.failure("the cluster's key \(run.key) is not the right one, and cannot be moved to \(aside): \(String(cString: strerror(errno)))")
            }
            done.append("what lay in the key's place was not the key, and is in \(aside) now")
        }
        if try sealer.keepKey(in: run.key) { done.append("the key was gone and is written again: \(run.key)") }
        try keepNote(of: sealer)
        return done
    }

    /// The key's trouble; nil when all is well or nothing is there yet.
    package var trouble: String? {
        if Self.isMissing(note), Self.isMissing(run.key) { return nil }
        do throws(Relux.Failure) {
            _ = try open()
            return nil
        } catch {
            return error.message
        }
    }

    /// The name that is noted; nil without a note, or with one that cannot be read.
    private var known: String? { NoteFile.read(Note.self, from: note)?.key }

    /// A process that cannot note the key would not notice another key later.
    private func keepNote(of sealer: ClusterSealer) throws(Relux.Failure) {
        guard known == nil else { return }
        NoteFile.write(Note(key: sealer.name), to: note)
        guard known == sealer.name else { throw Self.failure("the name of the cluster's key cannot be noted in \(note); see what is there, and whether the disk is full") }
    }

    private static func isMissing(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) != 0 && errno == ENOENT
    }

    private func failure(_ what: String) -> Relux.Failure {
        Self.failure(
            "the cluster's key \(run.key) \(what), and secrets in \(run.journals) are sealed with the right one: put it back; or rm \(note), "
                + "and what is sealed can be opened by nobody any more")
    }

    private static func failure(_ message: String) -> Relux.Failure { Relux.Failure(domain: "relux", code: "sealing", message: message) }
}
