/// Any CBOR item as a value, for readers that do not have the Swift type: CLI, tap, audit.
public indirect enum CBORValue: Sendable, Hashable {
    case unsigned(UInt64)
    /// Stands for `-1 - argument`, so that all 64 bits count.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// In the order of the bytes; ``encoded()`` sorts.
    case map([Pair])
    case tagged(UInt64, CBORValue)
    case bool(Bool)
    case null
    case float(Float)
    case double(Double)

    public struct Pair: Sendable, Hashable {
        public var key: CBORValue
        public var value: CBORValue

        public init(_ key: CBORValue, _ value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// - Throws: `truncated`, `malformed`, `limitExceeded`.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        try self.init(decoding: bytes[...])
    }

    /// - Throws: `truncated`, `malformed`, `limitExceeded`.
    public init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
        self = try bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            CBORValue(try CBORIndex(UnsafeRawBufferPointer(buffer)), item: 0)
        }
    }

    private init(_ index: CBORIndex, item: Int) {
        let argument = index.items[item].argument
        switch index.items[item].major {
        case CBORMajor.unsigned: self = .unsigned(argument)
        case CBORMajor.negative: self = .negative(argument)
        case CBORMajor.bytes: self = .bytes([UInt8](index.content(of: item)))
        case CBORMajor.text: self = .text(index.text(of: item))
        case CBORMajor.array: self = .array(Self.elements(of: item, in: index))
        case CBORMajor.map:
            let elements = Self.elements(of: item, in: index)
            self = .map(stride(from: 0, to: elements.count - 1, by: 2).map { Pair(elements[$0], elements[$0 + 1]) })
        case CBORMajor.tag: self = .tagged(argument, CBORValue(index, item: item + 1))
        default: self = Self.simple(index, item: item)
        }
    }

    private static func elements(of item: Int, in index: CBORIndex) -> [CBORValue] {
        var elements: [CBORValue] = []
        var child = item + 1
        while child < Int(index.items[item].next) {
            elements.append(CBORValue(index, item: child))
            child = Int(index.items[child].next)
        }
        return elements
    }

    private static func simple(_ index: CBORIndex, item: Int) -> CBORValue {
        switch index.items[item].initial {
        case CBORSimple.true: return .bool(true)
        case CBORSimple.false: return .bool(false)
        case CBORSimple.null: return .null
        case CBORSimple.float, CBORSimple.half: return .float(Float(index.floatingPoint(of: item) ?? .nan))
        default: return .double(index.floatingPoint(of: item) ?? .nan)
        }
    }
}

extension CBORValue {
    /// The bytes of this value, map keys sorted; of a key that is there twice the later value counts.
    ///
    /// A value that nests deeper than ``CBORLimits/depth`` is written as it is; decoders will refuse it.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout CBORWriter) {
        switch self {
        case .unsigned(let value): writer.unsigned(value)
        case .negative(let argument): writer.head(CBORMajor.negative, argument)
        case .bytes(let bytes): writer.byteString(bytes)
        case .text(let text): writer.text(text)
        case .array(let elements):
            writer.array(count: elements.count)
            for element in elements { element.write(to: &writer) }
        case .map(let pairs): Self.write(pairs, to: &writer)
        case .tagged(let number, let value):
            writer.tag(number)
            value.write(to: &writer)
        case .bool(let value): writer.bool(value)
        case .null: writer.null()
        case .float(let value): writer.float(value)
        case .double(let value): writer.double(value)
        }
    }

    private static func write(_ pairs: [Pair], to writer: inout CBORWriter) {
        var sorted = pairs.enumerated().map { (key: $1.key.encoded(), position: $0, value: $1.value) }
        sorted.sort { left, right in
            left.key == right.key ? left.position < right.position : left.key.lexicographicallyPrecedes(right.key)
        }
        let kept = sorted.indices.filter { $0 + 1 == sorted.count || sorted[$0].key != sorted[$0 + 1].key }
        writer.map(count: kept.count)
        for index in kept {
            sorted[index].key.withUnsafeBytes { writer.append($0) }
            sorted[index].value.write(to: &writer)
        }
    }

    /// The value under a text key of a map.
    public subscript(key: String) -> CBORValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == .text(key) }?.value
    }

    /// An integer of either sign.
    public static func integer(_ value: Int64) -> CBORValue {
        value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(bitPattern: ~value))
    }
}
