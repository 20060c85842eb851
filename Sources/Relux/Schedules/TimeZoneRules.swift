import ReluxWire

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The offsets of a time zone from UTC, from the system's zone files.
///
/// Design notes. The C library knows one zone per process, and Foundation costs a host megabytes, so the file is read here: RFC 9636.
struct TimeZoneRules: Sendable, Hashable {
    /// A span with one offset.
    struct Segment: Hashable {
        /// Local time minus UTC, in seconds.
        var offset: Int64
        /// Second at which the next one begins; nil when none does.
        var end: Int64?
    }

    let name: String
    private let offsetBefore: Int64
    /// Seconds at which an offset begins, in order.
    private let begins: [Int64]
    private let offsets: [Int64]
    /// Behind the last of them; nil where the last offset stays.
    private let tail: PosixZone?

    static let utc = TimeZoneRules(name: "UTC", offsetBefore: 0, begins: [], offsets: [], tail: nil)

    private init(name: String, offsetBefore: Int64, begins: [Int64], offsets: [Int64], tail: PosixZone?) {
        (self.name, self.offsetBefore, self.begins, self.offsets, self.tail) = (name, offsetBefore, begins, offsets, tail)
    }

    /// - Parameters:
    ///   - name: as in `Europe/Berlin`; `UTC` needs no file.
    ///   - folder: where the zone files are; by default `TZDIR`, or else the system's.
    /// - Throws: when there is no such zone, or its file cannot be read.
    init(named name: String, in folder: String? = nil) throws(ScheduleFault) {
        if name == "UTC" {
            self = .utc
            return
        }
        let folder = folder ?? getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
        let isName = !name.isEmpty && name.utf8.count <= 64 && name.first != "/" && !name.split(separator: "/").contains("..")
            && name.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 127 }
        guard isName else { throw ScheduleFault("\"\(name.cut(to: 80))\" is no name of a time zone; one is \"Europe/Berlin\", another \"UTC\"") }
        let path = "\(folder)/\(name)"
        guard let bytes = Self.read(path) else {
            throw ScheduleFault(
                "the time zone \"\(name)\" has no file \(path) (\(String(cString: strerror(errno)))); correct the name, install the package tzdata, or use \"UTC\"")
        }
        guard let file = ZoneFile(bytes) else {
            throw ScheduleFault("the file \(path) of the time zone \"\(name)\" is no zone file; install the package tzdata again, or use \"UTC\"")
        }
        self.init(name, file)
    }

    /// nil for bytes that are no zone file.
    init?(_ bytes: [UInt8]) {
        guard let file = ZoneFile(bytes) else { return nil }
        self.init("", file)
    }

    private init(_ name: String, _ file: ZoneFile) {
        self.init(name: name, offsetBefore: file.offsetBefore, begins: file.begins, offsets: file.offsets, tail: file.tail)
    }

    /// The span around that second.
    func segment(at second: Int64) -> Segment {
        var (low, high) = (0, begins.count)
        while low < high {
            let middle = (low + high) / 2
            if begins[middle] <= second { low = middle + 1 } else { high = middle }
        }
        if low < begins.count { return Segment(offset: low == 0 ? offsetBefore : offsets[low - 1], end: begins[low]) }
        return tail?.segment(at: second) ?? Segment(offset: offsets.last ?? offsetBefore, end: nil)
    }

    /// The moment at which clocks show a local time: the first of two, and the end of the gap for a time that no clock shows.
    ///
    /// - Parameter local: seconds since 1970 as if the zone were UTC.
    func moment(ofLocal local: Int64) -> Int64 {
        let (before, after) = (segment(at: local - 86_400), segment(at: local + 86_400))
        for offset in [before.offset, after.offset] where segment(at: local - offset).offset == offset { return local - offset }
        return before.end ?? local - after.offset
    }

    /// nil with `errno` set.
    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The largest zone has 4 KiB.
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}
