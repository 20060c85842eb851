/// A call to the system that failed.
package struct SystemError: Error, Sendable, Hashable {
    package let call: Call
    /// As in `errno`.
    package let number: Int32

    package init(_ call: Call, _ number: Int32) {
        self.call = call
        self.number = number
    }

    /// The calls that ``FileSystem`` makes.
    package enum Call: String, Sendable, Hashable {
        case open, close, read, write, allocate, sync, truncate, lock, stat, statvfs, list, rename, remove, mkdir
    }
}

/// An open file.
package struct FileHandle: Sendable, Hashable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// The properties of a file that a journal looks at.
package struct FileFacts: Sendable, Hashable {
    package var byteCount: Int
    /// Bytes on the disk, what was reserved included.
    package var allocated: Int
    /// Names that the file still has; 0 when it was deleted.
    package var links: Int
    /// Nanoseconds since 1970; changes with each write.
    package var modified: Int64
    package var isDirectory: Bool
    /// The number of the file on its disk: another file of the same name has another one.
    package var identity: UInt64

    package init(byteCount: Int, allocated: Int, links: Int, modified: Int64, isDirectory: Bool, identity: UInt64) {
        self.byteCount = byteCount
        self.allocated = allocated
        self.links = links
        self.modified = modified
        self.isDirectory = isDirectory
        self.identity = identity
    }
}

package enum OpenMode: Sendable, Hashable {
    case read
    case readWrite
    /// As `readWrite`; made when it is not there, only this user may read it.
    case create
}

/// The disk, as far as journals use it. Production has ``GlibcFileSystem``; tests have disks that fail, tear and forget.
///
/// Calls are thin: nothing is retried but what was interrupted by a signal, and `write` may be short.
package protocol FileSystem: Sendable {
    /// A file only; `EISDIR` for a directory, `ESPIPE` for what else is no file (a pipe, a socket, a device). It never waits.
    func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileHandle
    func close(_ file: FileHandle)
    /// At most `count` bytes from `offset`; fewer, or none, at the end of the file.
    func read(_ file: FileHandle, at offset: Int, count: Int) throws(SystemError) -> [UInt8]
    /// Returns how many bytes were written: at least one, maybe fewer than given.
    func write(_ file: FileHandle, at offset: Int, _ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int
    /// Reserves room up to `byteCount` and makes the file that long, with zeros.
    func allocate(_ file: FileHandle, byteCount: Int) throws(SystemError)
    func truncate(_ file: FileHandle, byteCount: Int) throws(SystemError)
    /// Makes zeros of all from `offset` to `end`, which is the file's; needs no room, and never changes the length: a process may die in it.
    func clear(_ file: FileHandle, from offset: Int, to end: Int) throws(SystemError)
    /// Returns when the file's content is on the disk (`fdatasync`).
    func sync(_ file: FileHandle) throws(SystemError)
    /// Returns when the directory's names are on the disk.
    func syncDirectory(_ path: String) throws(SystemError)
    /// False when somebody else has it. It ends with the file's handle, or the process.
    func lock(_ file: FileHandle) throws(SystemError) -> Bool
    func unlock(_ file: FileHandle)
    func facts(_ file: FileHandle) throws(SystemError) -> FileFacts
    /// nil when there is no such file.
    func facts(of path: String) throws(SystemError) -> FileFacts?
    /// Names without a path, in no order. nil when there is no such directory.
    func list(_ directory: String) throws(SystemError) -> [String]?
    func rename(_ path: String, to other: String) throws(SystemError)
    /// A file, or a directory that is empty.
    func remove(_ path: String) throws(SystemError)
    /// Made for this user alone; that it is there already is no error.
    func makeDirectory(_ path: String) throws(SystemError)
    /// Bytes that this user may still write on the disk that the path is on.
    func room(at path: String) throws(SystemError) -> Int
}

extension FileSystem {
    /// A disk that does not know has room.
    package func room(at path: String) throws(SystemError) -> Int { .max }
}
