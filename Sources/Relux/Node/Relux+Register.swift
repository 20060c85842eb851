public import ReluxWire
import Synchronization

extension Relux {
    /// Registers modules in the order of the list, each after its dependencies, and returns the node.
    ///
    /// A module that is refused is left out and logged, on standard error where the node has no logger; ``refusedRegistrations`` has why.
    /// ``add(_:)`` throws instead.
    @discardableResult
    public func register(
        @ModuleBuilder _ modules: @MainActor @Sendable () async -> [any Relux.Module]
    ) async -> Relux {
        await register(modules())
    }

    @discardableResult
    public func register(_ module: any Relux.Module) async -> Relux { await register([module]) }

    @discardableResult
    public func register(_ modules: [any Relux.Module]) async -> Relux {
        for module in modules {
            do {
                try await add(module)
            } catch {
                refused(error)
            }
        }
        return self
    }

    /// Why ``register(_:)-(()->[Module])`` has left modules out, the oldest first; of many the last 64.
    public var refusedRegistrations: [RegistrationError] { registrar.withRegistry { $0.refused } }

    private func refused(_ error: RegistrationError) {
        registrar.withRegistry { $0.note(error) }
        if let logger { logger.log(.refusal(error)) } else { exchange.say("relux: \(error)") }
    }

    /// Registers one module after its dependencies. The very same module again changes nothing; it is handled once.
    ///
    /// - Throws: `RegistrationError` when another instance has the id, a state or relay type is taken, a declared effect or shared
    ///   snapshot has a name that cannot travel, or modules depend on each other in a cycle. What was registered before keeps working.
    public func add(_ module: any Relux.Module) async throws(RegistrationError) {
        let result: Result<Void, RegistrationError> = await registrar.serialize { [self] in
            do throws(RegistrationError) {
                let parts = ModuleParts(module)
                try checkCycles(parts, path: [])
                try await add(parts, for: .direct)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Takes the caller's ownership away; the module leaves if no other module depends on it.
    ///
    /// It gets no new effect from now on, finishes what it has begun within the drain limit, is cleaned up, and then its
    /// dependencies are released in reverse. Registrations and removals run one after the other, so a clean-up must not wait for
    /// one; a handler that waits for the removal of its own module is cut at the drain limit.
    public func unregister(_ id: ModuleID) async {
        await registrar.serialize { [self] in await release(id, from: .direct) }
    }

    public func unregister(_ module: any Relux.Module) async { await unregister(module.moduleID) }

    /// The registered modules, in order of registration.
    public var modules: [ModuleID] { registrar.withRegistry { $0.order } }

    private func checkCycles(_ parts: ModuleParts, path: [ModuleID]) throws(RegistrationError) {
        if let start = path.firstIndex(of: parts.id) { throw .dependencyCycle(Array(path[start...]) + [parts.id]) }
        for dependency in parts.dependencies { try checkCycles(ModuleParts(dependency), path: path + [parts.id]) }
    }

    private func add(_ parts: ModuleParts, for owner: Registry.Owner) async throws(RegistrationError) {
        let id = parts.id
        if let known = registrar.withRegistry({ $0.parts(of: id) }) {
            // A module that depends on this one is content with the instance that is there.
            guard owner == .direct ? known.isSame(as: parts) : known.isSameType(as: parts) else {
                throw .duplicateModule(id, parts.module, known: known.module)
            }
            registrar.withRegistry { $0.retain(known, for: owner) }
            return
        }
        var done: [ModuleID] = []
        do throws(RegistrationError) {
            for dependency in parts.dependencies {
                try await add(ModuleParts(dependency), for: .module(id))
                done.append(dependency.moduleID)
            }
            try parts.check()
            try store.add(states: parts.states, relays: parts.relays, actionRelays: parts.actionRelays, of: id)
            guard exchange.add(party(for: parts)) else {
                store.discard(id)
                throw .duplicateModule(id, parts.module, known: nil)
            }
        } catch {
            for dependency in done.reversed() { await release(dependency, from: .module(id)) }
            throw error
        }
        registrar.withRegistry { $0.retain(parts, for: owner) }
        schedulers.withLock { $0[id] = Scheduler(parts.schedules, of: id, node: self) }
        startSchedules(of: id)
    }

    private func party(for parts: ModuleParts) -> Party {
        Party(
            id: parts.id, handler: ModuleHandler(parts, as: parts.id, node: self),
            handles: parts.module.handles.map { Set($0.map { $0.wireTopic }) },
            emits: parts.module.emits.map { Set($0.map { $0.wireTopic }) },
            isSerial: parts.module.isSerial, admission: .open)
    }

    private func release(_ id: ModuleID, from owner: Registry.Owner) async {
        guard let parts = registrar.withRegistry({ $0.release(id, from: owner) }) else { return }
        stopSchedules(of: id)
        _ = await exchange.drain(id, within: drainLimit)
        await store.remove(id)
        exchange.remove(id)
        for dependency in parts.dependencies.reversed() { await release(dependency.moduleID, from: .module(id)) }
    }
}
