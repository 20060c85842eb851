internal import Relux
internal import Synchronization

/// The values of a context, shared by the handles that its actions have.
final class ContextEntries: Sendable {
    enum Entry: Sendable {
        /// `coding` is nil for what cannot be coded.
        case value(any Sendable, String, coding: (@Sendable () throws -> [UInt8])?)
        /// A value of another process; it is decoded here when somebody asks for it.
        case coded(CodedValue)
    }
    private struct State {
        var entries: [String: Entry] = [:]
        var touched: Set<String> = []
    }
    private let state: Mutex<State>
    private let warn: @Sendable (String) -> Void

    init(values: [String: CodedValue] = [:], warn: @escaping @Sendable (String) -> Void = printWarning) {
        state = Mutex(State(entries: values.mapValues { .coded($0) }))
        self.warn = warn
    }

    var keys: [String] { state.withLock { $0.entries.keys.sorted() } }

    subscript(key: String) -> Entry? {
        get { state.withLock { $0.entries[key] } }
        set {
            state.withLock { state in
                state.entries[key] = newValue
                state.touched.insert(key)
            }
        }
    }

    /// nil when there is none; one of another type is warned of and thrown.
    func value<Value: Sendable>(
        _ key: String, as type: Value.Type, decode: ([UInt8]) throws -> Value?
    ) throws(PipelineContextError) -> Value? {
        let expected = Relux.typePath(of: type)
        switch self[key] {
        case nil: return nil
        case .value(let value, let found, _):
            if let value = value as? Value { return value }
            throw mismatch(key, expected, found)
        case .coded(let coded):
            guard coded.type == expected else { throw mismatch(key, expected, coded.type) }
            do {
                return try decode(coded.bytes.bytes)
            } catch {
                throw mismatch(key, expected, "\(coded.type) of another build (\(error))")
            }
        }
    }

    private func mismatch(_ key: String, _ expected: String, _ found: String) -> PipelineContextError {
        let error = PipelineContextError("\"\(key)\" was asked for as \(expected) and is \(found); ask for it as what it was set as")
        warn(error.message)
        return error
    }

    func coded(_ keys: some Sequence<String>) -> (values: [String: CodedValue], left: [String: String]) {
        var values: [String: CodedValue] = [:]
        var left: [String: String] = [:]
        for key in keys {
            switch self[key] {
            case nil: break
            case .coded(let value): values[key] = value
            case .value(_, let type, nil): left[key] = "\(type) is not Codable"
            case .value(_, let type, let coding?):
                do {
                    let bytes = try coding()
                    let limit = PipelineContext.byteLimit
                    if bytes.count > limit {
                        left[key] = "it has \(bytes.count) bytes, the limit is \(limit)"
                    } else {
                        values[key] = CodedValue(type: type, bytes: ByteString(bytes))
                    }
                } catch {
                    left[key] = "\(type) could not be coded: \(error)"
                }
            }
        }
        return (values, left)
    }

    var changes: (values: [String: CodedValue], removed: [String], left: [String: String]) {
        let (touched, present) = state.withLock { ($0.touched.sorted(), Set($0.entries.keys)) }
        let (values, left) = coded(touched)
        return (values, touched.filter { !present.contains($0) }, left)
    }
}
