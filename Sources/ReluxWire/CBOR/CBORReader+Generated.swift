/// The rest of a map whose fields a generated coder asks for, in the order of their bytes.
public struct CBORFields {
    @usableFromInline var left: UInt64
    /// Where the last key begins that was met; nil before the first.
    @usableFromInline var last: Int?

    @usableFromInline
    init(left: UInt64) { self.left = left }
}

/// The reads that generated coders ask for beyond single items.
///
/// Names nobody asks for are skipped, if they come where deterministic encoding puts them; else all is left to the generic coder. The
/// errors are for nobody's eyes: what is refused here the generic coder reads once more, and says why.
extension CBORReader {
    /// - Throws: unless a map of one pair is next, which is an enum's case.
    @inlinable
    public mutating func openCase() throws(WireError) {
        guard position < bytes.count, bytes[position] == 0xa1 else { throw Self.unexpected }
        position += 1
    }

    /// Consumes a text if exactly that is next.
    @inlinable @inline(__always)
    public mutating func key(_ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        let start = count < 24 ? 1 : 2
        guard count < 0x100, start + count <= bytes.count - position else { return false }
        guard bytes[position] == (count < 24 ? 0x60 | UInt8(truncatingIfNeeded: count) : 0x78) else { return false }
        if start == 2, bytes[position + 1] != UInt8(truncatingIfNeeded: count) { return false }
        guard holds(name, at: position + start) else { return false }
        position += start + count
        return true
    }

    /// Compares a word at a time; the caller has checked that enough bytes are left.
    @inlinable @inline(__always)
    func holds(_ name: StaticString, at start: Int) -> Bool {
        let (count, name) = (name.utf8CodeUnitCount, UnsafeRawPointer(name.utf8Start))
        func holds<Word: FixedWidthInteger & BitwiseCopyable>(_ type: Word.Type, at offset: Int) -> Bool {
            bytes.loadUnaligned(fromByteOffset: start + offset, as: type) == name.loadUnaligned(fromByteOffset: offset, as: type)
        }
        // The last word of a name may overlap the one before it.
        if count < 2 { return count == 0 || holds(UInt8.self, at: 0) }
        if count < 4 { return holds(UInt16.self, at: 0) && holds(UInt16.self, at: count - 2) }
        if count < 8 { return holds(UInt32.self, at: 0) && holds(UInt32.self, at: count - 4) }
        var offset = 0
        while offset + 8 < count {
            guard holds(UInt64.self, at: offset) else { return false }
            offset += 8
        }
        return holds(UInt64.self, at: count - 8)
    }

    @inlinable
    public mutating func openFields() throws(WireError) -> CBORFields { CBORFields(left: try map()) }

    /// Comes to the value of a field that has to be there.
    @inlinable @inline(__always)
    public mutating func need(_ name: StaticString, in fields: inout CBORFields) throws(WireError) {
        guard try find(name, in: &fields) else { throw Self.unexpected }
    }

    /// Comes to the value of a field if it is there and no null.
    @inlinable @inline(__always)
    public mutating func has(_ name: StaticString, in fields: inout CBORFields) throws(WireError) -> Bool {
        guard try find(name, in: &fields) else { return false }
        return !null()
    }

    @inlinable @inline(__always)
    mutating func find(_ name: StaticString, in fields: inout CBORFields) throws(WireError) -> Bool {
        guard fields.left > 0 else { return false }
        let start = position
        guard key(name) else { return try skip(to: name, in: &fields) }
        fields.left -= 1
        fields.last = start
        return true
    }

    /// Skips whatever nobody has asked for.
    @inlinable
    public mutating func close(_ fields: inout CBORFields) throws(WireError) {
        if fields.left > 0 { _ = try skip(to: nil, in: &fields) }
    }

    /// - Parameter name: nil skips to the end.
    @usableFromInline
    mutating func skip(to name: StaticString?, in fields: inout CBORFields) throws(WireError) -> Bool {
        while fields.left > 0 {
            let start = position
            // Checks that it is UTF-8, too.
            let found = try text()
            if let name {
                let wanted = String(describing: name)
                if !CBORWriter.isOrderedKey(found, before: wanted) {
                    // The caller has looked where it stands; here it comes behind others.
                    if found.utf8.elementsEqual(wanted.utf8) {
                        fields.left -= 1
                        fields.last = start
                        return true
                    }
                    position = start
                    return false
                }
            }
            if let last = fields.last {
                var before = self
                before.position = last
                guard CBORWriter.isOrderedKey(try before.text(), before: found) else { throw Self.unexpected }
            }
            _ = try CBORIndex(item: &self, depth: CBORLimits.generatedDepth)
            fields.left -= 1
            fields.last = start
        }
        return false
    }

    @inlinable
    public mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(WireError) -> Value {
        let (initial, argument) = try head()
        switch initial & 0xe0 {
        case 0x00: if let value = Value(exactly: argument) { return value }
        case 0x20: if argument <= Int64.max, let value = Value(exactly: ~Int64(argument)) { return value }
        default: break
        }
        throw Self.unexpected
    }

    /// A raw value's case.
    @inlinable
    public static func known<Value>(_ value: Value?) throws(WireError) -> Value {
        guard let value else { throw unexpected }
        return value
    }

    @inlinable
    public mutating func list<Element>(
        _ read: (inout CBORReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        var elements: [Element] = []
        var left = try array()
        // Each element takes a byte at least; what is only claimed is not made room for.
        elements.reserveCapacity(Int(min(left, 16)))
        while left > 0 {
            elements.append(try read(&self))
            left -= 1
        }
        return elements
    }

    @inlinable
    public mutating func table<Value>(
        _ read: (inout CBORReader) throws(WireError) -> Value
    ) throws(WireError) -> [String: Value] {
        var pairs: [String: Value] = [:]
        var previous: String?
        var left = try map()
        while left > 0 {
            let key = try text()
            if let previous, !CBORWriter.isOrderedKey(previous, before: key) { throw Self.unexpected }
            pairs[key] = try read(&self)
            previous = key
            left -= 1
        }
        return pairs
    }

    /// An element that may be null.
    @inlinable
    public mutating func optional<Wrapped>(
        _ read: (inout CBORReader) throws(WireError) -> Wrapped
    ) throws(WireError) -> Wrapped? {
        null() ? nil : try read(&self)
    }

    /// A value whose coding is its own affair.
    public mutating func codable<Value: Decodable>(_ type: Value.Type) throws(WireError) -> Value {
        try CBOR.value(type, of: try CBORIndex(item: &self, depth: CBORLimits.generatedDepth))
    }

    /// A field whose coding is its own affair, and that has to be there.
    public mutating func codable<Value: Decodable>(
        _ type: Value.Type, key name: StaticString, in fields: inout CBORFields
    ) throws(WireError) -> Value {
        try need(name, in: &fields)
        return try codable(type)
    }

    /// As above, if it is there: for a type by a name that stands for an optional.
    public mutating func codable<Wrapped: Decodable>(
        _ type: Wrapped?.Type, key name: StaticString, in fields: inout CBORFields
    ) throws(WireError) -> Wrapped? {
        try has(name, in: &fields) ? codable(Wrapped.self) : nil
    }

    /// Not what a generated coder reads; the generic one will tell.
    public static var unexpected: WireError { WireError(.typeMismatch, "the generic coder has to look at this") }
}
