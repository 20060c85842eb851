import ReluxControl
import ReluxLayers
import ReluxPlugin
import ReluxWire

/// Ending a membership now, whatever the module is doing: what pends on it settles as lost.
extension Registry {
    mutating func evict(
        _ id: ModuleID, yes: Bool, dryRun: Bool, _ connection: ConnectionID, _ request: String
    ) {
        guard let record = modules[id] else { return refuse(connection, request, unknown(id)) }
        let importing = ordered(index.importers[id] ?? []).filter { modules[$0]?.isLeaving == false }.map(\.rawValue)
        if dryRun {
            return answer(connection, request, .done(lines: evictionPlan(record, importing)))
        }
        if !importing.isEmpty && !yes {
            let message =
                "\(id) is imported by \(importing.joined(separator: ", ")), which would wait until it returns; say --yes to evict it"
                + " all the same"
            return refuse(connection, request, Refusal(.isImported, message))
        }
        let before = losses.count(with: id)
        var lines = evict(id, why: "somebody asked for it")
        if !importing.isEmpty { lines.append("waiting for its return: \(importing.joined(separator: ", "))") }
        answer(ModuleRecord.Waiter(connection: connection, request: request), lines, behind: id, lostBefore: before)
    }

    private func evictionPlan(_ record: ModuleRecord, _ importing: [String]) -> [String] {
        let others = (hosts[record.host]?.modules ?? []).filter { $0 != record.id && modules[$0]?.state.phase != .refused }.map(\.rawValue)
        var lines = [
            "evict     \(record.id) \(record.declaration?.version ?? "")  \(record.state.phase.rawValue)  host \(record.host)",
            "lost      what it has not settled, in flight \(record.present.counters.inFlight); relux audit names it",
        ]
        lines.append(
            others.isEmpty
                ? "ends      host \(record.host), at once" : "stays     \(others.joined(separator: ", ")) in host \(record.host)")
        if !importing.isEmpty { lines.append("waiting   \(importing.joined(separator: ", ")) until \(record.id) returns") }
        return lines
    }

    @discardableResult
    private mutating func evict(_ id: ModuleID, why: String) -> [String] {
        breakOff(id, why: "\(id) is evicted")
        guard let record = modules[id] else { return [] }
        detachImporters(of: id, why: "imports \(Layer.interface(of: id.rawValue)), and \(id) was evicted")
        instanceEnded(id, why: why, isCrash: false)
        for waiter in record.present.waiters {
            answer(waiter.connection, waiter.request, .done(lines: ["\(id) is removed: it was evicted meanwhile"]))
        }
        forget(id)
        noteUnloaded(id)
        turn.hasPictureChanged = true
        publish(.moduleEvicted(module: id, why: why))
        var lines = ["\(id) is evicted, it was \(record.state.phase.rawValue)"]
        let host = record.host
        noteWriter(of: record)
        if isWithoutWork(host) {
            lines.append("host \(host) ends")
            if hosts[host]?.isLive == true || hosts[host]?.process == .ordered, supervisor != nil, hosts[host]?.isForeign == false {
                setProcess(.stopping, of: host)
                orderSupervisor(.kill(host: host))
            } else {
                stopHost(host)
            }
        } else {
            lines.append("host \(host) goes on with its other modules")
            release(id, from: host, directory: record.directory)
        }
        retryQueuedLoads()
        return lines
    }

    // MARK: Time

    mutating func checkEvictions() {
        guard configuration.evictAfter > .zero else { return }
        let quarantines = ordered(modules.keys.filter { modules[$0]?.state.phase == .quarantined && handovers[$0] == nil })
        for id in quarantines where modules[id].map(quarantineTime) ?? .zero >= configuration.evictAfter {
            let why = "it was quarantined for \(DurationText.print(configuration.evictAfter)), the limit modules.evict-after"
            evict(id, why: why)
            remark("\(id) was evicted: \(why); load it again when it is well")
        }
        // So that a broker which is started again does not begin to count from nothing.
        if !quarantines.isEmpty, clock.takeNote(every: configuration.evictAfter / 100) { turn.mustPersist = true }
    }

    /// How long the module has been quarantined, in all lives of the broker.
    func quarantineTime(of record: ModuleRecord) -> Duration {
        .milliseconds(record.quarantinedMilliseconds ?? 0) + (clock.now - record.present.since)
    }
}
