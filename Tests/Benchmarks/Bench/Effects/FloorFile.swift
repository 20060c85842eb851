import Glibc
import Relux

/// A file that batches are appended to, each with its checksum: as little of a journal as survives the death of its process.
final class FloorFile {
    private let handle: Int32
    private var end: off_t = 0

    /// - Throws: when there is no such file to be made.
    init(_ path: String) throws {
        handle = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0o600)
        guard handle >= 0 else { throw BenchError("no file \(path): \(String(cString: strerror(errno)))") }
        // Its name is of no use to anybody.
        unlink(path)
    }

    deinit { close(handle) }

    /// - Returns: the batch's checksum.
    @discardableResult
    func append(_ batch: [UInt8]) throws -> UInt32 {
        let checksum = CRC32C.checksum(batch[...])
        let written = batch.withUnsafeBytes { pwrite(handle, $0.baseAddress, $0.count, end) }
        guard written == batch.count else { throw BenchError("wrote \(written) of \(batch.count) bytes: \(String(cString: strerror(errno)))") }
        end += off_t(written)
        return checksum
    }
}

/// Numbers that stand in front of what they are about, in the machine's byte order.
struct FloorHeader {
    static let byteCount = 24
    var effect: UInt64
    var party: UInt64
    var payloadByteCount: UInt64

    init(effect: UInt64, party: UInt64, payloadByteCount: Int = 0) {
        (self.effect, self.party, self.payloadByteCount) = (effect, party, UInt64(payloadByteCount))
    }

    init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
        effect = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        party = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
        payloadByteCount = bytes.loadUnaligned(fromByteOffset: place + 16, as: UInt64.self)
    }

    func write(to bytes: inout [UInt8]) { withUnsafeBytes(of: self) { bytes.append(contentsOf: $0) } }
    func write(to writer: inout CBORWriter) { withUnsafeBytes(of: self) { writer.append($0) } }
}
