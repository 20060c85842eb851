/// Appends the primitives of the format: big-endian numbers, varints, strings.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }
    mutating func fixed<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func text(_ value: String) {
        varint(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    mutating func blob(_ value: ArraySlice<UInt8>) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// The low end and how far the high end lies above it; 0 and 0 for none, so that a range starts at 1 at least.
    mutating func range(_ value: ClosedRange<UInt64>?) {
        varint(value?.lowerBound ?? 0)
        varint(value.map { $0.upperBound - $0.lowerBound } ?? 0)
    }

    mutating func padding(to multiple: Int) {
        let rest = bytes.count % multiple
        if rest > 0 { bytes.append(contentsOf: repeatElement(0, count: multiple - rest)) }
    }
}

/// Why bytes that passed their checksum, or claim to, cannot be read.
struct FieldError: Error { var reason: String }

/// Reads the primitives, never past the end of its slice.
struct ByteReader {
    private let source: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ source: ArraySlice<UInt8>) {
        self.source = source
        position = source.startIndex
    }

    var remaining: Int { source.endIndex - position }

    mutating func slice(_ count: UInt64) throws(FieldError) -> ArraySlice<UInt8> {
        guard count <= UInt64(remaining) else {
            throw FieldError(reason: "a field of \(count) bytes is cut off, \(remaining) are left")
        }
        defer { position += Int(count) }
        return source[position..<position + Int(count)]
    }

    mutating func byte() throws(FieldError) -> UInt8 {
        guard position < source.endIndex else { throw FieldError(reason: "a byte is cut off") }
        defer { position += 1 }
        return source[position]
    }

    mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(FieldError) -> Number {
        try slice(UInt64(Number.bitWidth / 8)).withUnsafeBytes { Number(bigEndian: $0.loadUnaligned(as: Number.self)) }
    }

    mutating func varint() throws(FieldError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw FieldError(reason: "a number has more than 64 bits") }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// A sequence, position or number.
    mutating func number() throws(FieldError) -> UInt64 {
        let value = try varint()
        guard value <= JournalFormat.numberLimit else {
            throw FieldError(reason: "the number \(value) is over the limit of \(JournalFormat.numberLimit)")
        }
        return value
    }

    mutating func blob() throws(FieldError) -> ArraySlice<UInt8> { try slice(varint()) }

    mutating func text() throws(FieldError) -> String {
        guard let text = String(validating: try blob(), as: UTF8.self) else { throw FieldError(reason: "a text is not UTF-8") }
        return text
    }

    mutating func range() throws(FieldError) -> ClosedRange<UInt64>? {
        let (low, span) = (try varint(), try varint())
        guard low > 0 else { return nil }
        let (high, overflow) = low.addingReportingOverflow(span)
        guard !overflow, high <= JournalFormat.numberLimit else {
            throw FieldError(reason: "a range from \(low) ends past the limit of \(JournalFormat.numberLimit)")
        }
        return low...high
    }

    /// A count and that many elements. Each takes at least one byte, so a count past the end is refused at once.
    mutating func list<Element>(_ body: (inout ByteReader) throws(FieldError) -> Element) throws(FieldError) -> [Element] {
        let count = try varint()
        guard count <= UInt64(remaining) else { throw FieldError(reason: "a list of \(count) is cut off, \(remaining) bytes are left") }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }
}
