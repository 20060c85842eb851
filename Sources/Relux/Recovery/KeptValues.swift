import ReluxWire

extension Relux {
    /// The values that the open handlers of a module have made by `once`: pure.
    struct KeptValues: Sendable {
        enum Turn: Sendable {
            case kept([UInt8])
            /// The caller makes it, and says how that ended.
            case make
            /// The handler has ended.
            case ended
        }
        typealias Waiter = UnsafeContinuation<Turn, Never>

        private enum Entry {
            case kept([UInt8])
            case making([Waiter])
        }
        private var entries: [EffectID: [String: Entry]] = [:]

        init() {}
        init(_ recovered: [EffectID: [String: [UInt8]]]) {
            entries = recovered.mapValues { $0.mapValues { .kept($0) } }
        }

        /// nil when the caller has to wait for another caller that makes the value.
        mutating func ask(_ cause: EffectID, _ name: String, waiter: Waiter) -> Turn? {
            switch entries[cause]?[name] {
            case .kept(let bytes): return .kept(bytes)
            case .making(let waiters):
                entries[cause]?[name] = .making(waiters + [waiter])
                return nil
            case nil:
                entries[cause, default: [:]][name] = .making([])
                return .make
            }
        }

        /// It was made and journaled; who waited gets it.
        mutating func made(_ cause: EffectID, _ name: String, _ bytes: [UInt8]) -> [Waiter] {
            guard case .making(let waiters) = entries[cause]?[name] else { return [] }
            entries[cause]?[name] = .kept(bytes)
            return waiters
        }

        /// It could not be made; the first that waits tries in its turn.
        mutating func failed(_ cause: EffectID, _ name: String) -> Waiter? {
            guard case .making(let waiters) = entries[cause]?[name] else { return nil }
            entries[cause]?[name] = waiters.isEmpty ? nil : .making(Array(waiters.dropFirst()))
            return waiters.first
        }

        /// The handler has ended; who still waits is told so.
        mutating func forget(_ cause: EffectID) -> [Waiter] {
            entries.isEmpty ? [] : Self.waiters(of: entries.removeValue(forKey: cause))
        }

        mutating func forgetAll() -> [Waiter] {
            defer { entries = [:] }
            return entries.values.flatMap(Self.waiters)
        }

        private static func waiters(of entries: [String: Entry]?) -> [Waiter] {
            (entries ?? [:]).values.flatMap { entry -> [Waiter] in
                if case .making(let waiters) = entry { waiters } else { [] }
            }
        }
    }
}
