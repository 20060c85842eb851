/// A JSON value without Foundation, for the CLI, manifests and the tap. Objects keep their order.
public indirect enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number that was written without a fraction or exponent, from -2^64 to 2^64 - 1 as in CBOR.
    case integer(Int128)
    /// Any other number. What is not finite is written as `null`.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    public struct Member: Sendable, Hashable {
        public var key: String
        public var value: JSONValue

        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements.map { Member($0, $1) }) }
}

extension JSONValue {
    /// The value of a member; nil when this is no object or has no such member.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    public var object: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue {
    /// The JSON form of `value`: bytes in base64, a sealed value as `•••`, other tags dropped, keys that are no text as
    /// Swift would write them.
    public init(_ value: CBORValue) {
        switch value {
        case .unsigned(let value): self = .integer(Int128(value))
        case .negative(let argument): self = .integer(-1 - Int128(argument))
        case .bytes(let bytes): self = .string(Base64.encode(bytes))
        case .text(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(JSONValue.init))
        case .map(let pairs): self = .object(pairs.map { Member(Self.key($0.key), JSONValue($0.value)) })
        case .tagged(SealedBytes.tag, _): self = .string(CBORValue.sealedMark)
        case .tagged(_, let value): self = JSONValue(value)
        case .bool(let value): self = .bool(value)
        case .null: self = .null
        // By way of the shortest decimal, so that 0.1 stays 0.1.
        case .float(let value): self = .number(Double("\(value)") ?? Double(value))
        case .double(let value): self = .number(value)
        }
    }

    private static func key(_ key: CBORValue) -> String {
        if case .text(let text) = key { return text }
        return key.swiftDescription()
    }
}

extension CBORValue {
    /// The form in which a `Codable` type takes `value`. JSON cannot mark bytes: they stay texts in base64, which ``ByteString`` accepts.
    public init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value):
            if let value = UInt64(exactly: value) {
                self = .unsigned(value)
            } else if let argument = UInt64(exactly: -1 - value) {
                self = .negative(argument)
            } else {
                self = .double(Double(value))
            }
        case .number(let value): self = .double(value)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .array(elements.map(CBORValue.init))
        case .object(let members): self = .map(members.map { Pair(.text($0.key), CBORValue($0.value)) })
        }
    }
}
