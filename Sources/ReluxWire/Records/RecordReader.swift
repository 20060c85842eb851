/// Reads the records of a frame and their fields, never past `end`. Blobs are slices of the same storage.
///
/// Design notes. One reader goes through all records of a frame: an effect may share what was said of those before it, and a text that was
/// read before (``ReadTexts``) is neither checked nor allocated again.
struct RecordReader {
    private let source: [UInt8]
    private(set) var position: Int
    private(set) var end: Int
    private var texts = ReadTexts()
    /// The effects that were read.
    var chain = EffectChain()

    init(_ source: [UInt8], _ range: Range<Int>) {
        self.source = source
        position = range.lowerBound
        end = range.upperBound
    }

    var remaining: Int { end - position }

    /// Narrows the reader to the record that starts here; ``leave(_:)`` goes on behind it.
    ///
    /// - Returns: where the reader ended before.
    mutating func enterRecord() throws(WireError) -> Int {
        let count = try blobCount()
        guard count <= WireRecord.byteLimit else {
            throw WireError(.limitExceeded, "a record of \(count) bytes is over the limit of \(WireRecord.byteLimit)")
        }
        defer { end = position + count }
        return end
    }

    /// Passes over the rest of the record.
    mutating func leave(_ outer: Int) {
        position = end
        end = outer
    }

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

    mutating func zigzag() throws(WireError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private mutating func longVarint() throws(WireError) -> UInt64 {
        let (start, limit) = (position, min(end, position + Self.varintByteLimit))
        var value: UInt64 = 0
        // Read where the bytes lie: a check of the array's bounds for each of them costs more than the rest.
        let last: (place: Int, byte: UInt8)? = source.withUnsafeBufferPointer { source in
            var shift: UInt64 = 0
            for place in start..<limit {
                let byte = source[place]
                value |= UInt64(byte & 0x7f) &<< shift
                if byte < 0x80 { return (place, byte) }
                shift += 7
            }
            return nil
        }
        guard let last else {
            if limit - start == Self.varintByteLimit { throw Self.tooLong(start) }
            position = end
            throw truncated("a number")
        }
        position = last.place + 1
        if position - start == Self.varintByteLimit, last.byte > 1 { throw Self.tooLong(start) }
        guard last.byte > 0 else { throw WireError(.malformed, "the number at byte \(start) is longer than it needs to be") }
        return value
    }

    /// 64 bits, seven in each byte.
    private static let varintByteLimit = 10

    private static func tooLong(_ start: Int) -> WireError { WireError(.malformed, "the number at byte \(start) has more than 64 bits") }

    mutating func fixed64() throws(WireError) -> UInt64 {
        guard remaining >= 8 else { throw truncated("a fixed number of 8 bytes") }
        defer { position += 8 }
        return source.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self)) }
    }

    mutating func fixed32() throws(WireError) -> UInt32 {
        guard remaining >= 4 else { throw truncated("a fixed number of 4 bytes") }
        defer { position += 4 }
        return source.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt32.self)) }
    }

    mutating func slice(count: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard count <= remaining else { throw truncated("a field") }
        defer { position += count }
        return source[position..<position + count]
    }

    mutating func blob() throws(WireError) -> ArraySlice<UInt8> {
        try slice(count: try blobCount())
    }

    private mutating func blobCount() throws(WireError) -> Int {
        let count = try varint()
        guard count <= UInt64(remaining) else {
            throw WireError(.truncated, "a field of \(count) bytes starts at byte \(position), only \(remaining) are left")
        }
        return Int(count)
    }

    mutating func text() throws(WireError) -> String {
        let start = position
        let count = try blobCount()
        defer { position += count }
        guard let text = texts.text(at: position..<position + count, of: source) else {
            throw WireError(.malformed, "the text at byte \(start) is not UTF-8")
        }
        return text
    }

    /// A name's bytes again: a text that is only canonically equivalent is no name, and longer.
    private static func isSame(_ name: String, _ text: String) -> Bool { name.utf8.count == text.utf8.count && name == text }

    mutating func module() throws(WireError) -> ModuleID {
        let text = try text()
        if let known = texts.module, Self.isSame(known.rawValue, text) { return known }
        let module = try ModuleID(text)
        texts.module = module
        return module
    }

    mutating func topic() throws(WireError) -> Topic {
        let text = try text()
        if let known = texts.topic, Self.isSame(known.rawValue, text) { return known }
        let topic = try Topic(text)
        texts.topic = topic
        return topic
    }

    mutating func effectID() throws(WireError) -> EffectID {
        EffectID(module: try module(), position: try varint())
    }

    mutating func range() throws(WireError) -> ClosedRange<UInt64> {
        let lower = try varint()
        let (upper, overflow) = lower.addingReportingOverflow(try varint())
        guard !overflow else { throw WireError(.malformed, "the range before byte \(position) ends past 2^64 - 1") }
        return lower...upper
    }

    /// A count and that many elements. Every element takes at least one byte, so a count past the end is refused at once.
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
