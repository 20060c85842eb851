internal import Glibc

/// Whole-file locks as the kernel lists them in `/proc/locks` (proc(5)): `1: FLOCK ADVISORY WRITE 4711 fe:00:1234 0 EOF`.
enum KernelLocks {
    /// The processes that have locked a file of that number for themselves; empty where the kernel does not say.
    ///
    /// The device is not compared: for some file systems the kernel names another one here than `stat` does.
    static func holders(ofFile number: UInt64) -> [Int32] { holders(ofFile: number, in: table()) }

    static func holders(ofFile number: UInt64, in table: String) -> [Int32] {
        let all = table.split(separator: "\n").compactMap { line -> Int32? in
            let fields = line.split(separator: " ")
            // A line with an arrow is of one that waits.
            guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE", fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == number,
                let pid = Int32(fields[4]), pid > 0
            else { return nil }
            return pid
        }
        return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func table() -> String {
        let descriptor = open("/proc/locks", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16384)
        while case let count = read(descriptor, &part, part.count), count > 0 { bytes += part.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
