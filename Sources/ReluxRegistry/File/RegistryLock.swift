import Glibc
import ReluxSystem

/// The sole right to write a cluster's registry: a ``FileLock`` on `<registry>.lock`.
///
/// The right to the broker's socket is not enough: of a long run directory the socket lies elsewhere, under a name made of the
/// directory's spelling, and one directory may be spelled in many ways. The file stays.
package struct RegistryLock: ~Copyable, Sendable {
    private let path: String
    private var lock: FileLock

    /// - Throws: `locked` with the owner's process id, `unwritable`.
    package init(of file: RegistryFile) throws(RegistryFileError) {
        path = file.path
        lock = try Self.take(file.path)
    }

    /// Looks whether the lock's file is still there and this process's, and makes it anew when it is not.
    ///
    /// - Returns: whether that was necessary.
    /// - Throws: `locked` when another broker has come into this one's place; `unwritable`.
    package mutating func hold() throws(RegistryFileError) -> Bool {
        do throws(FileLockError) {
            return try lock.hold()
        } catch {
            throw Self.refusal(of: path, error)
        }
    }

    /// Gives the right back.
    package consuming func release() {}

    private static func take(_ path: String) throws(RegistryFileError) -> FileLock {
        do throws(FileLockError) {
            return try FileLock(path: path + ".lock")
        } catch {
            throw refusal(of: path, error)
        }
    }

    private static func refusal(of path: String, _ error: FileLockError) -> RegistryFileError {
        if error.isHeld {
            return RegistryFileError(
                .locked,
                "\(path): process \(error.owner.map(String.init) ?? "of unknown id") writes it, the broker of another spelling of this run"
                    + " directory. End that process, or give this broker a run directory of its own")
        }
        return RegistryFileError(
            .unwritable,
            "\(error.path): \(error.call) failed: \(error.reason). Give the broker's user the right to write its directory",
            mayPass: DiskRefusal.mayPass(error.code))
    }
}
