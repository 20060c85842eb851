import ReluxWire
import Synchronization

extension Relux {
    /// Who is registered and on whose behalf: pure.
    ///
    /// A module stays as long as it has an owner: the caller of `register`, or modules that depend on it.
    struct Registry {
        enum Owner: Hashable {
            case direct
            case module(ModuleID)
        }
        struct Entry {
            let module: any Relux.Module
            var owners: Set<Owner>
        }
        private(set) var entries: [ModuleID: Entry] = [:]

        /// Adds an owner; true when the module was not registered before and has to be set up.
        mutating func retain(_ module: any Relux.Module, for owner: Owner) -> Bool {
            if entries[module.moduleID] != nil {
                entries[module.moduleID]?.owners.insert(owner)
                return false
            }
            entries[module.moduleID] = Entry(module: module, owners: [owner])
            return true
        }

        /// Takes an owner away; the module, when it was the last.
        mutating func release(_ id: ModuleID, from owner: Owner) -> (any Relux.Module)? {
            guard entries[id]?.owners.remove(owner) != nil, entries[id]?.owners.isEmpty == true else { return nil }
            return entries.removeValue(forKey: id)?.module
        }

        mutating func forget(_ id: ModuleID) { entries[id] = nil }
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
