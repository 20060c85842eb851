import Glibc
import JournalFaults
import ReluxJournal
import ReluxTestKit
import Synchronization

/// A disk in memory whose syncs take as long as the test wants, and which does something else before a directory is listed.
final class SlowDisk: FileSystem {
    let disk: MemoryDisk
    /// Syncs that have begun.
    let begun = Watched(0)
    private let isHeld = Watched(false)
    private struct Listing {
        var left = 0
        var body: (@Sendable () -> Void)?
    }
    private let listing = Mutex(Listing())

    init(_ disk: MemoryDisk = MemoryDisk()) { self.disk = disk }

    /// From here on every sync waits for ``letGo()``.
    func hold() { isHeld.update { $0 = true } }
    func letGo() { isHeld.update { $0 = false } }

    /// Before the n-th listing from now on, counted from 1.
    func before(listing number: Int, _ body: @escaping @Sendable () -> Void) { listing.withLock { $0 = Listing(left: number, body: body) } }

    func list(_ directory: String) throws(SystemError) -> [String]? {
        let body: (@Sendable () -> Void)? = listing.withLock { listing in
            listing.left -= 1
            return listing.left == 0 ? listing.body : nil
        }
        body?()
        return try disk.list(directory)
    }

    func sync(_ file: FileHandle) throws(SystemError) {
        begun.update { $0 += 1 }
        // On the thread that syncs, which has nothing else to do.
        while isHeld.value { usleep(200) }
        try disk.sync(file)
    }

    func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileHandle { try disk.open(path, mode) }
    func close(_ file: FileHandle) { disk.close(file) }
    func read(_ file: FileHandle, at offset: Int, count: Int) throws(SystemError) -> [UInt8] { try disk.read(file, at: offset, count: count) }
    func write(_ file: FileHandle, at offset: Int, _ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        try disk.write(file, at: offset, bytes)
    }
    func allocate(_ file: FileHandle, byteCount: Int) throws(SystemError) { try disk.allocate(file, byteCount: byteCount) }
    func truncate(_ file: FileHandle, byteCount: Int) throws(SystemError) { try disk.truncate(file, byteCount: byteCount) }
    func clear(_ file: FileHandle, from offset: Int, to end: Int) throws(SystemError) { try disk.clear(file, from: offset, to: end) }
    func syncDirectory(_ path: String) throws(SystemError) { try disk.syncDirectory(path) }
    func lock(_ file: FileHandle) throws(SystemError) -> Bool { try disk.lock(file) }
    func unlock(_ file: FileHandle) { disk.unlock(file) }
    func facts(_ file: FileHandle) throws(SystemError) -> FileFacts { try disk.facts(file) }
    func facts(of path: String) throws(SystemError) -> FileFacts? { try disk.facts(of: path) }
    func rename(_ path: String, to other: String) throws(SystemError) { try disk.rename(path, to: other) }
    func remove(_ path: String) throws(SystemError) { try disk.remove(path) }
    func room(at path: String) throws(SystemError) -> Int { try disk.room(at: path) }
    func makeDirectory(_ path: String) throws(SystemError) { try disk.makeDirectory(path) }
}
