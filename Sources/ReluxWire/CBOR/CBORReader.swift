/// Reads CBOR items one after the other: the primitives that generated coders call.
///
/// Borrowed from the bytes being decoded: it is only valid inside ``CBORFastCodable/init(cbor:)`` and must not be kept.
/// Every read checks its bounds; a read that throws leaves the position undefined.
public struct CBORReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var position = 0
    /// For fields that code themselves, such as secrets.
    let userInfo: [CodingUserInfoKey: any Sendable]

    @usableFromInline
    package init(_ bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.bytes = bytes
        self.userInfo = userInfo
    }

    /// Bytes from the start.
    @inlinable public var offset: Int { position }

    @inlinable public var isAtEnd: Bool { position == bytes.count }

    /// The next head: its initial byte and its argument.
    /// - Throws: `truncated`; `malformed` for indefinite lengths, reserved values and arguments that are not in their shortest form.
    @inlinable
    public mutating func head() throws(WireError) -> (initial: UInt8, argument: UInt64) {
        if position < bytes.count {
            let initial = bytes[position]
            // Most heads are one byte long, and hold their argument.
            if initial & 0x1f < 24 {
                position += 1
                return (initial, UInt64(initial & 0x1f))
            }
        }
        return try longHead()
    }

    @usableFromInline
    mutating func longHead() throws(WireError) -> (initial: UInt8, argument: UInt64) {
        let start = offset
        let initial = try take(1)[0]
        let low = initial & 0x1f
        let argument: UInt64
        switch low {
        case ..<24: return (initial, UInt64(low))
        case 24: argument = UInt64(try number(UInt8.self))
        case 25: argument = UInt64(try number(UInt16.self))
        case 26: argument = UInt64(try number(UInt32.self))
        case 27: argument = try number(UInt64.self)
        default:
            let what = low == 31 ? "an indefinite length" : "a reserved head"
            throw WireError(.malformed, "byte \(start) is \(what) (0x\(hex(initial))); only definite lengths are allowed")
        }
        if initial & 0xe0 == CBORMajor.simple {
            // Floats use the argument as bits; the one-byte simple values are all unassigned.
            guard low != 24 else { throw WireError(.malformed, "byte \(start) is an unassigned simple value") }
            return (initial, argument)
        }
        let shortest: UInt64 = low == 24 ? 24 : 1 << (8 << UInt64(low - 25))
        guard argument >= shortest else {
            throw WireError(.malformed, "the head at byte \(start) is longer than it needs to be; use the shortest form")
        }
        return (initial, argument)
    }

    /// The next bytes as a number, its high byte first.
    private mutating func number<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type) throws(WireError) -> Value {
        Value(bigEndian: try take(MemoryLayout<Value>.size).loadUnaligned(as: type))
    }

    private func hex(_ byte: UInt8) -> String { String(byte, radix: 16) }

    /// The next `count` bytes, borrowed.
    mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else {
            throw WireError(.truncated, "\(count) bytes are missing at byte \(offset), only \(bytes.count - offset) are left")
        }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// As `take`, for a length that came from outside.
    mutating func take(_ count: UInt64) throws(WireError) -> UnsafeRawBufferPointer {
        guard count <= UInt64(bytes.count - offset) else {
            throw WireError(.truncated, "an item of \(count) bytes starts at byte \(offset), only \(bytes.count - offset) are left")
        }
        return try take(Int(count))
    }

    private mutating func argument(of major: UInt8, _ name: StaticString) throws(WireError) -> UInt64 {
        let start = offset
        let (initial, argument) = try head()
        guard initial & 0xe0 == major else {
            throw WireError(.typeMismatch, "expected \(name) at byte \(start)")
        }
        return argument
    }

    public mutating func unsigned() throws(WireError) -> UInt64 {
        try argument(of: CBORMajor.unsigned, "an unsigned integer")
    }

    public mutating func integer() throws(WireError) -> Int64 {
        let start = offset
        let (initial, argument) = try head()
        if let value = Int64(exactly: argument) {
            switch initial & 0xe0 {
            case CBORMajor.unsigned: return value
            case CBORMajor.negative: return ~value
            default: break
            }
        }
        throw WireError(.typeMismatch, "expected a 64-bit integer at byte \(start)")
    }

    public mutating func text() throws(WireError) -> String {
        let start = offset
        let utf8 = if let short = shortString(CBORMajor.text) { short } else { try take(argument(of: CBORMajor.text, "a text")) }
        // Not String(validating:as:), which asks the runtime for types before it looks at a byte.
        guard let text = try? UTF8Span(validating: utf8.assumingMemoryBound(to: UInt8.self).span) else {
            throw WireError(.malformed, "the text at byte \(start) is not UTF-8")
        }
        return String(copying: text)
    }

    public mutating func byteString() throws(WireError) -> [UInt8] {
        if let short = shortString(CBORMajor.bytes) { return [UInt8](short) }
        return [UInt8](try take(argument(of: CBORMajor.bytes, "a byte string")))
    }

    /// The content of the next string, if all of it is there and its head takes two bytes at most; nil leaves the position where it is.
    @inline(__always)
    private mutating func shortString(_ major: UInt8) -> UnsafeRawBufferPointer? {
        let left = bytes.count - position
        guard left > 1 else { return nil }
        // Another major type makes it larger than any length.
        var (count, head) = (Int(bytes[position] ^ major), 1)
        if count == 24 { (count, head) = (Int(bytes[position + 1]), 2) }
        guard head == 2 ? count >= 24 : count < 24, head + count <= left else { return nil }
        let start = position + head
        position = start + count
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    /// The number of elements that follow. Never reserve memory for it: it is not checked against what is left.
    @inlinable
    public mutating func array() throws(WireError) -> UInt64 {
        if let count = short(0x80) { return count }
        return try longArray()
    }

    @usableFromInline
    mutating func longArray() throws(WireError) -> UInt64 { try argument(of: CBORMajor.array, "an array") }

    /// The number of pairs that follow. Never reserve memory for it: it is not checked against what is left.
    @inlinable
    public mutating func map() throws(WireError) -> UInt64 {
        if let count = short(0xa0) { return count }
        return try longMap()
    }

    @usableFromInline
    mutating func longMap() throws(WireError) -> UInt64 { try argument(of: CBORMajor.map, "a map") }

    /// The argument of the next head, if that is one byte of the given type; nil leaves the position where it is.
    @inlinable @inline(__always)
    mutating func short(_ major: UInt8) -> UInt64? {
        guard position < bytes.count, bytes[position] ^ major < 24 else { return nil }
        defer { position += 1 }
        return UInt64(bytes[position] ^ major)
    }

    public mutating func tag() throws(WireError) -> UInt64 { try argument(of: CBORMajor.tag, "a tag") }

    @inlinable
    public mutating func bool() throws(WireError) -> Bool {
        // False and true differ in one bit.
        guard position < bytes.count, bytes[position] | 1 == 0xf5 else { throw noBool() }
        defer { position += 1 }
        return bytes[position] == 0xf5
    }

    @usableFromInline
    func noBool() -> WireError {
        position < bytes.count
            ? WireError(.typeMismatch, "expected true or false at byte \(offset)")
            : WireError(.truncated, "1 bytes are missing at byte \(offset), only 0 are left")
    }

    @inlinable
    public mutating func double() throws(WireError) -> Double {
        guard bytes.count - position >= 9, bytes[position] == 0xfb else { throw noDouble() }
        defer { position += 9 }
        return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt64.self)))
    }

    @usableFromInline
    mutating func noDouble() -> WireError {
        let start = offset
        do throws(WireError) { _ = try head() } catch { return error }
        return WireError(.typeMismatch, "expected a double at byte \(start)")
    }

    public mutating func float() throws(WireError) -> Float {
        let start = offset
        let (initial, argument) = try head()
        guard initial == CBORSimple.float else {
            throw WireError(.typeMismatch, "expected a float at byte \(start)")
        }
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: argument))
        // The payload of a NaN depends on the way it takes.
        guard !value.isNaN else { throw Self.unexpected }
        return value
    }

    /// Consumes a null if that is next.
    @inlinable
    public mutating func null() -> Bool {
        guard position < bytes.count, bytes[position] == 0xf6 else { return false }
        position += 1
        return true
    }
}
