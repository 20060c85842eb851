import ReluxWire

extension Relux {
    /// Seals and opens the secrets of one cluster; deterministic, so that equal effects have equal bytes.
    public protocol SecretSealing: Sendable {
        func seal(_ plain: [UInt8]) throws -> [UInt8]
        /// - Throws: when the bytes were sealed with another key or were changed.
        func open(_ sealed: [UInt8]) throws -> [UInt8]
    }
}

/// A field that nobody may read on its way: printed as `•••`, sealed with the cluster's key before journal and bus.
///
/// Reading it takes the word `reveal`, so that a review finds every place.
public struct Secret<Value: Codable & Sendable>: Sendable {
    private let value: Value
    public init(_ value: Value) { self.value = value }
    public func reveal() -> Value { value }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}
extension Secret: ExpressibleByUnicodeScalarLiteral where Value == String {
    public init(unicodeScalarLiteral value: String) { self.init(value) }
}
extension Secret: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {
    public init(extendedGraphemeClusterLiteral value: String) { self.init(value) }
}
extension Secret: ExpressibleByStringLiteral where Value == String {
    public init(stringLiteral value: String) { self.init(value) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "•••" }
    public var debugDescription: String { "•••" }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Secret: Codable {
    public init(from decoder: any Decoder) throws {
        guard let sealer = decoder.userInfo[.reluxSealer] as? any Relux.SecretSealing else {
            throw Relux.Failure.sealing("no cluster key to open it with")
        }
        let sealed = try decoder.singleValueContainer().decode(SealedBytes.self)
        let plain = try sealer.open(sealed.bytes)
        guard let value = try? CBOR.decode(Value.self, from: plain) else {
            // The decoder's own error may quote what it read.
            throw Relux.Failure.sealing("what was sealed is not a \(Relux.typePath(of: Value.self))")
        }
        self.init(value)
    }

    /// - Throws: when the encoder carries no sealer: a secret is never written in the clear.
    public func encode(to encoder: any Encoder) throws {
        guard let sealer = encoder.userInfo[.reluxSealer] as? any Relux.SecretSealing else {
            throw Relux.Failure.sealing("no cluster key to seal it with")
        }
        var container = encoder.singleValueContainer()
        try container.encode(SealedBytes(try sealer.seal(try CBOR.encode(value))))
    }
}

extension CodingUserInfoKey {
    /// Where coders find the cluster's `SecretSealing`.
    public static let reluxSealer = CodingUserInfoKey(rawValue: "relux.sealer")!
}

extension Relux.Failure {
    static func sealing(_ why: String) -> Self {
        Self(
            domain: domainName, code: "sealing",
            message: "a Secret cannot be coded: \(why); give every node of the cluster the same `sealer`")
    }
}
