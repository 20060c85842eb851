import Glibc

/// A process that is told from a later one with the same number by the time of its start.
struct ProcessIdentity: Hashable {
    let pid: Int32
    private let start: String?

    init(pid: Int32) {
        self.pid = pid
        start = ProcessFiles.facts(of: pid)?.start
    }

    var isAlive: Bool {
        guard let start, let now = ProcessFiles.facts(of: pid)?.start else { return false }
        return start == now
    }
}

/// The facts that the kernel tells of a process in `/proc/<pid>`; nil for a process that is gone or may not be looked at.
enum ProcessFiles {
    struct Facts: Sendable, Hashable {
        let parent: Int32
        /// In the kernel's ticks since the machine's start.
        let start: String
    }

    /// Nil also for what only waits to be reaped.
    static func facts(of pid: Int32) -> Facts? {
        guard let bytes = contents("/proc/\(pid)/stat"), let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        // The name in brackets may hold anything, blanks and brackets too.
        let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let parent = Int32(fields[1]) else { return nil }
        return Facts(parent: parent, start: String(fields[19]))
    }

    /// How long it has lived.
    static func age(of facts: Facts) -> Duration? {
        guard let ticks = Int64(facts.start) else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let begun = Duration.seconds(ticks) / sysconf(Int32(_SC_CLK_TCK))
        return max(.zero, .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - begun)
    }

    static func arguments(of pid: Int32) -> [String] {
        (contents("/proc/\(pid)/cmdline") ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The program, as the kernel has it: also of one that was deleted.
    static func executable(of pid: Int32) -> String? { link("/proc/\(pid)/exe").map { $0.replacingSuffix(" (deleted)") } }

    static func workingDirectory(of pid: Int32) -> String? { link("/proc/\(pid)/cwd") }

    /// The target of the descriptor's link; a deleted file's name ends in ` (deleted)`.
    static func file(_ descriptor: Int32, of pid: Int32) -> String? { link("/proc/\(pid)/fd/\(descriptor)") }

    /// Descriptors that are open, and how many may be.
    static func descriptors(of pid: Int32) -> (used: Int, limit: Int)? {
        guard let names = names(in: "/proc/\(pid)/fd"), let limit = softLimit("Max open files", of: pid) else { return nil }
        return (names.count, limit)
    }

    /// Bytes of memory of its own that it may have; nil without a limit.
    static func data(of pid: Int32) -> Int? { softLimit("Max data size", of: pid) }

    /// The soft limit of a resource, by the three words of its line in `/proc/PID/limits`; nil when there is none.
    private static func softLimit(_ name: String, of pid: Int32) -> Int? {
        let limits = contents("/proc/\(pid)/limits").map { String(decoding: $0, as: UTF8.self) }
        return limits?.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
    }

    /// Processes of this user.
    static func own() -> [Int32] {
        (names(in: "/proc") ?? []).compactMap { name -> Int32? in
            guard let pid = Int32(name) else { return nil }
            var found = stat()
            guard stat("/proc/\(name)", &found) == 0, found.st_uid == geteuid() else { return nil }
            return pid
        }.sorted()
    }

    private static func names(in directory: String) -> [String]? {
        guard let folder = opendir(directory) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The kernel says that sizes here are 0: read to the end.
    private static func contents(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? nil : bytes }
            bytes += chunk[..<count]
        }
    }

    private static func link(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
