import ReluxWire
import Synchronization

extension Relux {
    /// The states and relays of a node, found by their types.
    public final class Store: Sendable {
        struct Entry: Sendable {
            let owner: ModuleID
            let state: any AnyState
        }

        struct Contents: Sendable {
            var entries: [ObjectIdentifier: Entry] = [:]
            var order: [ObjectIdentifier] = []
            var relays: [ObjectIdentifier: (owner: ModuleID, relay: any StateRelaying)] = [:]
            var actionRelays: [ObjectIdentifier: (owner: ModuleID, relay: any ActionRelaying)] = [:]
            var leases: [ObjectIdentifier: Lease] = [:]
            /// The keeper of the module whose restorable states are here; a node of a cluster has one module.
            var keeper: StateKeeper?
        }

        /// A state that belongs to no module.
        struct Lease: Sendable {
            weak let state: (any BusinessState)?
            /// Keeps it; nil for one that leaves by itself when its owner lets go of it.
            let kept: (any BusinessState)?
            init(_ state: any BusinessState, isKept: Bool) {
                self.state = state
                kept = isKept ? state : nil
            }
        }

        let contents = Mutex(Contents())

        init() {}

        // MARK: Look-up

        /// The registered state of that type, nil if there is none.
        public func getState<State: AnyState>(_ type: State.Type = State.self) -> State? {
            contents.withLock { contents in
                let key = ObjectIdentifier(type)
                return contents.entries[key]?.state as? State ?? contents.leases[key]?.state as? State
            }
        }

        /// The relay of that snapshot type; nil if nobody provides it, or its owner elsewhere has not spoken yet.
        @MainActor
        public func getRelay<Snapshot: StateSnapshot>(for type: Snapshot.Type) -> UI.StateRelay<Snapshot>? {
            let relay = contents.withLock { $0.relays[ObjectIdentifier(type)]?.relay }
            if let remote = relay as? any RemoteRelaying { return remote.current as? UI.StateRelay<Snapshot> }
            return relay as? UI.StateRelay<Snapshot>
        }

        /// The relay of a snapshot of another module that this one observes, from the start; nil if it does not.
        @MainActor
        public func getRemoteRelay<Snapshot: SharedSnapshot>(for type: Snapshot.Type) -> UI.RemoteRelay<Snapshot>? {
            contents.withLock { $0.relays[ObjectIdentifier(type)]?.relay } as? UI.RemoteRelay<Snapshot>
        }

        // MARK: Reducing

        /// True when some state accepted the action: it declares the type, or declares nothing.
        @discardableResult
        func reduce(with action: any Relux.Action) async -> Bool {
            let (states, leased, keeper) = contents.withLock { contents in
                (
                    contents.order.compactMap { contents.entries[$0]?.state as? any BusinessState },
                    contents.live(), contents.keeper
                )
            }
            if let keeper { return await keeper.reduce(action, by: states + leased) }
            var isAccepted = false
            for state in states + leased where Self.accepts(state, action) {
                isAccepted = true
                await state.reduce(with: action)
            }
            return isAccepted
        }

        /// Somebody has connected a state that belongs to no module.
        var hasLeases: Bool { contents.withLock { !$0.leases.isEmpty } }

        /// Effects reach a module's states through its handler; leased states belong to no module and get them here.
        func reduceLeased(with effect: any Relux.Effect) async {
            let leased = contents.withLock { $0.leases.isEmpty ? [] : $0.live() }
            for state in leased where Self.accepts(state, effect) { await state.reduce(with: effect) }
        }

        static func accepts(_ state: any BusinessState, _ action: any Relux.Action) -> Bool {
            guard let types = state.reduces else { return true }
            return types.contains { $0 == type(of: action) }
        }

        /// Resets every state but those of the listed types, and returns the type paths of all that were reset or spared.
        @discardableResult
        public func cleanup(except exclusions: [any AnyState.Type] = []) async -> (reset: [String], spared: [String]) {
            let spared = Set(exclusions.map { ObjectIdentifier($0) })
            let (states, keeper) = contents.withLock { contents in
                (
                    contents.order.compactMap { key in contents.entries[key].map { (key, $0.state) } }
                        + contents.leases.compactMap { key, lease in lease.kept.map { (key, $0 as any AnyState) } },
                    contents.keeper
                )
            }
            var report: (reset: [String], spared: [String]) = ([], [])
            for (key, state) in states {
                guard let state = state as? any BusinessState else { continue }
                let name = Relux.typePath(of: type(of: state))
                if spared.contains(key) {
                    report.spared.append(name)
                } else {
                    if let keeper { await keeper.cleanUp(state) } else { await state.cleanup() }
                    report.reset.append(name)
                }
            }
            return report
        }

        // MARK: States without a module

        /// Connects a state that belongs to no module, until it is disconnected; a second one of the same type replaces the first.
        @discardableResult
        public func connect<State: BusinessState>(state: State) -> State {
            contents.withLock { $0.leases[ObjectIdentifier(type(of: state))] = Lease(state, isKept: true) }
            return state
        }

        /// Lets go of a state that belongs to no module, and cleans it up.
        public func disconnect(state: some BusinessState) async {
            let isGone = contents.withLock { contents in
                let key = ObjectIdentifier(type(of: state))
                guard contents.leases[key]?.state === state else { return false }
                contents.leases[key] = nil
                return true
            }
            if isGone { await state.cleanup() }
        }

        /// Connects a state for as long as somebody else keeps it alive; a second one of the same type replaces the first.
        @discardableResult
        public func connectTemporally<State: BusinessState>(state: State) -> State {
            contents.withLock { $0.leases[ObjectIdentifier(State.self)] = Lease(state, isKept: false) }
            return state
        }

        // MARK: Registration

        /// From now on actions reach the states in turn with their captures.
        func set(_ keeper: StateKeeper?) { contents.withLock { $0.keeper = keeper } }

        func add(
            states: [any AnyState], relays: [any StateRelaying], actionRelays: [any ActionRelaying] = [], of module: ModuleID
        ) throws(RegistrationError) {
            let refusal: RegistrationError? = contents.withLock { contents in
                var fresh = Set<ObjectIdentifier>()
                for state in states {
                    let key = ObjectIdentifier(type(of: state))
                    if contents.entries[key] != nil || !fresh.insert(key).inserted {
                        return .duplicateState(Relux.typePath(of: type(of: state)), in: module)
                    }
                }
                for relay in relays {
                    let key = ObjectIdentifier(relay.snapshotType)
                    if contents.relays[key] != nil || !fresh.insert(key).inserted {
                        return .duplicateRelay(Relux.typePath(of: relay.snapshotType), in: module)
                    }
                }
                for relay in actionRelays {
                    let key = ObjectIdentifier(relay.actionsType)
                    if contents.actionRelays[key] != nil || !fresh.insert(key).inserted {
                        return .duplicateRelay(Relux.typePath(of: relay.actionsType), in: module)
                    }
                }
                for state in states {
                    let key = ObjectIdentifier(type(of: state))
                    contents.entries[key] = Entry(owner: module, state: state)
                    contents.order.append(key)
                }
                for relay in relays { contents.relays[ObjectIdentifier(relay.snapshotType)] = (module, relay) }
                for relay in actionRelays { contents.actionRelays[ObjectIdentifier(relay.actionsType)] = (module, relay) }
                return nil
            }
            if let refusal { throw refusal }
        }

        /// Lets go of the module's states and relays, then stops the relays and cleans the states up.
        func remove(_ module: ModuleID) async {
            // Out of reach first: an action that came after the clean-up would dirty the state again.
            let (states, relays) = discard(module)
            // Before the clean-up, so that what stays readable is the last value and not the reset one.
            for relay in relays { await relay.stop() }
            for state in states { await (state as? any BusinessState)?.cleanup() }
        }

        /// Lets go of the module's states and relays as they are.
        @discardableResult
        func discard(_ module: ModuleID) -> (states: [any AnyState], relays: [any StateRelaying]) {
            contents.withLock { contents in
                let leaving = contents.order.filter { contents.entries[$0]?.owner == module }
                let states = leaving.compactMap { contents.entries.removeValue(forKey: $0)?.state }
                contents.order.removeAll { contents.entries[$0] == nil }
                if contents.keeper?.module == module {
                    contents.keeper?.retire()
                    contents.keeper = nil
                }
                let relays = contents.relays.values.filter { $0.owner == module }.map(\.relay)
                contents.relays = contents.relays.filter { $0.value.owner != module }
                contents.actionRelays = contents.actionRelays.filter { $0.value.owner != module }
                return (states, relays)
            }
        }

        @MainActor
        func remoteRelay(of topic: Topic) -> (any RemoteRelaying)? {
            contents.withLock { contents in
                contents.relays.values.first { ($0.relay.snapshotType as? any SharedSnapshot.Type)?.wireTopic == topic }
            }?.relay as? any RemoteRelaying
        }
    }
}

extension Relux.Store.Contents {
    /// The leased states that are still alive; dead ones are forgotten.
    mutating func live() -> [any Relux.BusinessState] {
        var found: [any Relux.BusinessState] = []
        for (key, lease) in leases {
            if let state = lease.state { found.append(state) } else { leases[key] = nil }
        }
        return found
    }
}
