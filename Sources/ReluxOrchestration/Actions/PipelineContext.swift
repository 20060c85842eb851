internal import ReluxWire
internal import Synchronization

/// What the actions of one pipeline hand to each other; every evaluation begins with an empty one.
///
/// Any value can be set. Only those that are `Codable` reach an action of another process; there they have the type that they are asked for.
public final class PipelineContext: Sendable {
    private enum Entry: Sendable {
        case value(any Sendable, bytes: [UInt8]?)
        case coded([UInt8])
    }
    /// Of one value, coded.
    public static let byteLimit = 256 << 10
    private let entries = Mutex<[String: Entry]>([:])

    public init() {}

    public func set(_ key: String, _ value: some Sendable) { entries.withLock { $0[key] = .value(value, bytes: nil) } }

    /// The value crosses processes when it has at most ``byteLimit`` bytes.
    public func set(_ key: String, _ value: some Codable & Sendable) {
        let bytes = (try? CBOR.encode(value)).flatMap { $0.count <= Self.byteLimit ? $0 : nil }
        entries.withLock { $0[key] = .value(value, bytes: bytes) }
    }

    /// nil when there is none, or one of another type.
    public func get<Value: Sendable>(_ key: String, as type: Value.Type = Value.self) -> Value? {
        guard case .value(let value, _) = entries.withLock({ $0[key] }) else { return nil }
        return value as? Value
    }

    /// nil when there is none, or one of another type.
    public func get<Value: Codable & Sendable>(_ key: String, as type: Value.Type = Value.self) -> Value? {
        switch entries.withLock({ $0[key] }) {
        case .value(let value, _): value as? Value
        case .coded(let bytes): try? CBOR.decode(Value.self, from: bytes)
        case nil: nil
        }
    }

    /// The same for a value of whatever type.
    public func contains(_ key: String) -> Bool { entries.withLock { $0[key] != nil } }

    public func remove(_ key: String) { entries.withLock { $0[key] = nil } }

    public var keys: [String] { entries.withLock { $0.keys.sorted() } }

    /// What can cross processes, and the keys of what cannot.
    package var coded: (values: [String: [UInt8]], left: [String]) {
        entries.withLock { entries in
            var values: [String: [UInt8]] = [:]
            var left: [String] = []
            for (key, entry) in entries {
                switch entry {
                case .coded(let bytes), .value(_, .some(let bytes)): values[key] = bytes
                case .value(_, nil): left.append(key)
                }
            }
            return (values, left.sorted())
        }
    }

    /// Takes in what an action of another process has set.
    package func set(_ key: String, coded bytes: [UInt8]) { entries.withLock { $0[key] = .coded(bytes) } }
}
