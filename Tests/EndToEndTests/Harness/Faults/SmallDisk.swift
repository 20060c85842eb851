import Foundation
import Glibc

/// A file system of a few megabytes on a directory of its own; only root may have one.
final class SmallDisk: Sendable {
    let directory: String
    private var filler: String { directory + "/filler" }

    /// Whether the system lets us; a test that is about nothing else counts as skipped where it does not.
    static let isAllowed: Bool = {
        guard let place = try? temporaryDirectory("rxe-disk") else { return false }
        defer { rmdir(place) }
        guard mount("tmpfs", place, "tmpfs", UInt(MS_NOSUID), "size=1m") == 0 else { return false }
        umount2(place, Int32(MNT_DETACH))
        return true
    }()

    /// nil where the system does not let us, with the reason and what is left out of the test for it printed.
    static func mounted(on directory: String, megabytes: Int, isReadOnly: Bool = false, for what: String) -> SmallDisk? {
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let flags = UInt(MS_NOSUID) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard mount("tmpfs", directory, "tmpfs", flags, "size=\(megabytes)m,mode=0700") == 0 else {
            print("skipped: \(what): a tmpfs of \(megabytes) MiB cannot be mounted on \(directory): \(String(cString: strerror(errno))); it needs root")
            return nil
        }
        return SmallDisk(directory)
    }

    private init(_ directory: String) { self.directory = directory }

    deinit { unmount() }

    /// Files that are open go on; the name is free at once.
    func unmount() { umount2(directory, Int32(MNT_DETACH)) }

    /// Takes all room but so much.
    func fill(leaving left: Int = 0) throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HarnessError("\(filler): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var size = lseek(descriptor, 0, SEEK_END)
        // Down to single pages: whoever needs one waits.
        for step in [1 << 20, 64 << 10, 4096] {
            while Self.free(directory) >= left + step, posix_fallocate(descriptor, size, off_t(step)) == 0 { size += off_t(step) }
        }
    }

    func empty() { unlink(filler) }

    static func free(_ path: String) -> Int {
        var facts = Glibc.statvfs()
        return statvfs(path, &facts) == 0 ? Int(facts.f_bavail) * Int(facts.f_frsize) : 0
    }
}
