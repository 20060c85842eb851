import ReluxWire

extension Relux {
    /// A value in a result: the very value when it never left the process, else its CBOR.
    public struct ResultValue: Sendable {
        private enum Storage: Sendable {
            case value(any Codable & Sendable)
            case encoded([UInt8])
        }
        private let storage: Storage

        public init(_ value: some Codable & Sendable) { storage = .value(value) }
        public init(encoded: [UInt8]) { storage = .encoded(encoded) }

        /// nil when the value is of another type.
        public func decode<T: Codable & Sendable>(_ type: T.Type) -> T? {
            switch storage {
            case .value(let value): value as? T
            case .encoded(let bytes): try? CBOR.decode(type, from: bytes)
            }
        }

        /// - Throws: `WireError` when the value's own `encode(to:)` throws.
        package func encoded() throws(WireError) -> [UInt8] {
            switch storage {
            case .value(let value): try CBOR.encode(value)
            case .encoded(let bytes): bytes
            }
        }
    }
}
