import ReluxWire

extension Relux {
    /// A value in a result: the very value when it never left the process, else its CBOR.
    public struct ResultValue: Sendable {
        private enum Storage: Sendable {
            case value(any Codable & Sendable)
            case encoded([UInt8], [CodingUserInfoKey: any Sendable])
        }
        private let storage: Storage

        public init(_ value: some Codable & Sendable) { storage = .value(value) }
        package init(encoded: [UInt8], userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
            storage = .encoded(encoded, userInfo)
        }

        /// nil when the value is of another type.
        public func decode<T: Codable & Sendable>(_ type: T.Type) -> T? {
            switch storage {
            case .value(let value): value as? T
            case .encoded(let bytes, let userInfo): try? CBOR.decode(type, from: bytes, userInfo: userInfo)
            }
        }

        /// - Throws: `WireError` when the value's own `encode(to:)` throws.
        package func encoded(userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8] {
            switch storage {
            case .value(let value): try CBOR.encode(value, userInfo: userInfo)
            case .encoded(let bytes, _): bytes
            }
        }
    }
}
