import Relux
@testable import ReluxBus
import ReluxPlugin
import ReluxSupervisor

/// A module goes from a process: removed, handed over, or with its process.
extension Simulation {
    /// As long what runs may take before it is cancelled.
    private static let drainLimit = Duration.milliseconds(300)
    /// As long others are served what they still need of it.
    private static let partingLimit = Duration.milliseconds(400)

    mutating func leave(_ name: ModuleID, _ life: Int, _ parting: SimulatedHost.Parting) {
        guard let host = hosts[life] else { return }
        guard let image = host.images[name] else { return say(.left(module: name), life) }
        if image.parting != nil { return }
        if image.phase != .standby { say(.draining, of: name, life) }
        guard host.modules[name] != nil else {
            host.images[name] = nil
            step(life) { $0.standDown(name, now: $1) }
            say(.left(module: name), life)
            return ended(life)
        }
        beginDrain(name, life, parting)
    }

    mutating func handOver(_ name: ModuleID, _ life: Int, _ parting: SimulatedHost.Parting = .handedOver) {
        guard let host = hosts[life] else { return }
        guard let image = host.images[name] else { return say(.left(module: name), life) }
        guard host.modules[name] != nil else { return standBy(name, life) }
        if image.parting != nil { return }
        host.images[name]!.phase = .draining
        if parting == .handedOver { host.images[name]!.mayProceed = false }
        host.images[name]!.isSuccessor = true
        beginDrain(name, life, parting)
    }

    private mutating func beginDrain(_ name: ModuleID, _ life: Int, _ parting: SimulatedHost.Parting) {
        guard let host = hosts[life], let epoch = host.modules[name]?.epoch else { return }
        host.images[name]!.parting = parting
        host.modules[name]!.isClosed = true
        host.modules[name]!.isYielding = parting != .removed
        if !host.isEnding { host.busy = name }
        at(now + Self.drainLimit, .cutDrain(life, name, epoch))
        finishDrain(name, life)
    }

    /// Its handlers are done, or have had their time.
    mutating func finishDrain(_ name: ModuleID, _ life: Int, isCut: Bool = false) {
        guard let host = hosts[life], let module = host.modules[name], let image = host.images[name], let parting = image.parting,
            isCut || module.running.isEmpty
        else { return }
        host.modules[name] = nil
        switch parting {
        case .handedOver, .givenUp: step(life) { $0.handOver(image.declaration, now: $1) }
        case .orphaned: step(life) { core, now in core.remove(name, now: now) + core.close(name, now: now) }
        case .removed, .ending:
            at(now + Self.partingLimit, .cutOff(life, name))
            step(life) { $0.remove(name, now: $1) }
        }
    }

    mutating func cutDrain(_ name: ModuleID, _ life: Int, _ epoch: Epoch) {
        guard hosts[life]?.modules[name]?.epoch == epoch else { return }
        finishDrain(name, life, isCut: true)
    }

    /// Nobody needs the module's journal from that process any more.
    mutating func left(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], let image = host.images[name], host.modules[name] == nil else { return }
        if let journal = disk.journals[name], journal.owner == life {
            disk.seal(name)
            say(.journalEnds([name: journal.end]), life)
        }
        host.images[name]!.parting = nil
        host.lastEpochs[name] = image.epoch ?? host.lastEpochs[name]
        host.images[name]!.epoch = nil
        if image.parting == .givenUp, !host.isEnding {
            host.images[name]!.phase = .standby
        } else if image.parting == .handedOver, !host.isEnding {
            say(.standby, of: name, life)
        } else {
            host.images[name] = nil
            say(.left(module: name), life)
        }
        if host.busy == name { host.busy = nil }
        ended(life)
    }

    /// What is next, or nothing.
    private mutating func ended(_ life: Int) {
        guard let host = hosts[life] else { return }
        if host.isEnding { return exitIfEmpty(life) }
        endIfEmpty(life)
        // Not from within the step that has led here.
        if !host.turns.isEmpty { at(now, .turn(life)) }
    }

    // MARK: Processes

    /// Asked to end: every module leaves, then the process does.
    mutating func end(_ life: Int, _ parting: SimulatedHost.Parting) {
        guard let host = hosts[life], !host.isEnding else { return }
        host.isEnding = true
        host.turns = []
        for name in host.images.keys.sorted() { leave(name, life, parting) }
        // Behind what was said last.
        exitIfEmpty(life)
    }

    private mutating func exitIfEmpty(_ life: Int) {
        guard let host = hosts[life], host.isEnding, host.images.isEmpty else { return }
        at(later(0...20), .exit(life))
    }

    mutating func exit(_ life: Int) {
        guard let host = hosts[life] else { return }
        let status = host.hasServed ? 0 : host.hindrance
        kill(life, isWritten: true)
        reap(life, .exited(status))
    }
}
