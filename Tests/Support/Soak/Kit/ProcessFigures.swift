import CHeap
import Glibc

/// The resources of the machine that this process has, by counts that do not depend on how busy the machine is.
package struct ProcessFigures: Sendable {
    /// Bytes that were allocated and not freed.
    package var heapBytes: Int
    package var descriptors: Int
    package var threads: Int
    /// The bytes of the deepest stack, as far as it has ever been touched.
    package var stackBytes: Int

    package static func now() -> Self {
        let threads = entries(of: "/proc/self/task")
        return Self(
            heapBytes: heap_bytes(), descriptors: entries(of: "/proc/self/fd").count, threads: threads.count, stackBytes: deepestStack(of: threads))
    }

    private static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) { names.append(entry.name) }
        return names.filter { !$0.hasPrefix(".") }
    }

    /// Counts the resident pages between the end of each thread's stack and its stack pointer, which the kernel reports for threads that wait. The
    /// pages above the pointer do not count: the kernel merges a stack with a mapping of the heap that lies above it.
    private static func deepestStack(of threads: [String]) -> Int {
        var pointers = threads.compactMap { thread -> UInt? in
            let words = lines(of: "/proc/self/task/\(thread)/syscall").first?.split(separator: " ") ?? []
            return words.count < 3 ? nil : UInt(words[words.count - 2].dropFirst(2), radix: 16)
        }
        var own: UInt8 = 0
        withUnsafePointer(to: &own) { pointers.append(UInt(bitPattern: $0)) }
        let starts = lines(of: "/proc/self/maps").flatMap { line -> [(start: UInt, pointer: UInt)] in
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2 else { return [] }
            return pointers.filter { (ends[0]..<ends[1]).contains($0) }.map { (ends[0], $0) }
        }
        return starts.map { residentBytes(from: $0.start, to: $0.pointer) }.max() ?? 0
    }

    private static func residentBytes(from start: UInt, to end: UInt) -> Int {
        let pageSize = UInt(sysconf(Int32(_SC_PAGESIZE)))
        let file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var entries = [UInt64](repeating: 0, count: Int((end - start) / pageSize))
        let count = entries.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(start / pageSize * 8)) }
        // The highest bit of an entry says that its page is in memory, the next one that it is swapped out.
        return entries.prefix(max(0, count) / 8).count { $0 >> 62 != 0 } * Int(pageSize)
    }

    private static func lines(of path: String) -> [String] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var lines: [String] = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) >= 0, let line { lines.append(String(cString: line).filter { $0 != "\n" }) }
        return lines
    }
}

extension UnsafeMutablePointer<dirent> {
    fileprivate var name: String {
        withUnsafePointer(to: &pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
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
            let name = entry.name
            var found = stat()
            guard name != ".", name != "..", lstat("\(path)/\(name)", &found) == 0 else { continue }
            if found.st_mode & S_IFMT == S_IFDIR { add("\(path)/\(name)") } else { (files, bytes) = (files + 1, bytes + Int(found.st_size)) }
        }
    }
}
