import ReluxContract
import ReluxControl
import ReluxPlugin
import ReluxWire

/// Which version of a module is served, apart from what is packed: the one that its next start takes, also behind an unload.
extension Registry {
    /// The module has become ready: from now on this version is what serves.
    mutating func noteServed(_ id: ModuleID) {
        guard let record = modules[id], !record.directory.isEmpty, let declaration = record.declaration else { return }
        modules[id]?.present.former = nil
        var versions = served[id] ?? ServedVersions(directory: record.directory, version: declaration.version)
        versions.serve(record.directory, version: declaration.version)
        versions.stored = record.stored
        guard versions != served[id] else { return }
        served[id] = versions
        turn.mustPersist = true
    }

    /// An upgrade or a rollback is done.
    mutating func noteServed(by handover: Handover) {
        guard handover.kind != .move else { return }
        let (id, source) = (handover.module, handover.source)
        var versions = served[id] ?? ServedVersions(directory: source.directory, version: source.version)
        let hasServed = versions.directory == source.directory
        if hasServed { versions.stored = source.stored }
        if handover.kind == .upgrade {
            versions.serve(handover.target.directory, version: handover.target.version)
        } else if hasServed {
            versions.rollBack(to: handover.target.directory, version: handover.target.version)
        } else {
            // Back from what was started and has never been ready: no version that served is given up.
            versions.avoid(source.directory)
        }
        served[id] = versions
    }

    /// The directory that the next start of the module takes: what served last, else what was started last; nil when it has never been started, or is
    /// linked into an executable.
    func servedDirectory(of id: ModuleID) -> String? {
        if let versions = served[id] { return versions.directory }
        guard let record = modules[id], record.state.phase != .refused || record.isMember, !record.directory.isEmpty else { return nil }
        return record.directory
    }

    // MARK: Builds that have not been ready

    /// - Parameter plugins: what lies where they were served from.
    mutating func noteFormerBuilds(of modules: [ModuleID], _ plugins: [String: PluginFacts]) {
        for id in modules {
            if let former = formerBuild(of: id, plugins) { self.modules[id]?.present.former = former }
        }
    }

    /// Returns the build that served last; nil when the module is started from it, or when its files are gone, of another runtime or another module.
    private func formerBuild(of id: ModuleID, _ plugins: [String: PluginFacts]) -> PluginVersion? {
        guard let record = modules[id], !record.directory.isEmpty, let versions = served[id], !ServedVersions.isSame(versions.directory, record.directory),
            let facts = plugins[versions.directory], !facts.isOfOtherRuntime, case .manifest(let declaration, let imports, let contract, _, _) = facts,
            declaration.id == id
        else { return nil }
        return PluginVersion(directory: versions.directory, declaration: declaration, imports: imports, contract: contract, stored: versions.stored)
    }

    /// Called before a host gets another process: a build that was started and has never been ready gives way to the build that served last.
    ///
    /// - Parameters:
    ///   - refused: a module that is refused now and is to be started all the same.
    ///   - status: how the last process has ended; nil when it has not.
    /// - Returns: a note for each module that was put back.
    mutating func returnToServed(in host: HostID, refused: ModuleID? = nil, ended status: String? = nil) -> [ClusterNote] {
        let meant = (hosts[host]?.modules ?? []).filter { $0 == refused || modules[$0]?.state.phase != .refused }
        return meant.compactMap { returnToServed($0, ended: status) }
    }

    private mutating func returnToServed(_ id: ModuleID, ended status: String?) -> ClusterNote? {
        // A build that no process was started with has not had its turn.
        guard let record = modules[id], let former = record.present.former, record.state.phase != .verified, !awaitsStart(record), !record.isLeaving,
            handovers[id] == nil, violation(of: former.declaration, imports: former.imports, in: record.host) == nil
        else { return nil }
        expel(id)
        modules[id]?.present.former = nil
        modules[id]?.declaration = former.declaration
        modules[id]?.imports = former.imports
        modules[id]?.directory = former.directory
        modules[id]?.stored = former.stored
        modules[id]?.isFromManifest = true
        // A process that lives has the build that was tried.
        if configuration.supervised, hosts[record.host]?.isLive == true, hosts[record.host]?.isForeign == false {
            modules[id]?.awaitedStart = Self.unordered
        }
        index.contracts[id] = former.contract.bytes.isEmpty ? nil : former.contract
        if let index = hosts[record.host]?.spec.plugins.firstIndex(of: record.directory) { hosts[record.host]?.spec.plugins[index] = former.directory }
        if record.isMember {
            admit(id)
            modules[id]?.memberSince = record.memberSince
            turnAwayImporters(of: id)
        }
        turn.mustPersist = true
        let tried = PackedBuild(directory: record.directory, version: record.declaration?.version ?? "")
        let line =
            "\(id) starts \(former.build.name(beside: tried)), which was served last: \(tried.name(beside: former.build)) was started and has not been"
            + " ready\(status.map { ", it ended with \($0)" } ?? ""); relux module upgrade \(id) \(record.directory)"
        return ClusterNote(.returned, line, of: id)
    }

    // MARK: Names

    /// The name of the build that the module runs, where its version does not tell it from another one that was served or given up; nil where it does.
    func ambiguousBuild(of record: ModuleRecord) -> String? {
        guard let declaration = record.declaration, !record.directory.isEmpty, let versions = served[record.id] else { return nil }
        let name = PackedBuild(directory: record.directory, version: declaration.version).name(beside: versions.builds)
        return name == declaration.version ? nil : name
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
        guard case .manifest(let before, _, let oldContract, _, _) = plugins[old], case .manifest(let after, _, let newContract, _, _) = plugins[new] else { return nil }
        guard let comparison = ContractComparison(oldContract, newContract) else { return nil }
        let (source, target) = (PackedBuild(directory: old, version: before.version), PackedBuild(directory: new, version: after.version))
        return comparison.refusal(of: after.id, target, from: source)
    }
}

extension ContractComparison {
    /// nil when one of the two has none.
    init?(_ old: ByteString, _ new: ByteString) {
        guard let old = try? CBOR.decode(Contract.self, from: old.bytes), let new = try? CBOR.decode(Contract.self, from: new.bytes) else { return nil }
        self.init(from: old, to: new)
    }

    /// Why the new version may not follow the old one; nil when it may.
    func refusal(of id: ModuleID, _ new: PackedBuild, from old: PackedBuild) -> String? {
        guard !breaking.isEmpty else { return nil }
        return "\(id) \(new.name(beside: old)) breaks the contract of \(old.name(beside: new)): " + breaking.map(\.description).joined(separator: "; ")
            + ". Add what is new beside what is old; or end this version's life: relux module unload \(id), then relux module load"
            + " DIRECTORY --yes"
    }
}
