import ReluxWire

extension Relux {
    /// The parts that a module brought when it was registered, read once: its properties may be computed and make new objects each time.
    struct ModuleParts: Sendable {
        let module: any Relux.Module
        let id: ModuleID
        let states: [any AnyState]
        let sagas: [any Saga]
        let relays: [any StateRelaying]
        let actionRelays: [any ActionRelaying]
        let dependencies: [any Relux.Module]
        let schedules: [Schedule]

        init(_ module: any Relux.Module) {
            self.module = module
            id = module.moduleID
            states = module.states
            sagas = module.sagas
            relays = module.relays
            actionRelays = module.actionRelays
            dependencies = module.dependencies
            schedules = module.schedules
        }

        /// The very same module: it brings the same objects, or, when it brings none, is of the same type.
        func isSame(as other: Self) -> Bool {
            isSameType(as: other) && objects == other.objects
        }

        func isSameType(as other: Self) -> Bool { type(of: module) == type(of: other.module) }

        /// - Throws: as ``checkTopics()``, and `unusableSchedule` for a schedule that cannot be kept.
        func check() throws(RegistrationError) {
            try checkTopics()
            if let fault = Schedule.fault(of: schedules, emits: module.emits) { throw .unusableSchedule(fault, in: id) }
        }

        /// - Throws: `unusableTopic` for an effect or a shared snapshot whose name cannot travel. In one process it need not, but
        ///   where a module runs is configuration.
        private func checkTopics() throws(RegistrationError) {
            let effects = (module.handles ?? []) + (module.emits ?? [])
            let snapshots = relays.compactMap { $0.snapshotType as? any SharedSnapshot.Type }
            let fault = effects.lazy.compactMap { $0.wireTopic.fault(as: .effect) }.first
                ?? snapshots.lazy.compactMap { $0.wireTopic.fault(as: .snapshot) }.first
            if let fault { throw .unusableTopic(fault, in: id) }
        }

        private var objects: [ObjectIdentifier] {
            states.map { ObjectIdentifier($0) } + sagas.map { ObjectIdentifier($0) }
        }
    }
}
