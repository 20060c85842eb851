public import ReluxWire

extension Relux {
    /// Registers modules in the order of the list, each after its dependencies, and returns the node.
    ///
    /// A module that is refused is logged and left out; ``add(_:)`` throws instead.
    @discardableResult
    public func register(
        @ModuleBuilder _ modules: @MainActor @Sendable () async -> [any Relux.Module]
    ) async -> Relux {
        await register(modules())
    }

    @discardableResult
    public func register(_ modules: [any Relux.Module]) async -> Relux {
        for module in modules {
            do {
                try await add(module)
            } catch {
                logger?.log(.refusal(error))
            }
        }
        return self
    }

    /// Registers one module after its dependencies. The very same module again changes nothing; it is handled once.
    ///
    /// - Throws: `RegistrationError` when another instance has the id, a state or relay type is taken, or modules depend on
    ///   each other in a cycle. What was registered before keeps working.
    public func add(_ module: any Relux.Module) async throws(RegistrationError) {
        let result: Result<Void, RegistrationError> = await registrar.serialize { [self] in
            do throws(RegistrationError) {
                try checkCycles(module, path: [])
                try await add(module, for: .direct)
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
    /// dependencies are released in reverse.
    public func unregister(_ id: ModuleID) async {
        await registrar.serialize { [self] in await release(id, from: .direct) }
    }

    public func unregister(_ module: any Relux.Module) async { await unregister(module.moduleID) }

    public var modules: [ModuleID] { exchange.parties.filter { $0 != name } }

    private func checkCycles(_ module: any Relux.Module, path: [ModuleID]) throws(RegistrationError) {
        if let start = path.firstIndex(of: module.moduleID) {
            throw .dependencyCycle(Array(path[start...]) + [module.moduleID])
        }
        for dependency in module.dependencies { try checkCycles(dependency, path: path + [module.moduleID]) }
    }

    private func add(_ module: any Relux.Module, for owner: Registry.Owner) async throws(RegistrationError) {
        let id = module.moduleID
        if let known = registrar.withRegistry({ $0.entries[id]?.module }) {
            guard Self.isSame(known, module) else { throw .duplicateModule(id) }
            _ = registrar.withRegistry { $0.retain(module, for: owner) }
            return
        }
        var done: [any Relux.Module] = []
        do throws(RegistrationError) {
            for dependency in module.dependencies {
                try await add(dependency, for: .module(id))
                done.append(dependency)
            }
            try store.add(states: module.states, relays: module.relays, of: id)
        } catch {
            for dependency in done.reversed() { await release(dependency.moduleID, from: .module(id)) }
            throw error
        }
        _ = registrar.withRegistry { $0.retain(module, for: owner) }
        exchange.add(party(for: module, position: 0, admission: .open))
    }

    func party(for module: any Relux.Module, position: UInt64, admission: Party.Admission) -> Party {
        Party(
            id: module.moduleID,
            handler: ModuleHandler(
                module: module.moduleID, states: module.states.compactMap { $0 as? any BusinessState },
                sagas: module.sagas, node: self),
            handles: module.handles.map { Set($0.map { $0.wireTopic }) },
            emits: module.emits.map { Set($0.map { $0.wireTopic }) },
            isSerial: module.isSerial, admission: admission, position: position)
    }

    private func release(_ id: ModuleID, from owner: Registry.Owner) async {
        guard let module = registrar.withRegistry({ $0.release(id, from: owner) }) else { return }
        _ = await exchange.drain(id, within: drainLimit)
        await store.remove(id)
        exchange.remove(id)
        for dependency in module.dependencies.reversed() { await release(dependency.moduleID, from: .module(id)) }
    }

    /// Same instance: the very objects it brings, or for a module without any, the same type.
    private static func isSame(_ a: any Relux.Module, _ b: any Relux.Module) -> Bool {
        guard type(of: a) == type(of: b) else { return false }
        let objects = { (module: any Relux.Module) in
            module.states.map { ObjectIdentifier($0) } + module.sagas.map { ObjectIdentifier($0) }
        }
        return objects(a) == objects(b)
    }
}
