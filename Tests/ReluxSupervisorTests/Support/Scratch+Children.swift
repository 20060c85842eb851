import Glibc

extension Scratch {
    /// Processes whose standard error is the log; a shell's standard output is elsewhere for a moment while it says a line.
    /// Read entry by entry: Foundation's listing of `/proc` fails as a whole when a process ends meanwhile.
    static func children(writing log: String) -> [Int32] {
        guard let directory = opendir("/proc") else { return [] }
        defer { closedir(directory) }
        var found: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard let pid = Int32(name) else { continue }
            var target = [UInt8](repeating: 0, count: 4096)
            let count = target.withUnsafeMutableBytes {
                $0.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/\(pid)/fd/2", $0, 4096) } ?? -1
            }
            if count > 0, String(decoding: target.prefix(count), as: UTF8.self) == log { found.append(pid) }
        }
        return found
    }
}
