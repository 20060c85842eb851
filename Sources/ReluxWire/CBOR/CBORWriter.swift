/// Appends CBOR items to a growing array of bytes: the primitives that generated coders call.
///
/// It writes what it is told, in order: whoever opens a map or an array appends exactly as many items as were announced,
/// map keys in the order of ``isOrderedKey(_:before:)``.
public struct CBORWriter: Sendable {
    /// What has been written so far.
    public var bytes: [UInt8] = []
    /// For fields that code themselves, such as secrets.
    let userInfo: [CodingUserInfoKey: any Sendable]

    public init(reservingCapacity capacity: Int = 0, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
        bytes.reserveCapacity(capacity)
    }

    /// A head: `major` in its three high bits, `argument` in the shortest of the five forms.
    @inlinable
    public mutating func head(_ major: UInt8, _ argument: UInt64) {
        if argument < 24 {
            bytes.append(major | UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xff {
            bytes.append(major | 24)
            bytes.append(UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xffff {
            bytes.append(major | 25)
            bigEndian(UInt16(truncatingIfNeeded: argument))
        } else if argument <= 0xffff_ffff {
            bytes.append(major | 26)
            bigEndian(UInt32(truncatingIfNeeded: argument))
        } else {
            bytes.append(major | 27)
            bigEndian(argument)
        }
    }

    @inlinable
    mutating func bigEndian<I: FixedWidthInteger>(_ value: I) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    @inlinable
    public mutating func integer(_ value: Int64) {
        if value >= 0 {
            head(0x00, UInt64(bitPattern: value))
        } else {
            head(0x20, UInt64(bitPattern: ~value))
        }
    }

    @inlinable
    public mutating func unsigned(_ value: UInt64) { head(0x00, value) }

    @inlinable
    public mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            head(0x60, UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// A byte string (major type 2).
    @inlinable
    public mutating func byteString(_ value: some Collection<UInt8>) {
        head(0x40, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    @inlinable
    public mutating func array(count: Int) { head(0x80, UInt64(count)) }

    @inlinable
    public mutating func map(count: Int) { head(0xa0, UInt64(count)) }

    @inlinable
    public mutating func tag(_ number: UInt64) { head(0xc0, number) }

    @inlinable
    public mutating func bool(_ value: Bool) { bytes.append(value ? 0xf5 : 0xf4) }

    @inlinable
    public mutating func null() { bytes.append(0xf6) }

    /// Four bytes, whatever the value: equal types have equal widths.
    @inlinable
    public mutating func float(_ value: Float) {
        bytes.append(0xfa)
        bigEndian(value.bitPattern)
    }

    /// Eight bytes, whatever the value.
    @inlinable
    public mutating func double(_ value: Double) {
        bytes.append(0xfb)
        bigEndian(value.bitPattern)
    }

    /// Whether `first` comes before `second` in a deterministic map (RFC 8949 §4.2.1): shorter keys first, then by bytes.
    public static func isOrderedKey(_ first: String, before second: String) -> Bool {
        let (left, right) = (first.utf8, second.utf8)
        if left.count != right.count { return left.count < right.count }
        return left.lexicographicallyPrecedes(right)
    }
}
