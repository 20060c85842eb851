/// The CRC-32C checksum (Castagnoli, reflected, polynomial 0x1EDC6F41): by the processor's instruction, or eight bytes at a time by tables.
///
/// Source: RFC 3720 §12.1 for the polynomial and the check values.
public enum CRC32C {
    private static let hasInstruction = isInstructionAvailable() != 0

    /// The checksum of `bytes`; pass the one of what comes before to continue it.
    public static func checksum(_ bytes: ArraySlice<UInt8>, continuing previous: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, continuing: previous) }
    }

    /// The same of bytes that lie elsewhere.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing previous: UInt32 = 0) -> UInt32 {
        hasInstruction ? byInstruction(previous, bytes.baseAddress, bytes.count) : byTables(bytes, continuing: previous)
    }

    /// Eight tables of 256: table k advances a byte over k more bytes of zeros.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0x82f6_3b78 : 0) }
            tables[byte] = value
        }
        for index in 256..<8 * 256 {
            let previous = tables[index - 256]
            tables[index] = previous >> 8 ^ tables[Int(previous & 0xff)]
        }
        return tables
    }()

    /// The same on a processor without the instruction.
    package static func byTables(_ bytes: UnsafeRawBufferPointer, continuing previous: UInt32) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc = ~previous
            var position = 0
            while position + 8 <= bytes.count {
                let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)) ^ crc
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
                crc = tables[7 * 256 + Int(low & 0xff)] ^ tables[6 * 256 + Int(low >> 8 & 0xff)]
                crc ^= tables[5 * 256 + Int(low >> 16 & 0xff)] ^ tables[4 * 256 + Int(low >> 24)]
                crc ^= tables[3 * 256 + Int(high & 0xff)] ^ tables[2 * 256 + Int(high >> 8 & 0xff)]
                crc ^= tables[256 + Int(high >> 16 & 0xff)] ^ tables[Int(high >> 24)]
                position += 8
            }
            while position < bytes.count {
                crc = crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[position])) & 0xff)]
                position += 1
            }
            return ~crc
        }
    }
}

// By their symbols (CReluxChecksum.h): whoever compiles against this module then needs no C module beside it. Numbers and pointers are handed
// over alike in C and in Swift.
@_silgen_name("relux_crc32c_is_available")
private func isInstructionAvailable() -> Int32
@_silgen_name("relux_crc32c")
private func byInstruction(_ previous: UInt32, _ bytes: UnsafeRawPointer?, _ count: Int) -> UInt32
