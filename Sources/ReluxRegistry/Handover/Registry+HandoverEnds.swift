import ReluxControl
import ReluxPlugin
import ReluxWire

/// How a hand-over ends: done, not come about, or taken back from a successor that is too slow.
extension Registry {
    mutating func finishHandover(of id: ModuleID, remark: String?) {
        guard let handover = handovers.removeValue(forKey: id) else { return }
        let pause = handover.pause.map { (clock.time - $0.since).wholeMilliseconds } ?? 0
        publish(.moduleUpgraded(
                    module: id, from: handover.sourceName, to: handover.targetName, host: handover.to.rawValue,
                    pauseMilliseconds: pause))
        conclude(handover, HandoverOutcome(request: handover.request, code: "", lines: doneLines(handover, pause, remark)))
        release(id, from: handover.from, directory: handover.source.directory)
        turn.isUnsettled = true
        turn.mustPersist = true
    }

    /// Ends a hand-over from outside, wherever it stands.
    mutating func breakOff(_ id: ModuleID, why: String) {
        guard let handover = handovers[id] else { return }
        if handover.stage == .committed {
            finishHandover(of: id, remark: why)
        } else {
            failHandover(of: id, why: why)
        }
    }

    /// The predecessor has the module again, or still has it; also when it is dead and starts again by itself.
    mutating func failHandover(of id: ModuleID, why: String) {
        guard let handover = handovers.removeValue(forKey: id) else { return }
        let what = "\(handover.kind.rawValue) of \(id) to \(handover.targetName) in host \(handover.to)"
        let message = "\(what) did not come about: \(why); \(handover.sourceName) goes on in host \(handover.from)"
        publish(.upgradeFailed(
                    module: id, from: handover.sourceName, to: handover.targetName, why: why))
        remark(message)
        if handover.kind == .upgrade {
            served[id, default: ServedVersions(directory: handover.source.directory, version: handover.source.version)].avoid(handover.target.directory)
        }
        // Behind all else: a load that has waited for this must find the module where it belongs.
        defer {
            conclude(
                handover, HandoverOutcome(request: handover.request, code: Refusal.Rule.handOverFailed.rawValue, lines: [message]))
        }
        if handover.isWithSuccessor {
            instanceEnded(id, why: why, isCrash: false)
            place(id, in: handover.from)
        } else if handover.isReservedHere, let reserved = handover.reserved {
            epochs.giveBack(reserved, of: id)
        }
        release(id, from: handover.to, directory: handover.target.directory)
        turn.isUnsettled = true
        turn.mustPersist = true
        if let refusal = handover.heard.oldRefusal {
            refuse(id, refusal, isSaid: true)
        } else {
            resumeOld(id, isSealed: handover.heard.isSealed)
        }
    }

    /// The predecessor serves on, serves again, or will when it has started.
    private mutating func resumeOld(_ id: ModuleID, isSealed: Bool) {
        guard let record = modules[id], let host = hosts[record.host] else { return }
        if isSealed, let connection = host.connection {
            instanceEnded(id, why: "it was handed over", isCrash: false)
            return grant(id, to: connection)
        }
        guard !record.isLive else {
            // A process that had been told to give the module up comes to stand by and is answered then.
            modules[id]?.present.instance.mayBeReady = record.state.phase == .ready
            return index(id)
        }
        let phase: ModuleState.Phase =
            switch host.process {
            case .idle: .verified
            case .ordered, .running: .starting
            case .backoff: .backoff
            case .quarantined: .quarantined
            case .stopping, .ended: .stopped
            }
        guard record.state.phase != phase else { return }
        modules[id]?.state = ModuleState(phase, why: "its hand-over did not come about")
        modules[id]?.present.since = clock.now
        index(id)
    }

    /// Takes the module back from a successor that is too slow and may have the journal open.
    mutating func withdraw(_ id: ModuleID, why: String) {
        handovers[id]?.why = why
        handovers[id]?.heard.standingSince = nil
        enter(.withdrawing, id)
        orderWithdrawal(of: id, isSecond: false)
    }

    /// A process of its own is killed, a shared one is asked first.
    mutating func orderWithdrawal(of id: ModuleID, isSecond: Bool) {
        guard let handover = handovers[id], let host = hosts[handover.to], supervisor != nil else { return }
        if isLast(id, in: host.id) {
            setProcess(.stopping, of: host.id)
            orderSupervisor(.kill(host: host.id))
        } else if let connection = host.connection, !isSecond {
            tell(connection, .drain(module: id))
        } else {
            restart(host.id, why: "it does not let go of \(id)")
        }
    }

    private mutating func conclude(_ handover: Handover, _ outcome: HandoverOutcome) {
        notices.note(outcome)
        for connection in handover.waiters { answer(connection, handover.request, outcome.body) }
        retryQueuedLoads()
    }
}
