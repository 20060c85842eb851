/// Reads CBOR items one after the other: the primitives that generated coders call.
///
/// Borrowed from the bytes being decoded: it is only valid inside ``CBORFastCodable/init(cbor:)`` and must not be kept.
/// Every read checks its bounds; a read that throws leaves the position undefined.
public struct CBORReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var position = 0
    /// For fields that code themselves, such as secrets.
    let userInfo: [CodingUserInfoKey: any Sendable]

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
        if low < 24 { return (initial, UInt64(low)) }
        guard low <= 27 else {
            let what = low == 31 ? "an indefinite length" : "a reserved head"
            throw WireError(.malformed, "byte \(start) is \(what) (0x\(hex(initial))); only definite lengths are allowed")
        }
        var argument: UInt64 = 0
        for byte in try take(1 << Int(low - 24)) { argument = argument << 8 | UInt64(byte) }
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
        let utf8 = try take(argument(of: CBORMajor.text, "a text"))
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw WireError(.malformed, "the text at byte \(start) is not UTF-8")
        }
        return text
    }

    public mutating func byteString() throws(WireError) -> [UInt8] {
        [UInt8](try take(argument(of: CBORMajor.bytes, "a byte string")))
    }

    /// The number of elements that follow. Never reserve memory for it: it is not checked against what is left.
    public mutating func array() throws(WireError) -> UInt64 { try argument(of: CBORMajor.array, "an array") }

    /// The number of pairs that follow. Never reserve memory for it: it is not checked against what is left.
    public mutating func map() throws(WireError) -> UInt64 { try argument(of: CBORMajor.map, "a map") }

    public mutating func tag() throws(WireError) -> UInt64 { try argument(of: CBORMajor.tag, "a tag") }

    public mutating func bool() throws(WireError) -> Bool {
        switch try take(1)[0] {
        case CBORSimple.true: return true
        case CBORSimple.false: return false
        default: throw WireError(.typeMismatch, "expected true or false at byte \(offset - 1)")
        }
    }

    public mutating func double() throws(WireError) -> Double {
        let start = offset
        let (initial, argument) = try head()
        guard initial == CBORSimple.double else {
            throw WireError(.typeMismatch, "expected a double at byte \(start)")
        }
        return Double(bitPattern: argument)
    }

    public mutating func float() throws(WireError) -> Float {
        let start = offset
        let (initial, argument) = try head()
        guard initial == CBORSimple.float else {
            throw WireError(.typeMismatch, "expected a float at byte \(start)")
        }
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: argument))
        // What a NaN carries depends on the way it takes.
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
