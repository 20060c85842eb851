import ReluxControl
import ReluxWire

/// The passing of time: pings, silence, and limits that are over.
extension Registry {
    /// Everything is as people want it, and only time goes on.
    package var isAtRest: Bool {
        boot == .open && !isRecollecting && handovers.isEmpty && startQueue.loads.isEmpty && losses.departures.isEmpty && index.pending.isEmpty
            && modules.values.allSatisfy { $0.state.phase == .ready && !$0.isLeaving }
            && hosts.values.allSatisfy { $0.process == .running || $0.process == .ended }
    }

    mutating func ticked() {
        if clock.takePing(every: configuration.pingInterval) {
            let quiet = connections.filter { isQuiet($1) }.sorted { $0.value < $1.value }.map(\.key)
            if !quiet.isEmpty { tell(quiet, .ping) }
        }
        for id in hosts.keys.sorted() { checkTimes(of: id) }
        for id in ordered(modules.keys.filter { modules[$0]?.isLeaving == true }) {
            guard let since = modules[id]?.present.since, clock.now - since > configuration.drainLimit else { continue }
            finishRemoval(id, remark: "its drain was cut after \(DurationText.print(configuration.drainLimit))", isCut: true)
        }
        checkParting()
        for id in ordered(index.pending) { checkLoading(of: id) }
        answerDepartures()
        checkEvictions()
        retryQueuedLoads()
        if !handovers.isEmpty { turn.isUnsettled = true }
        // Patience with a process that somebody else is to start again may be over.
        if !configuration.supervised, index.idle.contains(where: { modules[$0]?.state.phase == .backoff }) { turn.isUnsettled = true }
        // Patience with a module that does not become ready may be over.
        if boot.step != nil { turn.isUnsettled = true }
    }

    /// It has to be asked whether it lives, or whether its connection does.
    private func isQuiet(_ id: HostID) -> Bool {
        hosts[id].map { clock.now - $0.lastHeard >= configuration.pingInterval || clock.now - $0.lastAnswered >= configuration.connectionInterval } ?? false
    }

    /// Processes of this machine have said that they live; ``HeartbeatPipe``. Whom this broker does not know is asked who it is.
    mutating func heardHeartbeats(of connections: [ConnectionID]) {
        for connection in connections {
            if let host = self.connections[connection] {
                hosts[host]?.lives(clock.now)
            } else if journals.recollection?.hellos[connection] == nil {
                tell(connection, .introduce)
            }
        }
    }

    private mutating func checkTimes(of id: HostID) {
        guard let host = hosts[id] else { return }
        switch host.process {
        case .ordered where clock.now - host.since > configuration.startPatience:
            orderSupervisor(.stop(host: id))
            quarantined(
                id,
                why: "its process said no hello within \(DurationText.print(configuration.startPatience)); read its log, then: relux module"
                    + " restart")
        case .stopping where clock.now - host.since > configuration.stopLimit:
            died(id, unreported(host, "no end reported within \(DurationText.print(configuration.stopLimit))"))
        case .running where host.isLive:
            let limit = host.connection == nil ? configuration.startPatience : configuration.silenceLimit
            if clock.now - host.lastHeard > limit {
                cut(id, why: "its host said nothing for \(DurationText.print(limit))")
            } else if host.connection != nil, clock.now - host.lastAnswered > configuration.connectionInterval + limit {
                cut(id, why: "its host lives, and has answered nothing for \(DurationText.print(configuration.connectionInterval + limit))")
            }
        default: break
        }
    }

    /// A host that does not let go of a module keeps the others from hearing that the module has gone, and the module from coming back.
    private mutating func checkParting() {
        guard boot != .closing else { return }
        for (host, late) in partings.late(clock.now, limit: configuration.drainLimit * 4) {
            guard let record = hosts[host], record.process == .running, record.connection != nil, record.isForeign || supervisor != nil else { continue }
            remark("host \(host) has not let go of \(late) within \(configuration.drainLimit * 4), and is restarted")
            // It answers, so the modules beside it leave in order.
            restart(host, why: "it does not let go of \(late)", drains: true)
            // As long again for its end.
            partings.renew(host)
        }
    }

    /// A host that neither loads a module nor says why must be looked at.
    private mutating func checkLoading(of id: ModuleID) {
        guard let record = modules[id], record.state.phase == .starting, !record.isLive, !record.isLeaving,
            hosts[record.host]?.process == .running, !awaitsStart(record)
        else { return }
        // Its process may have been started before the supervisor knew of the module.
        if clock.now - record.present.since > configuration.startPatience / 4, !record.present.isLoadAsked, !record.directory.isEmpty {
            modules[id]?.present.isLoadAsked = true
            order(loadOrder(record.directory), record.host)
        }
        guard clock.now - record.present.since > configuration.startPatience else { return }
        move(
            id, to: .quarantined,
            why: "host \(record.host) has not loaded it within \(DurationText.print(configuration.startPatience)); read its log, then: relux"
                + " module restart \(id)")
    }

    mutating func fellSilent(_ connection: ConnectionID) {
        journals.recollection?.hellos[connection] = nil
        if supervisor?.connection == connection {
            // Whatever it says next is answered with a request to introduce itself.
            seat.supervisor = nil
            return
        }
        guard let id = connections[connection] else { return }
        cut(id, why: "its host's connection fell silent")
    }

    /// Has a process of ours that does not answer killed and started again; any other counts as dead.
    private mutating func cut(_ id: HostID, why: String) {
        guard let host = hosts[id], host.process == .running else { return }
        guard supervisor != nil, !host.isForeign else { return died(id, unreported(host, why)) }
        // Asked again only when as much time has passed as made us ask now.
        hosts[id]?.answered(clock.now)
        orderRestart(id, .init(.cut, why: why))
    }

    /// Has a process that answers end, so that a new one can come.
    ///
    /// - Parameter drains: what its modules do is worth the time of the stop ladder.
    mutating func restart(_ id: HostID, why: String, drains: Bool = false) {
        if supervisor != nil, hosts[id]?.isForeign == false {
            // It may have been started for what was wanted of it before.
            if let spec = startSpec(of: id), !spec.plugins.isEmpty || !spec.executable.isEmpty {
                orderSupervisor(.update(spec))
            }
            orderRestart(id, .init(drains ? .drain : .kill, why: why))
        } else if let connection = hosts[id]?.connection {
            tell(connection, .stop)
        }
    }

    mutating func ponged(_ id: HostID, stalled: [ModuleID]) {
        guard let host = hosts[id] else { return }
        if stalled.isEmpty { hosts[id]?.unsettled = nil }
        let stalled = Set(stalled)
        for module in host.modules {
            guard stalled.contains(module) else {
                modules[module]?.present.instance.stalledSince = nil
                continue
            }
            let since = modules[module]?.present.instance.stalledSince ?? clock.now
            modules[module]?.present.instance.stalledSince = since
            if clock.now - since > configuration.stallLimit {
                modules[module]?.present.instance.stalledSince = nil
                cut(id, why: "the executor of \(module) answered no ping for \(DurationText.print(configuration.stallLimit))")
                return
            }
        }
    }
}
