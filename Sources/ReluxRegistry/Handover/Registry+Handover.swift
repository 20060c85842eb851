import ReluxControl
import ReluxPlugin
import ReluxWire

/// The steps of a hand-over: each follows from what processes have said, is on the disk before it is ordered, and up to the commit
/// every failure leads back to the predecessor.
extension Registry {
    /// Takes every step that is due; called whenever something has changed, and with every tick.
    mutating func advanceHandovers() {
        guard !handovers.isEmpty, boot != .closing else { return }
        for id in ordered(handovers.keys) { advanceHandover(of: id) }
    }

    private mutating func advanceHandover(of id: ModuleID) {
        guard let handover = handovers[id], let record = modules[id] else { return }
        switch handover.stage {
        case .preparing: advancePreparing(handover, record)
        case .cuttingOver: advanceCutOver(handover, record)
        case .serving:
            if let end = handover.heard.newEnd {
                failHandover(of: id, why: end)
            } else if handover.heard.isRestored {
                commitHandover(of: id)
            } else if handover.heard.isStandingBy, !handover.isOrdered {
                // The order may have died with the broker that gave it; its epoch is spent.
                takeOver(id)
            } else if clock.now - handover.since > configuration.startPatience {
                withdraw(id, why: "host \(handover.to) has not restored it within \(DurationText.print(configuration.startPatience))")
            }
        case .withdrawing:
            if handover.heard.newEnd != nil || handover.heard.isStandingBy {
                failHandover(of: id, why: handover.why)
            } else if clock.now - handover.since > configuration.drainLimit {
                enter(.withdrawing, id)
                orderWithdrawal(of: id, isSecond: true)
            }
        case .committed:
            if record.state.phase == .ready {
                finishHandover(of: id, remark: nil)
            } else if let end = handover.heard.newEnd {
                finishHandover(of: id, remark: "its process ended before it was ready and is started again: \(end)")
            } else if clock.now - handover.since > configuration.startPatience {
                finishHandover(of: id, remark: "it is not ready yet: relux module why-not \(id)")
            }
        }
    }

    mutating func enter(_ stage: Handover.Stage, _ id: ModuleID) {
        handovers[id]?.stage = stage
        handovers[id]?.since = clock.now
        handovers[id]?.isOrdered = false
        turn.isUnsettled = true
        turn.mustPersist = true
    }

    // MARK: Before the cut-over

    private mutating func advancePreparing(_ handover: Handover, _ record: ModuleRecord) {
        let id = handover.module
        if let end = handover.heard.newEnd { return failHandover(of: id, why: end) }
        let isLate = clock.now - handover.since > configuration.startPatience
        guard let standingSince = handover.heard.standingSince else {
            if isLate {
                failHandover(of: id, why: "host \(handover.to) was not prepared within \(DurationText.print(configuration.startPatience)); read its log")
            }
            return
        }
        if let unmet = unmetImports(of: handover).first {
            if isLate { failHandover(of: id, why: "\(handover.targetName) would not be ready: it \(unmet.why)") }
            return
        }
        guard record.isLive else { return takeOver(id) }
        // A module on its way to ready is given the time for it, for that is the shorter pause.
        guard record.state.phase == .ready || clock.now - standingSince > configuration.readyPatience else { return }
        guard let connection = hosts[record.host]?.connection else { return }
        enter(.cuttingOver, id)
        handovers[id]?.isOrdered = true
        handovers[id]?.pause = Handover.Pause(since: clock.time)
        reserveEpoch(of: id)
        modules[id]?.present.instance.mayBeReady = false
        index(id)
        tell(connection, .handOver(module: id, older: handover.older))
    }

    private mutating func advanceCutOver(_ handover: Handover, _ record: ModuleRecord) {
        let id = handover.module
        if let end = handover.heard.newEnd { return failHandover(of: id, why: end) }
        if handover.heard.isSealed || !record.isLive {
            if handover.heard.isStandingBy {
                takeOver(id)
            } else if clock.now - handover.since > configuration.startPatience {
                failHandover(of: id, why: "host \(handover.to) did not come back within \(DurationText.print(configuration.startPatience))")
            }
            return
        }
        if !handover.isOrdered, let connection = hosts[record.host]?.connection {
            handovers[id]?.isOrdered = true
            tell(connection, .handOver(module: id, older: handover.older))
        }
        if clock.now - handover.since > configuration.sealLimit {
            failHandover(of: id, why: "host \(handover.from) has not given it up within \(DurationText.print(configuration.sealLimit))")
        }
    }

    /// Libraries that the new version imports and nobody provides now.
    func unmetImports(of handover: Handover) -> [Unmet] {
        var record = modules[handover.module]
        record?.imports = handover.target.imports
        return (record?.providers ?? []).compactMap { unmetImport($0) }
    }

    // MARK: The cut-over

    /// The pause begins: the epoch of the successor is written with the order to give the module up, so that nobody waits for a disk later.
    private mutating func reserveEpoch(of id: ModuleID) {
        let epoch = epochs.next(of: id)
        epochs.note(given: epoch, to: id)
        handovers[id]?.reserved = epoch
        handovers[id]?.isReservedHere = true
    }

    /// The successor gets the module, under an epoch that is on the disk before it hears of it.
    private mutating func takeOver(_ id: ModuleID) {
        guard let handover = handovers[id], let host = hosts[handover.to], let connection = host.connection else { return }
        let reserved = handover.stage == .cuttingOver && handover.isReservedHere ? handover.reserved : nil
        moveToSuccessor(handover)
        enter(.serving, id)
        handovers[id]?.isOrdered = true
        grant(id, to: connection, reserved: reserved)
    }

    private mutating func moveToSuccessor(_ handover: Handover) {
        guard !handover.isWithSuccessor else { return }
        let id = handover.module
        instanceEnded(id, why: "it was handed over", isCrash: false)
        handovers[id]?.source.stored = modules[id]?.stored
        place(id, in: handover.to)
    }

    /// A broker has died between its order to serve and the writing of that.
    mutating func adoptSuccessor(_ handover: Handover, _ epoch: Epoch) {
        moveToSuccessor(handover)
        enter(.serving, handover.module)
        handovers[handover.module]?.isOrdered = true
        start(handover.module, epoch)
    }

    /// Lists the module under another host.
    mutating func place(_ id: ModuleID, in host: HostID) {
        guard let before = modules[id]?.host else { return }
        hosts[before]?.modules.removeAll { $0 == id }
        if hosts[host]?.modules.contains(id) == false { hosts[host]?.modules.append(id) }
        modules[id]?.host = host
        turn.hasPictureChanged = true
    }

    /// The next epoch for an instance that stands by in the module's host: another life, whatever the one before ended as.
    ///
    /// - Parameter reserved: the epoch that is on the disk already; nil for the next one.
    mutating func grant(_ id: ModuleID, to connection: ConnectionID, reserved: Epoch? = nil) {
        let epoch = reserved ?? epochs.next(of: id)
        start(id, epoch)
        let order = Action.toHosts([connection], .serve(module: id, epoch: epoch))
        let known = knownLives(of: [id]).map { Action.toHosts([connection], $0) }
        if reserved == nil { turn.actions += [known, order].compactMap(\.self) } else { turn.ahead += [known, order].compactMap(\.self) }
    }

    private mutating func start(_ id: ModuleID, _ epoch: Epoch) {
        begin(id, epoch)
        modules[id]?.state = ModuleState(.recovering)
        modules[id]?.present.since = clock.now
        modules[id]?.present.startedAt = clock.time
        index(id)
        turn.isUnsettled = true
    }

    /// From here on the module is the new version; its order to proceed follows from that.
    private mutating func commitHandover(of id: ModuleID) {
        guard let handover = handovers[id], let record = modules[id] else { return }
        expel(id)
        modules[id]?.declaration = handover.target.declaration
        modules[id]?.imports = handover.target.imports
        modules[id]?.directory = handover.target.directory
        modules[id]?.isFromManifest = true
        modules[id]?.present.former = nil
        index.contracts[id] = handover.target.contract.bytes.isEmpty ? nil : handover.target.contract
        admit(id)
        modules[id]?.memberSince = record.memberSince
        if handover.kind == .move { modules[id]?.home = handover.to }
        noteServed(by: handover)
        enter(.committed, id)
        turnAwayImporters(of: id)
    }
}
