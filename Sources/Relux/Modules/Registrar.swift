import ReluxWire
import Synchronization

extension Relux {
    /// The registered modules and the owners of each: pure.
    ///
    /// A module stays as long as it has an owner: the caller of `register`, or modules that depend on it.
    struct Registry {
        enum Owner: Hashable {
            case direct
            case module(ModuleID)
        }
        private struct Entry {
            let parts: ModuleParts
            var owners: Set<Owner>
        }
        private var entries: [ModuleID: Entry] = [:]
        /// In order of registration.
        private(set) var order: [ModuleID] = []
        /// The latest errors of modules that were left out.
        private(set) var refused: [RegistrationError] = []
        private static let refusedLimit = 64

        mutating func note(_ error: RegistrationError) {
            if refused.count == Self.refusedLimit { refused.removeFirst() }
            refused.append(error)
        }

        func parts(of id: ModuleID) -> ModuleParts? { entries[id]?.parts }

        /// Adds an owner, and the module itself when it is new.
        mutating func retain(_ parts: ModuleParts, for owner: Owner) {
            if entries[parts.id] == nil { order.append(parts.id) }
            entries[parts.id, default: Entry(parts: parts, owners: [])].owners.insert(owner)
        }

        /// Takes an owner away; the module, when it was the last.
        mutating func release(_ id: ModuleID, from owner: Owner) -> ModuleParts? {
            guard entries[id]?.owners.remove(owner) != nil, entries[id]?.owners.isEmpty == true else { return nil }
            order.removeAll { $0 == id }
            return entries.removeValue(forKey: id)?.parts
        }
    }

    /// Works registrations and removals off one after the other, so that a module is never set up while it is torn down.
    final class Registrar: Sendable {
        private struct State {
            var registry = Registry()
            var tail: Task<Void, Never>?
        }
        private let state = Mutex(State())

        func withRegistry<R: Sendable>(_ body: (inout Registry) -> sending R) -> R {
            state.withLock { body(&$0.registry) }
        }

        func serialize<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
            let task = state.withLock { state in
                let previous = state.tail
                let task = Task {
                    await previous?.value
                    return await body()
                }
                state.tail = Task { _ = await task.value }
                return task
            }
            return await task.value
        }
    }
}
