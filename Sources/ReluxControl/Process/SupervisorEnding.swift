import Glibc

/// That the supervisor is on its way to its end, which may take a while: whoever wants to start the cluster waits for it.
private struct SupervisorEnding: Codable {
    var supervisor: Int32
}

extension RunDirectory {
    private var endingFile: String { path + "/supervisor.ending" }

    /// The supervisor that runs now ends its processes and then itself.
    package var isEnding: Bool {
        guard let ending = NoteFile.read(SupervisorEnding.self, from: endingFile) else { return false }
        return ending.supervisor == runningSupervisor()
    }

    /// Called by the supervisor.
    ///
    /// - Returns: as ``note(_:)``.
    @discardableResult
    package func noteEnding(_ isEnding: Bool) -> String? {
        if isEnding { NoteFile.write(SupervisorEnding(supervisor: getpid()), to: endingFile) } else { NoteFile.remove(endingFile) }
    }
}
