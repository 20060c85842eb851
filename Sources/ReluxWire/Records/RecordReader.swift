/// Reads the fields of a record from the bytes of a frame, never past `end`. Blobs are slices of the same storage.
struct RecordReader {
    private let source: [UInt8]
    private(set) var position: Int
    let end: Int

    init(_ source: [UInt8], _ range: Range<Int>) {
        self.source = source
        position = range.lowerBound
        end = range.upperBound
    }

    var remaining: Int { end - position }

    private func truncated(_ what: StaticString) -> WireError {
        WireError(.truncated, "\(what) is cut off at byte \(position), the end is at byte \(end)")
    }

    mutating func byte() throws(WireError) -> UInt8 {
        guard position < end else { throw truncated("a byte") }
        defer { position += 1 }
        return source[position]
    }

    @inline(__always)
    mutating func varint() throws(WireError) -> UInt64 {
        guard position < end else { throw truncated("a number") }
        let first = source[position]
        if first < 0x80 {
            position += 1
            return UInt64(first)
        }
        return try longVarint()
    }

    private mutating func longVarint() throws(WireError) -> UInt64 {
        let start = position
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard position < end else { throw truncated("a number") }
            let byte = source[position]
            position += 1
            guard shift < 63 || byte <= 1 else {
                throw WireError(.malformed, "the number at byte \(start) has more than 64 bits")
            }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard byte > 0 else {
                    throw WireError(.malformed, "the number at byte \(start) is longer than it needs to be")
                }
                return value
            }
            shift += 7
        }
    }

    mutating func fixed64() throws(WireError) -> UInt64 {
        guard remaining >= 8 else { throw truncated("a fixed number of 8 bytes") }
        defer { position += 8 }
        return source[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func fixed32() throws(WireError) -> UInt32 {
        guard remaining >= 4 else { throw truncated("a fixed number of 4 bytes") }
        defer { position += 4 }
        return source[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func slice(count: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard count <= remaining else { throw truncated("a field") }
        defer { position += count }
        return source[position..<position + count]
    }

    mutating func blob() throws(WireError) -> ArraySlice<UInt8> {
        let count = try varint()
        guard count <= UInt64(remaining) else {
            throw WireError(.truncated, "a field of \(count) bytes starts at byte \(position), only \(remaining) are left")
        }
        return try slice(count: Int(count))
    }

    mutating func text() throws(WireError) -> String {
        let start = position
        guard let text = String(validating: try blob(), as: UTF8.self) else {
            throw WireError(.malformed, "the text at byte \(start) is not UTF-8")
        }
        return text
    }

    mutating func module() throws(WireError) -> ModuleID { try ModuleID(text()) }
    mutating func topic() throws(WireError) -> Topic { try Topic(text()) }

    mutating func effectID() throws(WireError) -> EffectID {
        EffectID(module: try module(), position: try varint())
    }

    mutating func range() throws(WireError) -> ClosedRange<UInt64> {
        let lower = try varint()
        let (upper, overflow) = lower.addingReportingOverflow(try varint())
        guard !overflow else { throw WireError(.malformed, "the range before byte \(position) ends past 2^64 - 1") }
        return lower...upper
    }

    /// A count and as many elements. Every element takes at least one byte, so a count past the end is refused at once.
    mutating func list<Element>(
        _ body: (inout RecordReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let count = try varint()
        guard count <= UInt64(remaining) else {
            throw WireError(.truncated, "a list of \(count) starts at byte \(position), only \(remaining) bytes are left")
        }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }

    /// Whether the extension is among those that are left; all of them are passed over.
    mutating func takesExtension(_ wanted: UInt64) throws(WireError) -> Bool {
        var isThere = false
        while position < end {
            if try varint() == wanted { isThere = true }
            _ = try blob()
        }
        return isThere
    }

    /// The number in that extension, nil when it is not there; all that are left are passed over.
    mutating func fixed64Extension(_ wanted: UInt64) throws(WireError) -> UInt64? {
        var value: UInt64?
        while position < end {
            let isWanted = try varint() == wanted
            let body = try blob()
            guard isWanted else { continue }
            var field = RecordReader(source, body.startIndex..<body.endIndex)
            value = try field.fixed64()
        }
        return value
    }

    /// Checks and skips what a newer writer has added behind the known fields: (number, length, bytes), up to the end.
    mutating func skipExtensions() throws(WireError) {
        while position < end {
            _ = try varint()
            _ = try blob()
        }
    }
}
