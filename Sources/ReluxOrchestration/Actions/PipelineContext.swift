internal import Relux
internal import Synchronization

/// The values that the actions of one pipeline hand to each other; every evaluation begins with an empty context.
///
/// Any value can be set. Only those that are `Codable` reach an action of another process, with the name of their type: asked for as another
/// type they are nil there as they are here, and the orchestrator warns of it. What an action sets after it has ended, or was given up, is not
/// taken.
public final class PipelineContext: Sendable {
    /// The most bytes of one coded value; a larger one stays in its process.
    public static let byteLimit = 256 << 10

    private let entries: ContextEntries
    private let isClosed = Atomic(false)

    public convenience init() { self.init(entries: ContextEntries(warn: { _ in })) }

    init(entries: ContextEntries) { self.entries = entries }

    public func set(_ key: String, _ value: some Sendable) { put(key, .value(value, typeName(of: value), coding: nil)) }

    /// The value crosses processes when it has at most ``byteLimit`` bytes. It is coded when an action elsewhere is about to run.
    public func set(_ key: String, _ value: some Codable & Sendable) {
        put(key, .value(value, typeName(of: value), coding: { try CBOR.encode(value) }))
    }

    /// nil when there is none, or one of another type.
    public func get<Value: Sendable>(_ key: String, as type: Value.Type = Value.self) -> Value? {
        try? entries.value(key, as: type) { _ in nil }
    }

    /// nil when there is none, or one of another type.
    public func get<Value: Codable & Sendable>(_ key: String, as type: Value.Type = Value.self) -> Value? {
        try? entries.value(key, as: type) { try CBOR.decode(type, from: $0) }
    }

    /// The value of a key that the action cannot do without.
    ///
    /// - Throws: ``PipelineContextError`` that names the key and, when there is a value, the type asked for and the one found.
    public func require<Value: Codable & Sendable>(_ key: String, as type: Value.Type = Value.self) throws(PipelineContextError) -> Value {
        guard let value = try entries.value(key, as: type, decode: { try CBOR.decode(type, from: $0) }) else {
            throw PipelineContextError(
                "nothing is set for \"\(key)\" (set are: \(keys.joined(separator: ", "))); an action that runs before this one sets it")
        }
        return value
    }

    /// Whether there is one, of whatever type.
    public func contains(_ key: String) -> Bool { entries.keys.contains(key) }

    public func remove(_ key: String) { put(key, nil) }

    public var keys: [String] { entries.keys }

    private func put(_ key: String, _ entry: ContextEntries.Entry?) {
        guard !isClosed.load(ordering: .acquiring) else { return }
        entries[key] = entry
    }

    private func typeName(of value: some Sendable) -> String { Relux.typePath(of: type(of: value)) }

    // MARK: For the orchestrator

    /// The same values for one action: what it sets after ``close()`` is not taken.
    func handle() -> PipelineContext { PipelineContext(entries: entries) }

    func close() { isClosed.store(true, ordering: .releasing) }

    /// The values that can cross processes, and the keys of the others with the reason.
    package var coded: (values: [String: CodedValue], left: [String: String]) { entries.coded(entries.keys) }

    /// The values that were set and the keys that were removed since the context was made of values.
    package var changes: (values: [String: CodedValue], removed: [String], left: [String: String]) { entries.changes }

    /// A context of what another process has sent.
    package convenience init(values: [String: CodedValue]) { self.init(entries: ContextEntries(values: values)) }

    /// Takes in what an action of another process has set and removed.
    package func take(_ values: [String: CodedValue], removed: [String]) {
        for (key, value) in values { put(key, .coded(value)) }
        for key in removed { put(key, nil) }
    }
}

/// Why a value could not be had from a context.
public struct PipelineContextError: Error, Sendable, CustomStringConvertible {
    public let message: String
    public var description: String { message }

    init(_ message: String) { self.message = message }
}
