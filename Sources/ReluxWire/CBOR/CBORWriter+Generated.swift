/// The writes that generated coders ask for beyond single items.
extension CBORWriter {
    /// A field's name, of ASCII letters mostly: whoever opened the map writes them in the order of ``isOrderedKey(_:before:)``.
    @inlinable @inline(__always)
    public mutating func key(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        head(0x60, UInt64(count))
        place(count).copyMemory(from: name.utf8Start, byteCount: count)
    }

    /// An enum's case, with `fields` labelled values behind it.
    @inlinable @inline(__always)
    public mutating func open(case name: StaticString, fields: Int) {
        map(count: 1)
        key(name)
        map(count: fields)
    }

    @inlinable
    public mutating func integer(_ value: some SignedInteger & FixedWidthInteger) { integer(Int64(value)) }

    @inlinable
    public mutating func integer(_ value: some UnsignedInteger & FixedWidthInteger) { unsigned(UInt64(value)) }

    @inlinable
    public mutating func list<Element>(
        _ elements: [Element], _ write: (inout CBORWriter, Element) throws(WireError) -> Void
    ) throws(WireError) {
        array(count: elements.count)
        for element in elements { try write(&self, element) }
    }

    /// A dictionary, its keys in their order.
    @inlinable
    public mutating func table<Value>(
        _ pairs: [String: Value], _ write: (inout CBORWriter, Value) throws(WireError) -> Void
    ) throws(WireError) {
        map(count: pairs.count)
        for (key, value) in pairs.sorted(by: { Self.isOrderedKey($0.key, before: $1.key) }) {
            text(key)
            try write(&self, value)
        }
    }

    /// An element that may be absent, where absence has to be said.
    @inlinable
    public mutating func optional<Wrapped>(
        _ value: Wrapped?, _ write: (inout CBORWriter, Wrapped) throws(WireError) -> Void
    ) throws(WireError) {
        if let value { try write(&self, value) } else { null() }
    }

    /// A value whose coding is its own affair.
    /// - Throws: what `CBOR.encode` does; `limitExceeded` sooner, since it is inside of something.
    public mutating func codable(_ value: some Encodable) throws(WireError) {
        let item = try CBOR.encodeGenerically(value, userInfo: userInfo, depth: UInt8(CBORLimits.generatedDepth))
        item.withUnsafeBytes { append($0) }
    }

    // For a field whose type has a name that may stand for an optional: only the compiler knows, and takes the second of each.

    /// How many keys a field takes.
    @inlinable public static func count<Value>(_ value: Value) -> Int { 1 }
    @inlinable public static func count<Wrapped>(_ value: Wrapped?) -> Int { value == nil ? 0 : 1 }

    /// A field whose coding is its own affair.
    /// - Throws: as ``codable(_:)``.
    public mutating func codable<Value: Encodable>(_ value: Value, key name: StaticString) throws(WireError) {
        key(name)
        try codable(value)
    }

    /// As above; an absent one is left out.
    public mutating func codable<Wrapped: Encodable>(_ value: Wrapped?, key name: StaticString) throws(WireError) {
        guard let value else { return }
        key(name)
        try codable(value)
    }
}
