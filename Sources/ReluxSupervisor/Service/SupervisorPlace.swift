import Glibc
import ReluxControl
import Synchronization

/// The supervisor's place on the disk, looked at again while it lives: the proof that it is the one, the run directory, the key, its log.
final class SupervisorPlace: Sendable {
    private struct Held: ~Copyable, Sendable {
        /// Nil behind ``release()``.
        var lock: SupervisorLock?
        var directory: RunDirectoryWatch
        var troubles: [String] = []
    }
    private let run: RunDirectory
    private let held: Mutex<Held>
    private let sealer: ClusterSealer
    private let settings: [String: String]

    /// Makes the directory and the key, and takes the lock.
    ///
    /// - Parameter settings: what the configuration says, for those who compare it with this cluster.
    /// - Throws: as ``RunDirectory/create()`` and ``RunDirectory/lockSupervisor()``; `Relux.Failure` for the key.
    init(_ run: RunDirectory, settings: [String: String]) throws {
        self.run = run
        self.settings = settings
        try run.create()
        held = Mutex(Held(lock: try run.lockSupervisor(), directory: RunDirectoryWatch(run, process: "supervisor")))
        sealer = try ClusterKey(run).take()
        SettingsInForce(run).write(settings)
    }

    /// Makes anew what is gone.
    ///
    /// - Returns: what was done, a line each.
    /// - Throws: `RunDirectoryError` with `lost` or `alreadyRunning`: the supervisor must end; anything else may be over at the next look.
    func look() throws -> [String] {
        var done = try held.withLock { held in
            let troubles = try held.directory.look()
            let news = troubles.filter { !held.troubles.contains($0) }
            held.troubles = troubles
            return news + (try held.lock?.hold() == true ? ["the lock was gone, or named another process, and is this one's again: \(run.supervisorPid)"] : [])
        }
        if SettingsInForce(run).keep(settings) { done.append("the settings were gone, or others, and are written again: \(run.settings)") }
        done += try ClusterKey(run).keep(sealer)
        return done
    }

    /// Gives the lock back: from here on another supervisor may start. Whoever still refers to the place does not keep it.
    func release() { held.withLock { $0.lock = nil } }
}
