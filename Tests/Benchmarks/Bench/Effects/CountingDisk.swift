import ReluxJournal
import Synchronization

/// The real disk, which counts how often somebody waits for it.
final class CountingDisk: FileSystem {
    private let disk = GlibcFileSystem()
    private let count = Atomic<Int>(0)
    var syncs: Int { count.load(ordering: .relaxed) }

    func sync(_ file: FileHandle) throws(SystemError) {
        count.add(1, ordering: .relaxed)
        try disk.sync(file)
    }

    func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileHandle { try disk.open(path, mode) }
    func close(_ file: FileHandle) { disk.close(file) }
    func read(_ file: FileHandle, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        try disk.read(file, at: offset, count: count)
    }
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
    func list(_ directory: String) throws(SystemError) -> [String]? { try disk.list(directory) }
    func rename(_ path: String, to other: String) throws(SystemError) { try disk.rename(path, to: other) }
    func remove(_ path: String) throws(SystemError) { try disk.remove(path) }
    func makeDirectory(_ path: String) throws(SystemError) { try disk.makeDirectory(path) }
    func room(at path: String) throws(SystemError) -> Int { try disk.room(at: path) }
}
