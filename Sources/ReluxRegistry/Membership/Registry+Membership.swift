package import ReluxControl
import ReluxPlugin
import ReluxWire

/// The registry is the membership: who was a member is one behind a start, where it was and as what it was, whatever the file says.
extension Registry {
    /// How the cluster's file compares with what is remembered; nothing is changed here.
    ///
    /// - Parameter plugins: what lies in ``directories(toCompareWith:)``.
    package func plan(_ file: [HostSpec], _ plugins: [String: PluginFacts], for purpose: MembershipPlan.Purpose) -> MembershipPlan {
        var planner = MembershipPlanner(self, file: file, plugins: plugins, purpose)
        return planner.run()
    }

    /// Another supervisor life begins: what runs goes on, the others are declared anew, in the order of the file.
    mutating func begin(_ hello: SupervisorHello, _ plugins: [String: PluginFacts]) {
        let purpose = MembershipPlan.Purpose.start(isReset: hello.start?.isReset == true, isPacked: hello.start?.isPacked == true)
        let plan = plan(hello.declared, plugins, for: purpose)
        var plugins = plugins
        for (directory, message) in plan.gone { plugins[directory] = .unreadable(code: "served-version-gone", message: message) }
        for (former, now) in plan.relocated { for id in served.keys { served[id]?.relocate(former, to: now) } }
        let unplaced = endLives(running: hello.running)
        for id in plan.dropped where modules[id] != nil { dropRunning(id) }
        filed.replace(with: hello.declared, isReset: hello.start?.isReset == true)
        for spec in plan.hosts { declareHost(spec, plugins) }
        for (record, spec, isForeign) in unplaced where !plan.dropped.contains(record.id) { readmit(record, spec, isForeign: isForeign) }
        turn.former = [:]
        retryQueuedLoads()
    }

    private mutating func declareHost(_ spec: HostSpec, _ plugins: [String: PluginFacts]) {
        _ = declare(spec, plugins: plugins)
        // A host that lives on, or that was removed while its process ended, has another specification from its next process on.
        hosts[spec.id]?.spec.environment = spec.environment
        hosts[spec.id]?.spec.executable = spec.executable
        hosts[spec.id]?.spec.restart = spec.restart
    }

    /// Forgets all hosts that neither run nor have come by themselves.
    ///
    /// - Returns: members that no directory can bring back: linked into an executable, or of a host that somebody else starts.
    private mutating func endLives(running: [HostID: HostProcess]) -> [(record: ModuleRecord, host: HostSpec, isForeign: Bool)] {
        var unplaced: [(record: ModuleRecord, host: HostSpec, isForeign: Bool)] = []
        for id in hosts.keys.sorted() {
            guard let host = hosts[id], host.connection == nil, running[id] == nil else { continue }
            bury(id, why: "its supervisor has ended")
            for module in host.modules {
                guard let record = modules[module] else { continue }
                if record.isLeaving {
                    endRemoval(of: record)
                } else if record.isMember {
                    turn.former[module] = record
                    // Nothing can be lost with a module that handles nothing.
                    let isBound = record.directory.isEmpty && (!host.isForeign || record.declaration?.handles.isEmpty == false)
                    if isBound { unplaced.append((record, host.spec, host.isForeign)) }
                    if host.isForeign, !record.directory.isEmpty {
                        remark("\(module) was loaded into host \(id), which somebody else starts: it is no member any more; relux module load \(record.directory)")
                    }
                }
                forget(module)
            }
            hosts[id] = nil
            startQueue.remove(id)
            turn.hasPictureChanged = true
        }
        boot = .infrastructure
        return unplaced
    }

    /// A module that was being removed has gone with its process.
    private mutating func endRemoval(of record: ModuleRecord) {
        noteUnloaded(record.id)
        for waiter in record.present.waiters {
            answer(waiter.connection, waiter.request, .done(lines: ["\(record.id) is removed: the cluster was started again"]))
        }
    }

    /// A reset takes out also what lives on for a moment.
    private mutating func dropRunning(_ id: ModuleID) {
        guard let record = modules[id] else { return }
        noteWriter(of: record)
        order(.drain(module: id), record.host)
        instanceEnded(id, why: "the members were reset", isCrash: false)
        forget(id)
        removeIfEmpty(record.host)
    }

    private mutating func readmit(_ record: ModuleRecord, _ spec: HostSpec, isForeign: Bool) {
        guard modules[record.id] == nil else { return }
        if hosts[record.host] == nil {
            hosts[record.host] = HostRecord(spec: spec, start: startQueue.next)
            hosts[record.host]?.isForeign = isForeign
            hosts[record.host]?.answered(clock.now)
            if isForeign { hosts[record.host]?.process = .ended }
        }
        guard let declaration = record.declaration else { return }
        makeRecord(record.id, declaration, "", in: record.host)
        modules[record.id]?.imports = record.imports
        move(record.id, to: isForeign ? .stopped : .verified, why: isForeign ? "its host \(record.host) has not come back; somebody else starts it" : "")
        admit(record.id)
        startQueue.renew()
    }

    // MARK: What is taken out

    /// A module that somebody has taken out stays out, also where the file names it.
    mutating func noteUnloaded(_ id: ModuleID) {
        filed.noteUnloaded(id)
        turn.mustPersist = true
    }
}
