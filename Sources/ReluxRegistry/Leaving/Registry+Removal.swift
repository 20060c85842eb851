import ReluxControl
import ReluxLayers
import ReluxPlugin
package import ReluxWire

/// Taking a module out: drain, leave, a picture without it, the end of its process.
extension Registry {
    mutating func remove(_ id: ModuleID, for waiter: ModuleRecord.Waiter?) {
        guard let record = modules[id] else { return }
        if let waiter { modules[id]?.present.waiters.append(waiter) }
        guard !record.isLeaving else { return }
        detachImporters(of: id, why: "imports \(Layer.interface(of: id.rawValue)), and \(id) is being removed")
        modules[id]?.isLeaving = true
        index(id)
        turn.mustPersist = true
        if record.isLive && (record.state.phase == .draining || record.state.phase.successors.contains(.draining)) {
            orderDrain(id)
        } else {
            finishRemoval(id, remark: "it was \(record.state.phase.rawValue), there was nothing to drain")
        }
    }

    mutating func orderDrain(_ id: ModuleID) {
        guard let record = modules[id] else { return }
        move(id, to: .draining)
        modules[id]?.present.since = clock.now
        if let connection = hosts[record.host]?.connection {
            tell(connection, .drain(module: id))
        }
        guard let host = hosts[record.host], !host.isForeign, host.process == .running, supervisor != nil,
            host.modules.allSatisfy({ modules[$0]?.isLeaving == true || modules[$0]?.state.phase == .refused }), !hasGuests(host.id)
        else { return }
        // The process ends by itself when its last module has left: that end must be expected before it comes.
        setProcess(.stopping, of: host.id)
        orderSupervisor(.stop(host: host.id))
    }

    /// The module's host says that it has drained: because we asked, or because the process is going.
    mutating func left(_ id: ModuleID) {
        guard let record = modules[id], record.isLive else {
            notices.counters.stale += 1
            return
        }
        if record.isLeaving {
            finishRemoval(id, remark: "it has drained and left")
        } else {
            instanceEnded(id, why: "it has left", isCrash: false)
            // It has said why when it began to leave.
            let why = record.state.phase == .draining ? record.state.why : ""
            move(id, to: .stopped, why: why.isEmpty ? "its host has stopped it" : why)
        }
    }

    /// The same, found out and not said.
    mutating func left(_ id: ModuleID, in host: HostID) {
        if !heardOfHandover(.left(module: id), from: host) { left(id) }
    }

    mutating func finishRemovalIfLeaving(_ id: ModuleID) {
        if modules[id]?.isLeaving == true { finishRemoval(id, remark: "it was refused") }
    }

    mutating func finishRemoval(_ id: ModuleID, remark: String, isCut: Bool = false) {
        guard let record = modules[id] else { return }
        let lostBefore = losses.count(with: id)
        if isCut {
            let code = Refusal.Rule.beingRemoved.rawValue
            order(.refuse(module: id, code: code, message: remark), record.host)
            noteWriter(of: record)
            // Answered when it has left, also when it has left already; by a process that is not connected after its hello.
            orderRelease(id, record.host)
        }
        instanceEnded(id, why: remark, isCrash: false)
        if record.state.phase.successors.contains(.stopped) { move(id, to: .stopped, why: remark) }
        var lines = ["\(id) is removed: \(remark)"]
        let waiting = ordered(index.importers[id] ?? [])
        if !waiting.isEmpty {
            lines.append("waiting for its return: \(waiting.map(\.rawValue).joined(separator: ", "))")
        }
        forget(id)
        noteUnloaded(id)
        if isWithoutWork(record.host) {
            lines.append("host \(record.host) ends")
            stopHost(record.host)
        } else if supervisor != nil, let spec = startSpec(of: record.host) {
            lines.append("host \(record.host) goes on with its other modules")
            orderSupervisor(.update(spec))
        }
        for waiter in record.present.waiters { answer(waiter, lines, behind: id, lostBefore: lostBefore) }
        turn.hasPictureChanged = true
        retryQueuedLoads()
    }

    // MARK: Journals that are still written

    /// No members any more, while their processes may still write what their handlers say: nothing that their journals do not have by now is
    /// known not to come.
    package var writers: Set<ModuleID> {
        partings.modules.filter { modules[$0]?.isMember != true }
    }

    /// The module is taken out before its process has let go of it.
    ///
    /// - Parameter record: as it was before.
    mutating func noteWriter(of record: ModuleRecord) {
        guard record.isLive, hosts[record.host]?.isLive == true else { return }
        partings.insert(record.id, in: record.host)
    }
}
