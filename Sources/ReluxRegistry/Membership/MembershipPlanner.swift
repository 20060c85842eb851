import ReluxContract
import ReluxControl
import ReluxOutput
import ReluxPlugin
import ReluxWire

/// Compares the cluster's file with the registry, module by module. Pure.
struct MembershipPlanner {
    let registry: Registry
    let file: [HostSpec]
    let plugins: [String: PluginFacts]
    let purpose: MembershipPlan.Purpose
    private(set) var plan = MembershipPlan()
    /// Names of the file under which nothing is packed, each with the member that is called nearly so and that the file names nowhere.
    private var misspelt: [ModuleID: ModuleID] = [:]

    private var isRunning: Bool { purpose == .running }
    private var isReset: Bool { if case .start(true, _) = purpose { true } else { false } }
    private var isPacked: Bool { if case .start(_, true) = purpose { true } else { false } }
    /// Nobody has declared anything before: all of the file is new, which needs no word.
    private var isFirst: Bool { registry.filed.hosts.isEmpty && registry.modules.isEmpty }

    init(_ registry: Registry, file: [HostSpec], plugins: [String: PluginFacts], _ purpose: MembershipPlan.Purpose) {
        (self.registry, self.file, self.plugins, self.purpose) = (registry, file, plugins, purpose)
    }

    mutating func run() -> MembershipPlan {
        misspelt = findMisspelt()
        var named: Set<ModuleID> = []
        for host in file {
            // It says what it has when it runs.
            if host.plugins.isEmpty { plan.hosts.append(host) }
            for directory in host.plugins {
                guard let id = module(in: directory) else { continue }
                named.insert(id)
                take(id, directory, of: host)
            }
        }
        for record in registry.modules.values.sorted(by: { $0.order < $1.order }) where !named.contains(record.id) { keep(record) }
        for host in registry.hosts.values.sorted(by: { $0.id < $1.id }) where !isReset && host.modules.isEmpty && !host.isForeign {
            if !host.spec.executable.isEmpty, !plan.hosts.contains(where: { $0.id == host.id }) { plan.hosts.append(host.spec) }
        }
        for host in file { compare(host) }
        return plan
    }

    // MARK: Modules

    /// Plans a module that the file names.
    private mutating func take(_ id: ModuleID, _ directory: String, of host: HostSpec) {
        guard let record = member(id) else {
            let wasFiled = hostNaming(id, in: registry.filed.hosts) != nil
            let isUnloaded = registry.filed.unloaded.contains(id) || registry.modules[id]?.isLeaving == true
            if isUnloaded, wasFiled, !isReset {
                return note(
                    "\(id) stays out: it was unloaded, and the file has named it before; relux module load \(id), or relux apply",
                    .load(HostSpec(host, plugins: [directory])))
            }
            if isRunning, let meant = misspelt[id] {
                return note("\(id) is in the file, and nothing is packed in \(directory); \(meant), which runs, is not in the file: did you mean '\(meant)'?")
            }
            if isRunning { return note("\(id) is not loaded, and the file names it: relux apply", .load(HostSpec(host, plugins: [directory]))) }
            if isReset, isUnloaded {
                note("\(id) starts, as the file says; it was unloaded")
            } else if !isFirst, !wasFiled {
                note("\(id) starts in host \(host.id): it is new in the file")
            }
            return place(id, version(of: id, directory, in: host), in: host)
        }
        let from = version(of: id, directory, in: host)
        let place = record.home
        guard place != host.id else { return self.place(id, from, in: host) }
        let isEdited = hostNaming(id, in: registry.filed.hosts).map { $0 != host.id } ?? false
        if isRunning {
            note("\(id) runs in host \(record.host), and the file says \(host.id): relux apply", .move(id, to: host.id))
        } else if isEdited || isReset {
            note("\(id) starts in host \(host.id), as the file says; it was in \(place)")
            return self.place(id, from, in: host)
        } else {
            note(
                "\(id) starts in host \(place), where it was taken while the cluster ran; the file says \(host.id): relux apply",
                .move(id, to: host.id))
        }
        self.place(id, from, in: specification(of: place, for: record))
    }

    /// Plans a module that the file does not name.
    private mutating func keep(_ record: ModuleRecord) {
        let id = record.id
        // The file does not decide on modules that come by themselves, or that never joined.
        guard member(id) != nil, !record.directory.isEmpty, registry.hosts[record.host]?.isForeign != true else { return }
        // Nobody takes a member out by a slip of the finger.
        if isRunning, misspelt.values.contains(id) { return }
        if isReset {
            plan.dropped.append(id)
            return note("\(id) is dropped: the file does not name it; what pends on it is lost")
        }
        note("\(id) \(isRunning ? "runs" : "starts"): it is a member, and the file does not name it; relux apply takes it out", .unload(id))
        let spec = specification(of: record.home, for: record)
        let served = registry.servedDirectory(of: id) ?? record.directory
        place(id, version(of: id, packed(beside: served, of: id) ?? served, in: spec), in: spec)
    }

    /// The build that was packed last where the one that is served lies.
    private func packed(beside served: String, of id: ModuleID) -> String? {
        guard let link = PluginFacts.current(beside: served), let facts = plugins[link], facts.declaration?.id == id else { return nil }
        return facts.place
    }

    /// The directory from which it is to be served, and what there is to say about that.
    private mutating func version(of id: ModuleID, _ directory: String, in host: HostSpec) -> String {
        // The executable is what serves; the directory only describes it.
        guard host.executable.isEmpty, let former = registry.servedDirectory(of: id) else { return directory }
        guard let old = plugins[former]?.declaration else { return missing(id, former, directory) }
        if isOutlived(former) { return outlived(id, old.version, former, directory) }
        let present = PackedBuild(directory: former, version: old.version)
        noteTried(id, present, besides: directory)
        // The same content in another place is no other version.
        guard let packed = build(directory), !packed.isSame(as: present) else { return former }
        let (oldName, newName) = (present.name(beside: packed), packed.name(beside: present))
        if isPacked {
            if registry.served[id]?.abandoned == directory {
                note("\(id) starts \(oldName), which was served last; \(newName) was rolled back from, or its upgrade has failed: relux module upgrade \(id)")
                return former
            }
            if let breaking = registry.breaking(from: former, to: directory, plugins) {
                plan.refused[id] = breaking
                note("\(id) starts \(oldName), which was served last: \(breaking)")
                return former
            }
            note("\(id) starts \(newName), which was packed last; \(oldName) was served before")
            return directory
        }
        // A build that runs and was not ready yet has its own note.
        if isRunning, registry.modules[id]?.present.former != nil, registry.modules[id]?.directory == directory { return former }
        noteUnserved(id, packed, beside: present, isNamed: PluginFacts.root(of: directory) != file.first?.plugins.first.map(PluginFacts.root))
        return former
    }

    /// A build that was started after the one that serves, and has never been ready.
    private mutating func noteTried(_ id: ModuleID, _ served: PackedBuild, besides directory: String) {
        guard let tried = registry.modules[id].flatMap({ build($0.directory) }), !tried.isSame(as: served) else { return }
        if isRunning {
            guard registry.modules[id]?.present.former != nil else { return }
            note("\(id) \(tried.name(beside: served)) was started and has not been ready; its next start takes \(served.name(beside: tried)), which was served last", about: id)
        } else if tried.directory != directory {
            noteUnserved(id, tried, beside: served, isNamed: true)
        }
    }

    private mutating func noteUnserved(_ id: ModuleID, _ packed: PackedBuild, beside served: PackedBuild, isNamed: Bool) {
        let name = served.name(beside: packed)
        note("\(id) " + (isRunning ? "\(name) is served; " : "starts \(name), which was served last; ") + packed.unserved(id, beside: served, isNamed: isNamed), about: id)
    }

    private func build(_ directory: String) -> PackedBuild? { plugins[directory]?.declaration.map { PackedBuild(directory: directory, version: $0.version) } }

    private func isOutlived(_ directory: String) -> Bool { plugins[directory]?.isOfOtherRuntime == true }

    /// The served version was built for another runtime, so every host of this one refuses it, and there is nothing to upgrade.
    private mutating func outlived(_ id: ModuleID, _ old: String, _ former: String, _ directory: String) -> String {
        let what = "\(id) \(old), which was served last, was built for another runtime, and this one refuses it"
        let remedy = isRunning ? "relux module load \(id) --packed" : "relux up --packed"
        guard former != directory, let new = plugins[directory]?.declaration, !isOutlived(directory) else {
            note("\(what): build it and pack it again, then \(remedy)")
            return former
        }
        if let breaking = registry.breaking(from: former, to: directory, plugins) {
            plan.refused[id] = breaking
            note("\(what); \(breaking)")
            return former
        }
        let newName = PackedBuild(directory: directory, version: new.version).name(beside: PackedBuild(directory: former, version: old))
        guard isPacked else {
            note("\(what); \(newName) is packed for this one: \(remedy)")
            return former
        }
        note("\(id) starts \(newName), which was packed last; \(old) was served before, and was built for another runtime")
        return directory
    }

    /// The served version cannot be read: it may lie elsewhere now, and nothing else takes its place by itself.
    private mutating func missing(_ id: ModuleID, _ former: String, _ directory: String) -> String {
        if isRunning {
            note("\(id) is served from \(former), which is not there any more: bring it back, or relux module upgrade \(id) DIRECTORY, before it is started again")
            return former
        }
        if let now = registry.relocations(of: former, beside: file).first(where: { plugins[$0]?.declaration?.id == id }) {
            note("\(id) is served from \(now), where that version lies now; it was \(former)")
            plan.relocated[former] = now
            return now
        }
        if isPacked, former != directory, let new = plugins[directory]?.declaration {
            note("\(id) starts \(new.version), which was packed last; what was served before, \(former), cannot be read any more")
            return directory
        }
        var reason = "it has no manifest that can be read"
        if case .unreadable(_, let message) = plugins[former] { reason = message }
        let packed = former == directory ? nil : plugins[directory]?.declaration
        let other = packed.map { "start \($0.version), which is packed now: relux down, relux up --packed" }
        // The module is refused with that: a note beside it would say it twice.
        plan.gone[former] =
            "\(id) was served from \(former), which is not there any more (\(reason)). Bring that directory back and restart it:"
            + " relux module restart \(id); or \(other ?? "load another version in its place: relux module load DIRECTORY")"
        return former
    }

    // MARK: Hosts

    /// Another environment, executable or restart than the file's; at a start the file's is taken.
    private mutating func compare(_ spec: HostSpec) {
        let ids = spec.plugins.compactMap(module)
        let present = registry.hosts[spec.id] ?? ids.compactMap(member).filter { $0.home == spec.id }.first.flatMap { registry.hosts[$0.host] }
        guard let present, !present.isForeign, !present.modules.isEmpty else { return }
        var what: [String] = []
        let keys = Set(spec.environment.keys).union(present.spec.environment.keys)
        let changed = keys.filter { spec.environment[$0] != present.spec.environment[$0] }.sorted()
        if !changed.isEmpty { what.append("environment (\(changed.joined(separator: ", ")))") }
        if spec.executable != present.spec.executable { what.append("executable") }
        if spec.restart != present.spec.restart { what.append("restart (\(present.spec.restart.rawValue))") }
        guard !what.isEmpty else { return }
        let all = what.joined(separator: ", ")
        var step = spec
        step.id = present.id
        step.plugins = []
        note(
            isRunning ? "host \(present.id) runs with another \(all) than the file's: relux apply" : "host \(spec.id) starts with the file's \(all)",
            .configure(step))
    }

    /// The specification of a host that modules were taken to while the cluster ran.
    private func specification(of host: HostID, for record: ModuleRecord) -> HostSpec {
        if let filed = file.first(where: { $0.id == host }) { return filed }
        var spec = registry.hosts[host]?.spec ?? registry.hosts[record.host]?.spec ?? HostSpec(id: host, plugins: [])
        spec.id = host
        return spec
    }

    private mutating func place(_ id: ModuleID, _ directory: String, in host: HostSpec) {
        plan.modules.append(id)
        if let index = plan.hosts.firstIndex(where: { $0.id == host.id }) {
            plan.hosts[index].plugins.append(directory)
        } else {
            plan.hosts.append(HostSpec(host, plugins: [directory]))
        }
    }

    // MARK: Looking

    private func findMisspelt() -> [ModuleID: ModuleID] {
        let named = Set(file.flatMap(\.plugins).compactMap(module))
        let others = registry.modules.keys.filter { !named.contains($0) && member($0) != nil }.map(\.rawValue).sorted()
        let unpacked = file.filter(\.executable.isEmpty).flatMap(\.plugins).filter { plugins[$0]?.declaration == nil }.compactMap(module).filter { member($0) == nil }
        return Dictionary(unpacked.compactMap { id in NearestName.of(id.rawValue, among: others).flatMap(ModuleID.init(rawValue:)).map { (id, $0) } }) { first, _ in first }
    }

    private func member(_ id: ModuleID) -> ModuleRecord? {
        registry.modules[id].flatMap { ($0.isMember || $0.state.phase != .refused) && !$0.isLeaving ? $0 : nil }
    }

    private func module(in directory: String) -> ModuleID? { plugins[directory]?.declaration?.id ?? PluginFacts.moduleName(of: directory) }

    private func hostNaming(_ id: ModuleID, in specs: [HostSpec]) -> HostID? { specs.first { $0.plugins.contains { module(in: $0) == id } }?.id }

    /// - Parameter unserved: the module, of a build that does not serve.
    private mutating func note(_ text: String, _ step: MembershipDifference.Step = .none, about unserved: ModuleID? = nil) {
        plan.differences.append(MembershipDifference(text, step: step, unserved: unserved))
    }
}

extension HostSpec {
    init(_ host: HostSpec, plugins: [String]) {
        self = host
        self.plugins = plugins
    }
}
