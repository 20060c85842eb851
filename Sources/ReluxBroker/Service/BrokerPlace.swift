import ReluxControl
import ReluxRegistry
import ReluxSystem

/// What the broker has on the disk, looked at again while it lives: the run directory, and its registry with the lock.
/// Its sockets are looked after by ``BrokerDoors``.
///
/// A script that cleans up may have taken any of it away. What the broker knows it makes anew.
struct BrokerPlace: ~Copyable {
    private let file: RegistryFile
    private var directory: RunDirectoryWatch
    private var registry: RegistryLock
    /// Parts of the run directory that cannot be had, and why.
    private(set) var troubles: [String] = []

    /// Takes the right to the registry.
    ///
    /// - Throws: `RegistryFileError` when another broker has it; nothing of its was touched.
    init(_ run: RunDirectory, _ file: RegistryFile) throws {
        self.file = file
        directory = RunDirectoryWatch(run, process: "broker")
        registry = try RegistryLock(of: file)
    }

    /// Makes anew what is gone.
    ///
    /// - Parameter snapshot: what the registry's file should say.
    /// - Returns: what was done, a line each.
    /// - Throws: `RunDirectoryError` when the directory is gone, `locked` when another broker is in this one's place:
    ///   the broker must end.
    mutating func look(_ snapshot: () -> RegistrySnapshot) throws -> [String] {
        var done: [String] = []
        troubles = try directory.look()
        if try registry.hold() { done.append("the registry's lock was gone, or named another process, and is this one's again") }
        let aside = FilePlace.clear(file.path)
        if file.isMissing {
            try file.write(snapshot())
            done.append("the registry was gone and is written again: \(aside ?? file.path)")
        }
        return done
    }

    /// Gives everything back.
    consuming func release() {}
}
