package import ReluxControl
package import ReluxWire

/// What the registry of a cluster remembers while no broker runs.
package struct StoppedCluster: Sendable {
    private let registry: Registry

    /// - Throws: `RegistryFileError` when the registry's file cannot be read or is damaged; a start would end at that.
    package init(run: RunDirectory) throws(RegistryFileError) {
        guard let snapshot = try RegistryFile(path: run.registry).read() else {
            registry = Registry()
            return
        }
        registry = Registry(configuration: RegistryConfiguration(), restoring: snapshot, now: .zero)
    }

    /// From where its modules are started next; nothing for those that are linked into an executable.
    package var served: [(module: ModuleID, directory: String)] {
        registry.modules.values.filter { !$0.directory.isEmpty && registry.hosts[$0.host]?.spec.executable.isEmpty != false }
            .map { (module: $0.id, directory: registry.servedDirectory(of: $0.id) ?? $0.directory) }.sorted { $0.module < $1.module }
    }

    /// How far the journals of its modules, and of the broker's own node, have come.
    package var lives: [ModuleID: KnownLives] { registry.journals.lives }

    /// The epoch of the module's last life that the registry has given out; nil for a name that it does not know.
    package func epoch(of module: ModuleID) -> Epoch? { registry.epochs.given[module].map { Epoch(rawValue: $0) } }

    /// False for a module that was unloaded.
    package func declares(_ module: ModuleID) -> Bool { module == Registry.builtIn || registry.modules[module] != nil }

    /// What a start with this file would do; the broker of that start comes to the same.
    package func plan(_ file: [HostSpec], _ purpose: MembershipPlan.Purpose) -> MembershipPlan {
        let spelled = DirectorySpelling(registry.knownDirectories)
        let file = file.map { spelled($0) }
        return registry.plan(file, PluginReader.read(registry.directories(toCompareWith: file)), for: purpose)
    }
}
