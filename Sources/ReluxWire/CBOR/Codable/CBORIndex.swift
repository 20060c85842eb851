/// The items of a CBOR text, checked once and laid out flat, so that everything after it only looks up.
///
/// Memory grows with items that were found to be there, never with a length that the text claims.
struct CBORIndex {
    struct Item {
        /// The argument of the head: the number, the count of elements, the bits of a float.
        var argument: UInt64
        /// Where the content starts: bytes of a string.
        var content: UInt32
        /// The index of the item that follows this one and all that is inside it.
        var next: UInt32
        /// In a map: the key where the next look-up starts, since fields are mostly asked for in order.
        var cursor: UInt32
        /// The first byte of the head.
        var initial: UInt8

        var major: UInt8 { initial & 0xe0 }
    }

    /// Borrowed: the index must not outlive them.
    let bytes: UnsafeRawBufferPointer
    var items: [Item] = []
    let userInfo: [CodingUserInfoKey: any Sendable]

    /// - Throws: `truncated`, `malformed`, `limitExceeded`.
    init(_ bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws(WireError) {
        guard bytes.count <= CBORLimits.byteCount else {
            throw WireError(.limitExceeded, "a CBOR text of \(bytes.count) bytes is over the limit of \(CBORLimits.byteCount)")
        }
        self.bytes = bytes
        self.userInfo = userInfo
        items.reserveCapacity(min(bytes.count, 64))
        var reader = CBORReader(bytes)
        try read(&reader, depth: 0)
        guard reader.isAtEnd else {
            throw WireError(.malformed, "\(bytes.count - reader.offset) bytes follow the value, which ends at byte \(reader.offset)")
        }
    }

    /// One item of a text whose other parts somebody else reads.
    /// - Parameter depth: how many containers it is taken to be in.
    /// - Throws: `truncated`, `malformed`, `limitExceeded`.
    init(item reader: inout CBORReader, depth: Int) throws(WireError) {
        bytes = reader.bytes
        userInfo = reader.userInfo
        try read(&reader, depth: depth)
    }

    private mutating func read(_ reader: inout CBORReader, depth: Int) throws(WireError) {
        let start = reader.offset
        let (initial, argument) = try reader.head()
        let position = items.count
        items.append(
            Item(argument: argument, content: UInt32(reader.offset), next: 0, cursor: UInt32(position + 1), initial: initial))
        switch initial & 0xe0 {
        case CBORMajor.unsigned, CBORMajor.negative:
            break
        case CBORMajor.bytes:
            _ = try reader.take(argument)
        case CBORMajor.text:
            guard Self.isUTF8(try reader.take(argument)) else {
                throw WireError(.malformed, "the text at byte \(start) is not UTF-8")
            }
        case CBORMajor.simple:
            try Self.checkSimple(initial, at: start)
        default:
            guard depth < CBORLimits.depth else {
                throw WireError(.limitExceeded, "the value nests deeper than \(CBORLimits.depth) at byte \(start)")
            }
            try readElements(&reader, of: position, depth: depth + 1)
        }
        items[position].next = UInt32(items.count)
    }

    private mutating func readElements(_ reader: inout CBORReader, of position: Int, depth: Int) throws(WireError) {
        let argument = items[position].argument
        switch items[position].major {
        case CBORMajor.array:
            var left = argument
            while left > 0 {
                try read(&reader, depth: depth)
                left -= 1
            }
        case CBORMajor.map:
            try readPairs(&reader, count: argument, depth: depth)
        default:
            try read(&reader, depth: depth)
        }
    }

    private mutating func readPairs(_ reader: inout CBORReader, count: UInt64, depth: Int) throws(WireError) {
        let start = reader.offset
        var keys: [Range<Int>] = []
        var previous: Range<Int>?
        var isOrdered = true
        let first = items.count
        var left = count
        while left > 0 {
            let keyStart = reader.offset
            try read(&reader, depth: depth)
            let key = keyStart..<reader.offset
            if let previous, !precedes(previous, key) { isOrdered = false }
            previous = key
            try read(&reader, depth: depth)
            left -= 1
        }
        guard !isOrdered else { return }
        // A foreign encoder's order: only now is it worth collecting the keys to look for one that comes twice.
        var item = first
        while item < items.count {
            let value = Int(items[item].next)
            keys.append(range(ofKey: item))
            item = Int(items[value].next)
        }
        keys.sort(by: precedes)
        for (left, right) in zip(keys, keys.dropFirst()) where !precedes(left, right) {
            throw WireError(.malformed, "the map at byte \(start) has a key twice, at bytes \(left.lowerBound) and \(right.lowerBound)")
        }
    }

    /// The bytes of a key, head included. Heads have one spelling, so equal keys have equal bytes.
    private func range(ofKey item: Int) -> Range<Int> {
        let last = Int(items[item].next) - 1
        let start = headStart(of: item)
        // The end of the last item inside the key.
        if items[last].major == CBORMajor.bytes || items[last].major == CBORMajor.text {
            return start..<Int(items[last].content) + Int(items[last].argument)
        }
        return start..<Int(items[last].content)
    }

    private func headStart(of item: Int) -> Int {
        let length: Int
        switch items[item].initial & 0x1f {
        case 24: length = 2
        case 25: length = 3
        case 26: length = 5
        case 27: length = 9
        default: length = 1
        }
        return Int(items[item].content) - length
    }

    private func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        bytes[left].lexicographicallyPrecedes(bytes[right])
    }

    private static func checkSimple(_ initial: UInt8, at offset: Int) throws(WireError) {
        switch initial {
        case CBORSimple.false, CBORSimple.true, CBORSimple.null, CBORSimple.half, CBORSimple.float, CBORSimple.double: break
        default: throw WireError(.malformed, "byte \(offset) is the simple value \(initial & 0x1f), which this format does not use")
        }
    }

    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }
}

extension CBORIndex {
    /// The bytes of the string at `item`.
    func content(of item: Int) -> UnsafeRawBufferPointer {
        let start = Int(items[item].content)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(items[item].argument)])
    }

    func text(of item: Int) -> String { String(decoding: content(of: item), as: UTF8.self) }

    /// The number at `item` when it is one of the three floats.
    func floatingPoint(of item: Int) -> Double? {
        let bits = items[item].argument
        switch items[item].initial {
        case CBORSimple.double: return Double(bitPattern: bits)
        case CBORSimple.float: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case CBORSimple.half: return Double(halfPrecision: UInt16(truncatingIfNeeded: bits))
        default: return nil
        }
    }

    /// The kind of the value at `item`, for messages.
    func kind(of item: Int) -> String {
        switch items[item].major {
        case CBORMajor.unsigned: return "integer \(items[item].argument)"
        case CBORMajor.negative: return "a negative integer"
        case CBORMajor.bytes: return "\(items[item].argument) bytes"
        case CBORMajor.text: return "a text"
        case CBORMajor.array: return "an array of \(items[item].argument)"
        case CBORMajor.map: return "a map of \(items[item].argument)"
        case CBORMajor.tag: return "tag \(items[item].argument)"
        default: break
        }
        switch items[item].initial {
        case CBORSimple.true: return "true"
        case CBORSimple.false: return "false"
        case CBORSimple.null: return "null"
        default: return "a floating-point number"
        }
    }
}

extension Double {
    /// Source: RFC 8949, appendix D.
    init(halfPrecision bits: UInt16) {
        let exponent = Int(bits >> 10 & 0x1f)
        let mantissa = Double(bits & 0x3ff)
        let magnitude: Double
        switch exponent {
        case 0: magnitude = mantissa * 0x1p-24
        case 31: magnitude = mantissa == 0 ? .infinity : .nan
        default: magnitude = Double(sign: .plus, exponent: exponent - 25, significand: mantissa + 1024)
        }
        self = bits & 0x8000 == 0 ? magnitude : -magnitude
    }
}
