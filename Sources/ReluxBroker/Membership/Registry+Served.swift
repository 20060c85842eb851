import ReluxBus
import ReluxContract
import ReluxPlugin
import ReluxWire

/// Which version of a module is served, apart from what is packed: the one that its next start takes, also behind an unload.
extension Registry {
    /// The module has become ready: from now on this version is what serves.
    mutating func noteServed(_ id: ModuleID) {
        guard let record = modules[id], !record.directory.isEmpty, let declaration = record.declaration, handovers[id] == nil else { return }
        var versions = served[id] ?? ServedVersions(directory: record.directory, version: declaration.version)
        versions.serve(record.directory, version: declaration.version)
        versions.stored = record.stored
        guard versions != served[id] else { return }
        served[id] = versions
        mustPersist = true
    }

    /// An upgrade or a rollback is done.
    mutating func noteServed(by handover: Handover) {
        guard handover.kind != .move else { return }
        let (id, source) = (handover.module, handover.source)
        var versions = served[id] ?? ServedVersions(directory: source.directory, version: source.version)
        versions.stored = source.stored
        if handover.kind == .upgrade {
            versions.serve(handover.target.directory, version: handover.target.version)
        } else {
            versions.rollBack(to: handover.target.directory, version: handover.target.version)
        }
        served[id] = versions
    }

    /// The directory that the next start of the module takes; nil when it has never been started, or is linked into an executable.
    func servedDirectory(of id: ModuleID) -> String? {
        if let record = modules[id], record.state.phase != .refused || record.isMember, !record.directory.isEmpty { return record.directory }
        return served[id]?.directory
    }

    /// Where a version may lie now whose folder, with the cluster's, has another name.
    func relocations(of directory: String, beside file: [HostSpec]) -> [String] {
        let parts = directory.split(separator: "/")
        guard parts.count >= 2 else { return [] }
        let roots = Set(file.flatMap(\.plugins).map(PluginFacts.root)).sorted()
        return roots.map { "\($0)/\(parts[parts.count - 2])/\(parts[parts.count - 1])" }.filter { $0 != directory }
    }

    /// How one packed version breaks the contract of another, in the words of an upgrade; nil when it does not, or that cannot be told.
    func breaking(from old: String, to new: String, _ plugins: [String: PluginFacts]) -> String? {
        guard case .manifest(let before, _, let oldContract, _) = plugins[old], case .manifest(let after, _, let newContract, _) = plugins[new] else { return nil }
        guard let comparison = ContractComparison(oldContract, newContract) else { return nil }
        return comparison.refusal(of: after, from: before)
    }
}

extension ContractComparison {
    /// nil when one of the two has none.
    init?(_ old: ByteString, _ new: ByteString) {
        guard let old = try? CBOR.decode(Contract.self, from: old.bytes), let new = try? CBOR.decode(Contract.self, from: new.bytes) else { return nil }
        self.init(from: old, to: new)
    }

    /// Why the new version may not follow the old one; nil when it may.
    func refusal(of new: ModuleDeclaration, from old: ModuleDeclaration) -> String? {
        guard !breaking.isEmpty else { return nil }
        return "\(new.id) \(new.version) breaks the contract of \(old.version): " + breaking.map(\.description).joined(separator: "; ")
            + ". Add what is new beside what is old; or end this version's life: relux module unload \(new.id), then relux module load"
            + " DIRECTORY --yes"
    }
}
