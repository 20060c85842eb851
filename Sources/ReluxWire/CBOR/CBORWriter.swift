/// Appends CBOR items to growing memory: the primitives that generated coders call.
///
/// It writes what it is told, in order: whoever opens a map or an array appends exactly the announced number of items,
/// map keys in the order of ``isOrderedKey(_:before:)``.
///
/// Design notes: bytes go to memory of its own, or first to some that is lent, instead of to an array, which would be asked with each of
/// them whether it is the only one. What is small is meant to be inlined into generated code, which lies in images of its own.
public struct CBORWriter: ~Copyable {
    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var used = 0
    @usableFromInline var capacity: Int
    /// Lent memory is left to its owner.
    private var isOwner: Bool
    /// For fields that code themselves, such as secrets.
    let userInfo: [CodingUserInfoKey: any Sendable]

    public init(reservingCapacity capacity: Int = 0, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
        self.capacity = max(capacity, 16)
        start = .allocate(byteCount: self.capacity, alignment: 1)
        isOwner = true
    }

    /// - Parameter scratch: not empty; it outlives the writer, which takes memory of its own when this is full.
    @usableFromInline
    init(_ scratch: UnsafeMutableRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable]) {
        guard let start = scratch.baseAddress else { preconditionFailure("no memory was lent; lend some, or let the writer take its own") }
        (self.start, capacity, self.userInfo, isOwner) = (start, scratch.count, userInfo, false)
    }

    deinit { if isOwner { start.deallocate() } }

    /// How many bytes have been written so far.
    @inlinable public var count: Int { used }

    /// A copy of what has been written so far.
    public var bytes: [UInt8] { [UInt8](written) }

    /// The bytes that have been written so far; valid until more are.
    var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { used = 0 }

    /// The place for `size` bytes, which are taken as written.
    @inlinable @inline(__always)
    mutating func place(_ size: Int) -> UnsafeMutableRawPointer {
        if size > capacity - used { grow(size) }
        let place = start + used
        used += size
        return place
    }

    @usableFromInline @inline(never)
    mutating func grow(_ size: Int) {
        let room = max(capacity * 2, used + size)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 1)
        larger.copyMemory(from: start, byteCount: used)
        if isOwner { start.deallocate() }
        (start, capacity, isOwner) = (larger, room, true)
    }

    @inlinable @inline(__always)
    mutating func byte(_ value: UInt8) { place(1).storeBytes(of: value, as: UInt8.self) }

    /// Bytes that are an item already.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        place(bytes.count).copyMemory(from: source, byteCount: bytes.count)
    }

    /// A head: `major` in its three high bits, `argument` in the shortest of the five forms.
    @inlinable @inline(__always)
    public mutating func head(_ major: UInt8, _ argument: UInt64) {
        if argument < 24 { byte(major | UInt8(truncatingIfNeeded: argument)) } else { longHead(major, argument) }
    }

    @usableFromInline
    mutating func longHead(_ major: UInt8, _ argument: UInt64) {
        if argument <= 0xff {
            store(major | 24, UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xffff {
            store(major | 25, UInt16(truncatingIfNeeded: argument))
        } else if argument <= 0xffff_ffff {
            store(major | 26, UInt32(truncatingIfNeeded: argument))
        } else {
            store(major | 27, argument)
        }
    }

    /// An initial byte, and a number behind it, its high byte first.
    @inlinable @inline(__always)
    mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(_ initial: UInt8, _ value: Value) {
        let place = place(1 + MemoryLayout<Value>.size)
        place.storeBytes(of: initial, as: UInt8.self)
        place.storeBytes(of: value.bigEndian, toByteOffset: 1, as: Value.self)
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

    public mutating func text(_ value: String) {
        value.utf8.span.withUnsafeBytes { string(0x60, $0) }
    }

    /// A byte string (major type 2).
    public mutating func byteString(_ value: [UInt8]) {
        value.withUnsafeBytes { string(0x40, $0) }
    }

    @inline(__always)
    private mutating func string(_ major: UInt8, _ content: UnsafeRawBufferPointer) {
        head(major, UInt64(content.count))
        append(content)
    }

    @inlinable
    public mutating func array(count: Int) { head(0x80, UInt64(count)) }

    @inlinable
    public mutating func map(count: Int) { head(0xa0, UInt64(count)) }

    @inlinable
    public mutating func tag(_ number: UInt64) { head(0xc0, number) }

    @inlinable
    public mutating func bool(_ value: Bool) { byte(value ? 0xf5 : 0xf4) }

    @inlinable
    public mutating func null() { byte(0xf6) }

    /// Four bytes, whatever the value: equal types have equal widths.
    @inlinable
    public mutating func float(_ value: Float) { store(0xfa, value.bitPattern) }

    /// Eight bytes, whatever the value.
    @inlinable
    public mutating func double(_ value: Double) { store(0xfb, value.bitPattern) }

    /// Whether `first` comes before `second` in a deterministic map (RFC 8949 §4.2.1): shorter keys first, then by bytes.
    public static func isOrderedKey(_ first: String, before second: String) -> Bool {
        let (left, right) = (first.utf8, second.utf8)
        if left.count != right.count { return left.count < right.count }
        return left.lexicographicallyPrecedes(right)
    }
}
