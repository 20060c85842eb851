/// Appends the fields of a record.
struct RecordWriter {
    var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Unsigned LEB128: seven bits per byte, low ones first, the high bit set on all bytes but the last.
    @inline(__always)
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small numbers of either sign take one byte: 0, -1, 1, -2 are written as 0, 1, 2, 3.
    mutating func zigzag(_ value: Int64) { varint(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func count(_ value: Int) { varint(UInt64(value)) }

    /// Eight bytes, big endian: for numbers that use all their bits.
    mutating func fixed64(_ value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func fixed32(_ value: UInt32) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            varint(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    mutating func blob(_ value: ArraySlice<UInt8>) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func module(_ value: ModuleID) { text(value.rawValue) }
    mutating func topic(_ value: Topic) { text(value.rawValue) }

    mutating func effectID(_ value: EffectID) {
        module(value.module)
        varint(value.position)
    }

    /// The low end and how far the high end lies above it.
    mutating func range(_ value: ClosedRange<UInt64>) {
        varint(value.lowerBound)
        varint(value.upperBound - value.lowerBound)
    }

    mutating func list<Element>(_ elements: [Element], _ body: (inout RecordWriter, Element) -> Void) {
        count(elements.count)
        for element in elements { body(&self, element) }
    }
}
