/// Values by text, told apart byte for byte: Swift takes `é` and `e` with an accent behind it for one key. It is stored as an object by text.
public struct TextKeyed<Value> {
    private var values: [[UInt8]: Value] = [:]

    /// - Parameter combine: which of two values for the same text stays; the later one unless told otherwise.
    public init(_ pairs: [(String, Value)] = [], uniquingKeysWith combine: (Value, Value) -> Value = { $1 }) {
        values = Dictionary(pairs.map { (Array($0.utf8), $1) }, uniquingKeysWith: combine)
    }

    public subscript(text: String) -> Value? {
        get { values[Array(text.utf8)] }
        set { values[Array(text.utf8)] = newValue }
    }

    public subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { values[Array(text.utf8), default: value()] }
        set { values[Array(text.utf8), default: value()] = newValue }
    }

    @discardableResult
    public mutating func removeValue(forKey text: String) -> Value? { values.removeValue(forKey: Array(text.utf8)) }

    /// In no order.
    public var all: [(text: String, value: Value)] { values.map { (String(decoding: $0.key, as: UTF8.self), $0.value) } }
}

extension TextKeyed: Sendable where Value: Sendable {}
extension TextKeyed: Equatable where Value: Equatable {}

/// An object keeps only one of two spellings of one text: the second in the order of its bytes stands behind this mark, in hexadecimal.
private let spellingMark = "\u{0}utf8:"

extension TextKeyed: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        for (key, value) in try [String: Value](from: decoder) {
            guard key.hasPrefix(spellingMark) else {
                self[key] = value
                continue
            }
            let digits = Array(key.dropFirst(spellingMark.count))
            values[stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }] = value
        }
    }
}

extension TextKeyed: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var stored: [String: Value] = [:]
        for (key, value) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let text = String(decoding: key, as: UTF8.self)
            let isTaken = stored[text] != nil || text.hasPrefix(spellingMark)
            stored[isTaken ? spellingMark + key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() : text] = value
        }
        try stored.encode(to: encoder)
    }
}
