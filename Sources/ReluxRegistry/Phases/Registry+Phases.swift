import Relux
import ReluxControl
import ReluxLayers
import ReluxPlugin
import ReluxWire

/// Conclusions from the records: who may be ready, whether the phase is over, which host starts.
extension Registry {
    /// One thing that a module still needs.
    struct Unmet {
        var why: String
        /// Nothing that goes on by itself will bring it.
        var isStuck: Bool
    }

    mutating func settle() {
        guard turn.isUnsettled else { return }
        // Each round either changes something that only moves forward or is the last one.
        while turn.isUnsettled {
            turn.isUnsettled = false
            advanceHandovers()
            wake()
            advance()
            startHosts()
        }
        noteAbsences()
    }

    // MARK: Readiness

    /// Lets everybody be ready whose needs are met; the others get their reason.
    private mutating func wake() {
        for id in ordered(index.awaiting) {
            // A module that only restores for now may write as soon as the registry's file says whose it is.
            if let stage = handovers[id]?.stage, stage != .preparing, stage != .committed { continue }
            if let unmet = firstUnmet(of: id) {
                move(id, to: .waiting, why: unmet.why)
                continue
            }
            modules[id]?.present.instance.mayBeReady = true
            index(id)
            if modules[id]?.present.instance.wasReady == true {
                move(id, to: .ready)
            } else if let host = modules[id]?.host, let connection = hosts[host]?.connection {
                tell(connection, .proceed(module: id))
                if modules[id]?.state.phase == .waiting {
                    move(id, to: .waiting, why: "all that it needs is ready; its host has been told")
                }
            } else {
                modules[id]?.present.instance.mayBeReady = false
            }
        }
    }

    func firstUnmet(of id: ModuleID) -> Unmet? { unmet(of: id, all: false).first }

    func unmet(of id: ModuleID, all: Bool) -> [Unmet] {
        guard let record = modules[id] else { return [] }
        var list: [Unmet] = []
        if !boot.allows(record.kind) { list.append(Unmet(why: phaseReason(record.kind), isStuck: false)) }
        for provider in record.providers where all || list.isEmpty {
            if let unmet = unmetImport(provider) { list.append(unmet) }
        }
        return list
    }

    func unmetImport(_ provider: ModuleID) -> Unmet? {
        let interface = Layer.interface(of: provider.rawValue)
        guard let record = modules[provider] else {
            return Unmet(why: "imports \(interface), which no module provides; load \(provider)", isStuck: true)
        }
        guard record.state.phase != .ready || record.isLeaving else { return nil }
        let state = record.state.why.isEmpty ? "" : " (\(record.state.why))"
        return Unmet(
            why: "imports \(interface), and \(provider) is \(record.state.phase.rawValue)\(state)",
            isStuck: isStuck(provider))
    }

    /// Whether a module gets no further by itself; what waits for a stuck one is stuck too.
    private func isStuck(_ id: ModuleID) -> Bool {
        var seen: Set<ModuleID> = []
        func visit(_ id: ModuleID) -> Bool {
            guard let record = modules[id] else { return true }
            guard seen.insert(id).inserted else { return false }
            switch record.state.phase {
            case .ready: return record.isLeaving
            case .draining, .stopped, .backoff, .quarantined, .refused, .standby: return true
            case .declared, .verified, .starting, .recovering, .waiting:
                if isOverdue(record) { return true }
                guard boot.allows(record.kind) else { return false }
                return record.providers.contains { modules[$0]?.state.phase != .ready && visit($0) }
            }
        }
        return visit(id)
    }

    private func isOverdue(_ record: ModuleRecord) -> Bool {
        switch record.state.phase {
        case .starting, .recovering: clock.now - record.present.since > configuration.startPatience
        case .waiting: record.present.instance.mayBeReady && clock.now - record.present.since > configuration.startPatience
        default: false
        }
    }

    private func phaseReason(_ kind: ModuleDeclaration.Kind) -> String {
        switch boot {
        case .idle: return "nobody has declared the cluster's hosts yet: the supervisor has not connected"
        case .closing: return "the cluster is going down"
        default:
            let holders = holdersOfPhase().prefix(5).map(\.rawValue).joined(separator: ", ")
            return "modules of the kind \(kind.words) start after the phase \(boot.rawValue), which waits for \(holders)"
        }
    }

    // MARK: Barriers

    /// Modules of the current phase that are neither ready nor at an end, and hosts that have not said what they hold.
    func holdersOfPhase() -> [HostOrModule] {
        guard let step = boot.step else { return [] }
        let modules = ordered(index.pending).filter { self.modules[$0]?.kind.rank == step.rank && !isStuck($0) }
        return modules.map(HostOrModule.module) + (step.rank == ModuleDeclaration.Kind.domain.rank ? unknownHosts().map(HostOrModule.host) : [])
    }

    enum HostOrModule {
        case host(HostID)
        case module(ModuleID)
        var rawValue: String {
            switch self {
            case .host(let id): "host \(id)"
            case .module(let id): id.rawValue
            }
        }
    }

    /// Executables of their own without a manifest: taken for domains until they say what they are.
    private func unknownHosts() -> [HostID] {
        hosts.values.filter { host in
            guard host.modules.isEmpty else { return false }
            return host.process == .idle
                || host.process == .ordered && clock.now - host.since <= configuration.startPatience
        }.map(\.id).sorted()
    }

    private mutating func advance() {
        while let step = boot.step {
            let isHeld =
                index.pending.contains { modules[$0]?.kind.rank == step.rank && !isStuck($0) }
                || step.rank == ModuleDeclaration.Kind.domain.rank && !unknownHosts().isEmpty
                || step.next == .open && !closedBarriers().isEmpty
            guard !isHeld else { return }
            boot = step.next
            turn.isUnsettled = true
            startQueue.renew()
            turn.mustPersist = true
            if boot == .open { publish(.clusterReady) }
        }
    }

    // MARK: Starts

    /// Starts what is due in derived order, a bounded number of processes at a time.
    private mutating func startHosts() {
        guard supervisor != nil, boot != .idle, boot != .closing else { return }
        if startQueue.isStale { startQueue.renew(dueHosts()) }
        while let id = startQueue.take(atOnce: configuration.startsAtOnce) {
            guard hosts[id]?.process == .idle, isWanted(id), let spec = startSpec(of: id) else { continue }
            setProcess(.ordered, of: id)
            for module in hosts[id]?.modules ?? [] where modules[module]?.state.phase != .refused {
                move(module, to: .starting)
            }
            orderStart(spec)
        }
    }

    /// Whether a process of the host would have anything to do.
    func isWanted(_ id: HostID) -> Bool {
        guard let host = hosts[id] else { return false }
        if hasGuests(id) { return true }
        // Somebody else's host comes by itself or not at all.
        if host.spec.executable.isEmpty && (host.spec.plugins.isEmpty || host.modules.isEmpty) { return false }
        if host.modules.isEmpty { return true }
        return host.modules.contains { modules[$0]?.state.phase.isOver == false }
    }

    /// The specification without the plugins that are refused.
    func startSpec(of id: HostID) -> HostSpec? {
        guard let host = hosts[id] else { return nil }
        let refused = Set(
            host.modules.compactMap { modules[$0] }.filter { $0.state.phase == .refused }.map(\.directory))
        var spec = host.spec
        spec.plugins.removeAll { refused.contains($0) }
        spec.kinds = kinds
        return spec
    }

    /// The kinds of all modules that belong to the cluster; a package beside a plugin does not count.
    private var kinds: ModuleKinds {
        ModuleKinds(modules.values.filter { $0.state.phase != .refused && $0.declaration != nil }.map { ($0.id, $0.kind) })
    }

    func loadOrder(_ directory: String) -> HostOrder { .load(directory: directory, kinds: kinds) }

    /// Hosts to be started now: by phase, in it providers before importers, else as they were declared.
    private func dueHosts() -> [HostID] {
        var depths: [ModuleID: Int] = [:]
        let due = hosts.values.compactMap { host -> (key: (Int, Int, UInt64, HostID), id: HostID)? in
            guard host.process == .idle, isWanted(host.id) else { return nil }
            let live = host.modules.compactMap { modules[$0] }.filter { !$0.state.phase.isOver }
            let first = live.min { ($0.kind.rank, $0.order) < ($1.kind.rank, $1.order) }
            let kind = first?.kind ?? .domain
            guard boot.allows(kind) else { return nil }
            let depth = live.filter { $0.kind.rank == kind.rank }.map { importDepth(of: $0.id, &depths) }.max() ?? 0
            return ((kind.rank, depth, first?.order ?? .max, host.id), host.id)
        }
        return due.sorted { $0.key < $1.key }.map(\.id)
    }

    /// The longest chain of providers below a module, without recursion: a chain may be as long as there are modules.
    private func importDepth(of id: ModuleID, _ depths: inout [ModuleID: Int]) -> Int {
        var stack = [id]
        var open: Set<ModuleID> = []
        while let module = stack.last {
            let providers = modules[module]?.providers ?? []
            let unknown = providers.filter { depths[$0] == nil && modules[$0] != nil && !open.contains($0) }
            if depths[module] == nil && !unknown.isEmpty && open.insert(module).inserted {
                stack.append(contentsOf: unknown)
                continue
            }
            stack.removeLast()
            depths[module] = providers.map { (depths[$0] ?? -1) + 1 }.max() ?? 0
        }
        return depths[id] ?? 0
    }
}
