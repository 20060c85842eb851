internal import FoundationEssentials
internal import Glibc

/// A log file, open for one line; it closes with the value.
///
/// Foundation's `FileHandle` does the same, and would load a library that takes longer to load than this whole module.
struct LogFile: ~Copyable {
    struct Failure: Error, CustomStringConvertible {
        let step: String
        let number: Int32
        var description: String { "\(step): \(String(cString: strerror(number)))" }

        /// - Parameter step: the call that has just failed.
        static func last(_ step: String) -> Failure { Failure(step: step, number: errno) }
    }

    private let descriptor: Int32

    /// Opens the file, and makes it if necessary, in a directory that others cannot read.
    init(path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let opened = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard opened >= 0 else { throw Failure.last("open") }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// In bytes.
    func size() throws -> Int {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw Failure.last("seek") }
        return Int(size)
    }

    func byte(at offset: Int) throws -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = pread(descriptor, &byte, 1, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure.last("read") }
            return count == 1 ? byte : nil
        }
    }

    func append(_ line: Data) throws {
        let bytes = [UInt8](line)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, bytes.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure.last("write") }
            written += count
        }
    }
}
