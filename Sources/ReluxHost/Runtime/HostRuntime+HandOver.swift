import Glibc
import Relux
import ReluxBus
import ReluxJournal
import ReluxPlugin

/// A module that another process takes over, or gives up; the page LifeOfAModule has its steps.
extension HostRuntime {
    /// How often the journals of modules in standby are read on.
    static let followInterval = Duration.seconds(1)

    /// The module is loaded, and will be served here when its present owner has given it up.
    func standBy(_ id: ModuleID) async {
        guard let module = modules[id] else { return }
        modules[id]?.isSuccessor = true
        if module.node == nil {
            // Its process has had something to do, whatever comes of it.
            hasServed = true
            endpoint.standBy(module.box.declaration)
            follow(id)
            modules[id]?.state = ModuleState(.standby)
        }
        setState(id, modules[id]?.state ?? ModuleState(.standby))
    }

    /// Gives the module up: its life here ends, its journal is sealed, its image stays.
    ///
    /// Clean-up comes after the answer: the successor does not wait for it, and a next life here comes behind it.
    ///
    /// - Parameter isSaid: false when it is served again here at once: who stands by is given another epoch, and so for ever.
    func handOver(_ id: ModuleID, older: [String: UInt32], isSaid: Bool = true) async {
        // Its end has begun, which gives up as much.
        if let leave = leaving[id] { return await leave.value }
        let task = Task { await giveUp(id, older: older, isSaid: isSaid) }
        handingOver[id] = task
        await task.value
        handingOver[id] = nil
    }

    private func giveUp(_ id: ModuleID, older: [String: UInt32], isSaid: Bool) async {
        guard let module = modules[id] else { return link.send(.left(module: id)) }
        guard let node = module.node else { return await standBy(id) }
        modules[id]?.state = ModuleState(.draining)
        if isSaid { modules[id]?.mayProceed = false }
        modules[id]?.isSuccessor = true
        var failure: (any Error)?
        do {
            try await node.handOver(within: configuration.drainLimit, older: older)
        } catch {
            failure = error
        }
        exchange.sayKeptRefusals(isLast: true)
        snapshots.silence(id)
        // No handler is to blame for what comes next. Before the lock is given back: a successor makes a table of its own.
        unlink(configuration.run.openTable(of: id.rawValue))
        await endpoint.handOver(module.box.declaration)
        probe.forget(id)
        modules[id]?.node = nil
        modules[id]?.module = nil
        noteEnd(of: module)
        sayEnds()
        modules[id]?.epoch = nil
        modules[id]?.state = ModuleState(.standby)
        if let failure {
            let code = HostMessage.noWayBack
            link.send(.refused(module: id, code: code, message: "\(code): \(id) could not be handed over: \(failure)"))
        }
        if isSaid { setState(id, ModuleState(.standby)) }
        await snapshots.detach(id)
        await node.dispose()
    }

    /// Takes the module over under that epoch; what fails leaves it in standby.
    func serve(_ id: ModuleID, _ epoch: Epoch) async {
        guard let module = modules[id] else { return link.send(.left(module: id)) }
        if let known = module.epoch, module.node != nil {
            if known == epoch {
                modules[id]?.promised = nil
                return setState(id, module.state)
            }
            // The broker has begun another attempt after the one that came this far.
            await handOver(id, older: [:], isSaid: false)
        }
        modules[id]?.isSuccessor = true
        modules[id]?.ordered = epoch
        defer { if modules[id]?.promised == epoch { modules[id]?.promised = nil } }
        readLastTables(of: [id])
        // What ran beside it in another process is not known.
        wasAlone = false
        do {
            try await setUp(id, epoch, isHeld: true)
        } catch {
            if error.isWithdrawn || modules[id] == nil { return }
            log("\(id) is not served under epoch \(epoch): \(error.message)")
            modules[id]?.state = ModuleState(.standby)
            endpoint.standBy(module.box.declaration)
            if error.isPassing { return serveLater(id, epoch, because: error.message) }
            if let written = error.written { return waitForEpoch(id, later: written) }
            return link.send(.refused(module: id, code: error.code, message: "\(error.code): \(error.message)"))
        }
        joinStarted = .now
        setState(id, ModuleState(.recovering))
        sayStored(id)
        proceedJoining()
    }

    /// A refusal would cost more than time: the broker decides how long it waits.
    private func serveLater(_ id: ModuleID, _ epoch: Epoch, because why: String) {
        setState(id, ModuleState(.recovering, why: why))
        // Outlives this step on purpose: it is the timer.
        Task {
            try await Task.sleep(for: Self.pause)
            inTurn { await $0.serveAgain(id, epoch) }
        }
    }

    private func serveAgain(_ id: ModuleID, _ epoch: Epoch) async {
        // Withdrawn meanwhile, or ordered anew under another epoch.
        guard let module = modules[id], module.node == nil, module.state.phase == .recovering, module.ordered == epoch else { return }
        await serve(id, epoch)
    }

    // MARK: Following journals

    /// Reads on what the owners of modules in standby have written, so that little is left when one gives up.
    func followJournals() {
        for (id, module) in modules where module.state.phase == .standby { follow(id) }
    }

    /// A journal that is not there yet, or cannot be read, is read when the module is served.
    private func follow(_ id: ModuleID) {
        do {
            if let follower = followers[id] { return try follower.follow() }
            followers[id] = try LedgerFollower(
                directory: configuration.run.journal(of: id.rawValue), module: id, environment: environment)
        } catch {
            followers[id] = nil
        }
    }
}
