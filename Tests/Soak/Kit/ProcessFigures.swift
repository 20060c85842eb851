import CHeap
import Glibc

/// What this process has of the machine, by counts that do not depend on how busy the machine is.
package struct ProcessFigures: Sendable {
    /// Bytes that were allocated and not freed.
    package var heapBytes: Int
    package var descriptors: Int
    package var threads: Int

    package static func now() -> Self {
        Self(heapBytes: heap_bytes(), descriptors: entries(of: "/proc/self/fd"), threads: entries(of: "/proc/self/task"))
    }

    private static func entries(of path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            if entry.pointee.d_name.0 != UInt8(ascii: ".") { count += 1 }
        }
        return count
    }
}

/// Processor time in nanoseconds.
package enum ProcessorClock: Sendable {
    case thread, process

    package func now() -> Int {
        var time = timespec()
        clock_gettime(self == .thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// Files below a folder, and their bytes.
package struct FolderFigures: Sendable, Equatable {
    package private(set) var files = 0
    package private(set) var bytes = 0

    package init(_ path: String) { add(path) }

    private mutating func add(_ path: String) {
        guard let directory = opendir(path) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var found = stat()
            guard name != ".", name != "..", lstat("\(path)/\(name)", &found) == 0 else { continue }
            if found.st_mode & S_IFMT == S_IFDIR { add("\(path)/\(name)") } else { (files, bytes) = (files + 1, bytes + Int(found.st_size)) }
        }
    }
}
