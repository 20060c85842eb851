package import ReluxWire

/// Constants and names of the format; `FileFormat.md` beside this target describes it byte by byte.
package enum JournalFormat {
    /// The only version that this build reads and writes. Version 1 said each settlement by itself, version 2 all numbers of each effect.
    package static let version: UInt16 = 3
    /// The reserved topic of the journal's own records.
    package static let topic: Topic = "~journal"
    /// The most that one batch may have, in bytes.
    package static let batchByteLimit = 128 << 20

    /// The highest sequence, position and number: sums of two stay within 64 bits, whatever a file says.
    static let numberLimit: UInt64 = 1 << 62

    static let segmentMagic: [UInt8] = Array("RELUXJ\r\n".utf8)
    static let batchMagic: [UInt8] = Array("RLXB".utf8)
    static let headerByteCount = 256
    static let batchHeaderByteCount = 32
    static let trailerByteCount = 8
    /// Batches start and end at multiples of this.
    static let alignment = 8

    static let segmentSuffix = ".seg"
    /// The suffix of a segment that is being made.
    static let draftSuffix = ".seg.new"
    static let lockName = "lock"
    static let quarantineName = "quarantine"

    /// Sixteen digits, so that names sort as numbers do.
    static func segmentName(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + segmentSuffix
    }

    /// The number in a segment's name; nil for any other name.
    static func segmentNumber(_ name: String) -> UInt64? {
        guard name.hasSuffix(segmentSuffix), let number = UInt64(name.dropLast(segmentSuffix.count)), (1...numberLimit).contains(number)
        else { return nil }
        return segmentName(number) == name ? number : nil
    }

    /// The checksum that a batch's checksum continues: ties it to its segment and its place there.
    static func seed(salt: UInt64, offset: Int) -> UInt32 {
        withUnsafeBytes(of: (salt.bigEndian, UInt64(offset).bigEndian)) { CRC32C.checksum($0) }
    }
}
