import ReluxControl
import ReluxPlugin
import ReluxWire

/// Adding a host, or plugins to a host, while the cluster runs.
extension Registry {
    mutating func load(
        _ wished: HostSpec, _ plugins: [String: PluginFacts], takesServed: Bool, yes: Bool, dryRun: Bool, _ connection: ConnectionID,
        _ request: String
    ) {
        guard boot != .closing else {
            refuse(connection, request, Refusal(.shuttingDown, "nothing is loaded while the cluster goes down"))
            return
        }
        let (spec, notes): (HostSpec, [String])
        do throws(Refusal) {
            (spec, notes) = try choose(wished, plugins, takesServed: takesServed, yes: yes)
        } catch {
            return refuse(connection, request, error)
        }
        if let refusal = Refusal.ofName(spec.id) { return refuse(connection, request, refusal) }
        guard !spec.plugins.isEmpty || !spec.executable.isEmpty else {
            let message = "host \(spec.id) has neither plugins nor an executable; name at least one packed plugin directory"
            refuse(connection, request, Refusal(.nothingToLoad, message))
            return
        }
        if let reason = reasonToWait(spec, plugins) {
            guard startQueue.loads.count < 256 else {
                refuse(connection, request, Refusal(.beingRemoved, "256 loads wait for removals; try again later", passes: "removals to end"))
                return
            }
            if !dryRun {
                startQueue.loads.append((spec, plugins))
                turn.mustPersist = true
            }
            answer(connection, request, .done(lines: ["host \(spec.id) is loaded as soon as \(reason)"]))
            return
        }
        // All or nothing: tried on a copy, which costs nothing until it differs.
        var trial = self
        let refusals = trial.add(spec, plugins)
        if let first = refusals.first {
            let all = refusals.map(\.message).joined(separator: "; ")
            if !dryRun { for refusal in refusals { reject(refusal) } }
            answer(connection, request, .refused(code: first.rule.rawValue, message: all))
            return
        }
        let present = Set(modules.values.filter { $0.host == spec.id && !$0.state.phase.isOver }.map(\.directory))
        var lines = spec.plugins.map { trial.plan(for: $0, in: spec.id, isPresent: present.contains($0)) }
        if lines.isEmpty { lines = ["host \(spec.id) starts \(spec.executable)"] }
        if !dryRun { self = trial }
        answer(connection, request, .done(lines: lines + notes))
    }

    /// Declares and hands over to a process that runs already.
    private mutating func add(_ spec: HostSpec, _ plugins: [String: PluginFacts]) -> [Refusal] {
        let refusals = declare(spec, plugins: plugins)
        // Others of them may have been accepted.
        guard let host = hosts[spec.id] else { return refusals }
        if host.connection != nil {
            let known = host.modules.filter { modules[$0]?.state.phase != .verified }
            orderMissing(of: spec.id, besides: Set(known))
        }
        if host.process == .quarantined { quarantineLoaded(into: host) }
        if host.process != .idle, supervisor != nil, let whole = startSpec(of: spec.id) {
            orderSupervisor(.update(whole))
        }
        return refusals
    }

    /// A module that is loaded into a host that was given up has no process either, and nobody waits for it, until the host is restarted.
    private mutating func quarantineLoaded(into host: HostRecord) {
        let why = host.modules.compactMap { modules[$0]?.state }.first { $0.phase == .quarantined }?.why
        for id in host.modules where modules[id]?.state.phase == .verified {
            move(id, to: .quarantined, why: why ?? "its host is quarantined; read its log, then: relux module restart \(id)")
        }
    }

    private func plan(for directory: String, in host: HostID, isPresent: Bool) -> String {
        guard let record = modules.values.first(where: { $0.directory == directory }) else {
            return "\(directory) is nothing new"
        }
        if isPresent {
            let version = record.declaration?.version ?? ""
            return "\(record.id) \(version) is loaded already, in host \(host), and \(record.state.phase.rawValue): nothing is done"
        }
        if hosts[host]?.process == .quarantined {
            return "\(record.id): host \(host) is quarantined; it starts now if all that it had was refused, else, after a look at its log, with:"
                + " relux module restart \(record.id)"
        }
        let step = hosts[host]?.connection == nil ? "host \(host) starts with it" : "host \(host) loads it"
        guard let unmet = firstUnmet(of: record.id) else { return "\(record.id): \(step)" }
        return "\(record.id): \(step), then it waits: \(unmet.why)"
    }

    /// The end of what must come first; nil if nothing must.
    ///
    /// - Parameter isAnswered: a manifest that cannot be read now was read when the load was answered.
    private func reasonToWait(_ spec: HostSpec, _ plugins: [String: PluginFacts], isAnswered: Bool = false) -> String? {
        for directory in spec.plugins {
            guard let id = plugins[directory]?.declaration?.id ?? (isAnswered ? PluginFacts.moduleName(of: directory) : nil) else { continue }
            if let handover = handovers[id] { return "the \(handover.kind.rawValue) of \(id) has ended" }
            if modules[id]?.isLeaving == true { return "the removal of \(id) has ended" }
        }
        return hosts[spec.id]?.process == .stopping ? "its former process has ended" : nil
    }

    /// Each of them was answered as done, so it is, or its refusal is what status shows.
    mutating func retryQueuedLoads() {
        guard !startQueue.loads.isEmpty, boot != .closing else { return }
        let waiting = startQueue.loads
        startQueue.loads = []
        for load in waiting {
            if reasonToWait(load.host, load.plugins, isAnswered: true) == nil {
                _ = add(load.host, load.plugins)
                turn.mustPersist = true
            } else {
                startQueue.loads.append(load)
            }
        }
    }
}
