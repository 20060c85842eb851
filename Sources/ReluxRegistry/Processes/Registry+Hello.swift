import ReluxControl
import ReluxPlugin
import ReluxWire

/// How a host process introduces itself: whether it is the one that it claims to be, and what becomes of its modules.
extension Registry {
    mutating func greet(_ said: HostHello, from connection: ConnectionID) {
        var hello = said
        notices.strangers.introduced(connection)
        if let known = connections[connection], known != hello.host {
            turnAway(hello, connection, "this connection spoke for host \(known) before; start a process for each host")
            return
        }
        guard hello.host != configuration.brokerHost?.id else {
            turnAway(hello, connection, "the name is the broker's own; give the host another one")
            return
        }
        if let start = hello.start, start.order > startQueue.latest, supervisor != nil || !startQueue.isBelieved(start.order) {
            turnAway(hello, connection, "no process was started as \(start), the latest order is \(startQueue.latest)")
            return
        }
        // Only a registry that has met no supervisor may have forgotten a host that one has started.
        if hosts[hello.host] == nil, hello.start == nil || seat.instance.isEmpty {
            hosts[hello.host] = HostRecord(spec: HostSpec(id: hello.host, plugins: []), start: hello.start == nil ? startQueue.next : nil)
            hosts[hello.host]?.isForeign = hello.start == nil
        }
        guard let host = hosts[hello.host] else {
            turnAway(hello, connection, "the host was removed while its process started", isNews: false)
            return
        }
        if let start = hello.start, !host.mayBe(start) {
            // Its end is known, or is about to come.
            notices.counters.stale += 1
            return
        }
        if host.process == .stopping && host.instance != hello.instance {
            turnAway(hello, connection, "the host is being stopped; start it again when it has ended")
            return
        }
        if hello.start == nil, configuration.supervised, !host.isForeign, host.instance != hello.instance {
            guard let start = start(ofUnnumbered: hello, host, connection) else { return }
            hello.start = start
        }
        if host.isLive && host.instance != hello.instance {
            guard isSuccessor(hello, of: host) else { return contend(hello, connection, host) }
            replaced(host, by: hello.pid)
        }
        guard hosts[hello.host] != nil else {
            turnAway(hello, connection, "the host was removed while its process started", isNews: false)
            return
        }
        if let start = hello.start { note(start, of: hello.host) }
        welcome(hello, from: connection)
    }

    private mutating func welcome(_ hello: HostHello, from connection: ConnectionID) {
        let id = hello.host
        let isSameLife = hosts[id]?.instance == hello.instance
        let isNewConnection = hosts[id]?.connection != connection
        let wasGivenUp = hosts[id]?.process == .quarantined
        if let old = hosts[id]?.connection, old != connection { disconnect(old) }
        connections[connection] = id
        hosts[id]?.connection = connection
        if hosts[id]?.instance != hello.instance { hosts[id]?.bus = .init() }
        hosts[id]?.disk = []
        hosts[id]?.crowd = nil
        hosts[id]?.blocked = []
        hosts[id]?.instance = hello.instance
        hosts[id]?.pid = hello.pid
        hosts[id]?.endpoint = hello.endpoint
        hosts[id]?.tapEndpoint = hello.tapEndpoint
        hosts[id]?.answered(clock.now)
        // It may say hello before the supervisor says that it has started it again.
        if hosts[id]?.process == .backoff { hosts[id]?.restarts += 1 }
        if hosts[id]?.process != .stopping { setProcess(.running, of: id) }
        take(pictureVersion: hello.pictureVersion, from: id)
        turn.hasPictureChanged = true
        var given: [ModuleID: Epoch] = [:]
        var isStandingBy = false
        var isOutdated = false
        var past: [ModuleID] = []
        for module in hello.modules {
            let age = hello.ageMilliseconds.map { Duration.milliseconds(Int64(clamping: $0)) } ?? .zero
            switch join(module, host: id, isSameLife: isSameLife, isResumed: hello.resumed, age: age) {
            case .epoch(let epoch): given[module.declaration.id] = epoch
            case .standsBy: isStandingBy = true
            case .outdated:
                isOutdated = true
                // Nobody ends its process before the supervisor has come.
                if hello.resumed, module.epoch != nil, supervisor == nil { past.append(module.declaration.id) }
            case .past: past.append(module.declaration.id)
            case .refused: break
            }
            if let epoch = module.epoch { noteGiven(epoch, to: module.declaration.id) }
        }
        noteAbsent(from: hello, isSameLife: isSameLife)
        turn.welcomes.append((connection, given))
        orderMissing(
            of: id, besides: Set(hello.modules.map(\.declaration.id)), mayHaveMissed: hello.resumed && isNewConnection, wasGivenUp: wasGivenUp)
        let goesOn = isOutdated || !given.isEmpty || isStandingBy || hello.modules.isEmpty
        if isOutdated, !isSameLife || hosts[id].map(isRestartOrdered) == false { restartOutdated(id, drains: hello.resumed) }
        guard !goesOn else {
            // The process goes on without them.
            for module in past {
                partings.insert(module, in: id)
                orderRelease(module, id)
            }
            return
        }
        if isWanted(id) {
            restart(id, why: "its process is of the past")
        } else {
            stopHost(id)
        }
    }

    /// The process has let go of every module that it does not name any more: its word of that may have been lost with a broker.
    private mutating func noteAbsent(from hello: HostHello, isSameLife: Bool) {
        let present = Set(hello.modules.map(\.declaration.id))
        partings.keep(present, in: hello.host)
        guard isSameLife, let host = hosts[hello.host] else { return }
        for id in host.modules where !present.contains(id) && modules[id]?.isLive == true { left(id, in: hello.host) }
    }

    /// Orders the modules that came into the host's specification while its process was starting, or while it ended.
    ///
    /// - Parameter mayHaveMissed: the order for one that is starting may have died with the broker that wrote that down. A host that says hello
    ///   on the same connection once more has had its order, and may be unable to follow it.
    /// - Parameter wasGivenUp: its modules were quarantined with the process before, and none for itself.
    mutating func orderMissing(of id: HostID, besides loaded: Set<ModuleID>, mayHaveMissed: Bool = false, wasGivenUp: Bool = false) {
        guard let host = hosts[id], let connection = host.connection else { return }
        for module in host.modules where !loaded.contains(module) {
            guard let record = modules[module], !record.directory.isEmpty, !awaitsStart(record),
                record.state.phase == .verified || record.state.phase == .backoff || wasGivenUp && record.state.phase == .quarantined
                    || mayHaveMissed && record.state.phase == .starting && !record.isLive
            else { continue }
            move(module, to: .starting)
            tell(connection, loadOrder(record.directory))
        }
    }

    /// The module's epoch, if it gets one.
    private mutating func join(
        _ module: HostHello.Module, host: HostID, isSameLife: Bool, isResumed: Bool, age: Duration
    ) -> Joining {
        let declaration = module.declaration
        let id = declaration.id
        let live = isResumed ? module.epoch : nil
        if let joining = joinHandover(module, host: host, isSameLife: isSameLife, live: live) { return joining }
        if let known = modules[id], known.host == host, known.state.phase == .refused {
            return turnAway(id, host, known.refusal ?? Refusal(.declarationDiffers, known.state.why), live: live)
        }
        if isResumed, let epoch = module.epoch, epoch.rawValue <= epochs[id],
            modules[id].map({ $0.host != host || !$0.isLive || !isSameLife }) ?? true
        {
            // Known and not alive means that the others were told of its loss, and that is final.
            sendAway(id, epoch, host)
            return .past
        }
        if modules[id] == nil, let record = hosts[host], !record.isForeign, record.spec.executable.isEmpty,
            !record.spec.plugins.isEmpty || record.process == .stopping, journals.recollection?.members.contains(id) != true
        {
            let message = "\(id) was removed from host \(host) before it was loaded"
            return turnAway(id, host, Refusal(.beingRemoved, message), live: live, isNews: false)
        }
        if let refusal = violation(of: declaration, imports: module.imports, in: host) {
            return turnAway(id, host, refusal, live: live, isNews: !isTakenFrom(host, declaration))
        }
        if isResumed, let fault = module.epoch.flatMap({ fault(of: $0, of: id) }) {
            remark("host \(host): \(fault)")
            if let epoch = module.epoch { sendAway(id, epoch, host) }
            return .past
        }
        if let refusal = lackOfEpochs(for: 1, of: id) { return turnAway(id, host, refusal, live: live) }
        if let known = modules[id], known.host == host {
            if known.isFromManifest, let manifest = known.declaration,
                let refusal = Self.difference(manifest, declaration)
            {
                // Another version has been loaded while the process started, or the registry was lost that knew of an upgrade; two of them never meet
                // in one process.
                let isUpgrade = isLater(live, of: id)
                let isOther = isUpgrade || awaitsStart(known) || live == nil && manifest.version != declaration.version
                if isOther, let process = hosts[host], isOutdated(known, in: process) {
                    if isUpgrade, known.awaitedStart == nil {
                        remark(
                            "\(id) ran version \(declaration.version), which the registry does not know of: it was lost, or is an older copy. It is started"
                                + " again as \(manifest.version); relux module upgrade \(id) DIRECTORY")
                    }
                    return .outdated
                }
                return turnAway(id, host, refusal, live: live)
            }
            update(id, declaration, imports: module.imports)
        } else {
            enter(declaration, imports: module.imports, directory: "", in: host, isFromManifest: false)
        }
        guard let record = modules[id], record.state.phase != .refused else { return .refused }
        // A later epoch is one that this registry has forgotten.
        // A life that has ended there while no broker heard it is not given out again.
        if record.isLive, isSameLife, module.epoch ?? record.epoch <= record.epoch, module.ended ?? Epoch(0) < record.epoch { return resume(id, module) }
        if isResumed, let epoch = module.epoch {
            begin(id, epoch)
            return resume(id, module)
        }
        begin(id, epochs.next(of: id))
        if let record = modules[id], record.state.phase != .starting {
            // The word that it was started is still on its way, or nobody says it. It was started after the life before it had ended.
            modules[id]?.present.startedAt = clock.time - min(clock.now - record.present.since, age)
        }
        move(id, to: .recovering)
        return modules[id].map { .epoch($0.epoch) } ?? .refused
    }

    /// Whether the process was started with a module that is another host's by now, as after a move that did not come about: nobody has to do anything.
    private func isTakenFrom(_ host: HostID, _ declaration: ModuleDeclaration) -> Bool {
        guard let owner = modules[declaration.id], owner.host != host, owner.declaration == declaration, let record = hosts[host] else { return false }
        return !record.isForeign && record.spec.executable.isEmpty && !record.spec.plugins.contains(owner.directory)
    }

    /// Ends an instance of the past; the module itself is not at fault and may come with a new one, here when this one has left.
    private mutating func sendAway(_ id: ModuleID, _ epoch: Epoch, _ host: HostID) {
        notices.counters.stale += 1
        guard let connection = hosts[host]?.connection else { return }
        let message =
            "\(id) in host \(host) runs under epoch \(epoch.rawValue), which was removed or declared lost; end that process"
        tell(connection, .refuse(module: id, code: Refusal.Rule.staleEpoch.rawValue, message: message))
        guard let record = modules[id], record.host == host, record.isLive else { return }
        // The registry took another life of it for alive there.
        instanceEnded(id, why: message)
        moveToStarting(id)
    }

    mutating func begin(_ id: ModuleID, _ epoch: Epoch) {
        epochs.note(given: epoch, to: id)
        modules[id]?.epoch = epoch
        modules[id]?.isLive = true
        modules[id]?.present.instance = ModuleRecord.Instance()
        modules[id]?.awaitedStart = nil
        index(id)
        turn.hasPictureChanged = true
        turn.mustPersist = true
    }

    /// The built library knows its imports better than the manifest.
    private mutating func update(_ id: ModuleID, _ declaration: ModuleDeclaration, imports: [String]) {
        guard let record = modules[id], record.declaration != declaration || record.imports != imports else { return }
        expel(id)
        modules[id]?.declaration = declaration
        modules[id]?.imports = imports
        admit(id)
        if record.isMember { modules[id]?.memberSince = record.memberSince }
        turn.mustPersist = true
    }

    /// Refuses one module of a hello; a claim to another host's module leaves that one alone.
    ///
    /// - Parameters:
    ///   - live: the epoch under which it runs there already; nil when it does not.
    ///   - isNews: somebody should do something about it.
    mutating func turnAway(_ id: ModuleID, _ host: HostID, _ refusal: Refusal, live: Epoch? = nil, isNews: Bool = true) -> Joining {
        defer {
            if live != nil {
                partings.insert(id, in: host)
                orderRelease(id, host)
            }
        }
        if let owner = modules[id], owner.host == host, owner.state.phase != .refused {
            refuse(id, refusal)
            return .refused
        }
        if let connection = hosts[host]?.connection {
            tell(connection, .refuse(module: id, code: refusal.rule.rawValue, message: refusal.unnamed))
        }
        if !isNews {
            notices.counters.stale += 1
        } else if modules[id]?.host != host {
            reject(refusal, of: id)
        }
        return .refused
    }

    /// A connection that comes back finds its module as the host says that it is.
    mutating func resume(_ id: ModuleID, _ module: HostHello.Module) -> Joining {
        guard let record = modules[id] else { return .refused }
        if record.isLeaving {
            orderDrain(id)
            return .epoch(record.epoch)
        }
        switch module.state.phase {
        case .ready where record.state.phase == .ready:
            modules[id]?.present.instance.wasReady = true
            modules[id]?.present.instance.mayBeReady = true
        case .ready:
            // News that this broker has missed, or a readiness that it has withdrawn: what it imports decides.
            modules[id]?.present.instance.wasReady = true
            modules[id]?.present.instance.mayBeReady = false
            if record.state.phase != .waiting { modules[id]?.state = ModuleState(.recovering) }
        case .draining where record.state.phase != .draining:
            modules[id]?.state = module.state
        default:
            if record.state.phase != .recovering && record.state.phase != .waiting {
                modules[id]?.state = ModuleState(.recovering)
            }
            // The order to proceed may have died with the broker that gave it; a second one does no harm.
            modules[id]?.present.instance.mayBeReady = false
        }
        index(id)
        turn.isUnsettled = true
        return .epoch(record.epoch)
    }
}
