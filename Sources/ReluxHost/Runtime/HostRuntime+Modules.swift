import Glibc
import Relux
import ReluxBus
import ReluxIoC
import ReluxJournal
import ReluxLayers
import ReluxPlugin

extension HostRuntime {
    // MARK: Loading

    /// Checks and loads one packed plugin; a refusal is kept and told to the broker.
    ///
    /// The image is opened on the main actor: Foundation takes the thread that first loads it for the main one, and the main
    /// queue of a process that loads it elsewhere never runs again (Swift 6.3.1 on Linux, measured). There the platform's libraries are opened
    /// while the plugin is still being checked here.
    /// - Parameter kinds: who belongs to the cluster.
    func load(_ directory: String, _ kinds: ModuleKinds?) async {
        // A hand-over may have left the module here, and it may be about to come back.
        if modules.values.contains(where: { $0.directory == directory }) { return }
        // An earlier refusal of the module is over with this attempt.
        refusals.removeAll { $0.module == Self.moduleID(ofPlugin: directory) }
        do {
            let verified = try PluginVerifier(told: kinds).verify(directory: directory) { platform in
                // Nobody waits for it but the loader, which has its turn there behind it.
                if !platform.isEmpty { Task { @MainActor in Image.openEarly(platform) } }
            }
            let loader = loader
            let plugin = try await MainActor.run { try loader.load(verified) }
            let id = plugin.declaration.id
            modules[id] = HostedModule(
                box: plugin.box, imports: verified.imports, contracts: verified.manifest.fingerprints, directory: directory)
        } catch let error as LoaderError {
            hinder(.refused)
            let id = Self.moduleID(ofPlugin: directory)
            log("refused \(id): \(error.description)")
            sayRefused(id, error.code.name, error.description)
        } catch {
            hinder(.refused)
            log("refused \(directory): \(error)")
        }
    }

    /// A module that is linked needs no library; what its plugin imports is read from the packed one all the same.
    func verifyLinked(_ directory: String) {
        let id = Self.moduleID(ofPlugin: directory)
        do throws(LoaderError) {
            let verified = try PluginVerifier(told: configuration.kinds).verify(directory: directory)
            guard let box = modules[id]?.box else { return }
            modules[id] = HostedModule(box: box, imports: verified.imports, contracts: verified.manifest.fingerprints)
        } catch {
            log("\(id) is linked, and its packed plugin is not looked at: \(error.description)")
        }
    }

    /// `<packed>/<module>/<version>` when the manifest cannot be trusted to name the module.
    static func moduleID(ofPlugin directory: String) -> ModuleID {
        let parts = directory.split(separator: "/")
        return parts.dropLast().last.flatMap { ModuleID(rawValue: String($0)) } ?? "unknown"
    }

    // MARK: Joining

    func sayHello(resumed: Bool) {
        helloSent = .now
        // The broker may be another one, which does not know them.
        lastTroubles = []
        lastLost = [:]
        lastDiskTroubles = []
        fence = nil
        link.send(
            .hello(
                HostHello(
                    host: configuration.host, pid: getpid(), instance: instance,
                    endpoint: configuration.run.endpoint(of: configuration.host.rawValue),
                    tapEndpoint: configuration.run.tapEndpoint(of: configuration.host.rawValue),
                    modules: modules.map { $1.hello(ended: lastEpochs[$0]) }.sorted { $0.declaration.id < $1.declaration.id },
                    resumed: resumed, pictureVersion: endpoint.pictureVersion,
                    ageMilliseconds: UInt64(max(0, (.now - born) / .milliseconds(1))))))
        // Whoever is greeted may know nothing of what was counted before.
        lastCounters = [:]
        for refusal in refusals {
            link.send(.refused(module: refusal.module, code: refusal.code, message: refusal.message))
        }
    }

    func welcome(_ epochs: [ModuleID: Epoch]) async {
        readLastTables(of: epochs.keys.sorted())
        for (id, epoch) in epochs.sorted(by: { $0.key < $1.key }) {
            guard let module = modules[id], module.node == nil, epoch > lastEpochs[id] ?? Epoch(0) else { continue }
            // A broker that was away when it was told to serve may have taken its word that it was.
            if modules[id]?.isSuccessor == true { await serve(id, epoch) } else { await join(id, epoch) }
        }
        joinStarted = .now
        for (id, module) in modules {
            // A module that has no epoch and never had one is told later what it is here for.
            if module.state.phase == .starting, module.node == nil { continue }
            // A second welcome answers a repeated hello: the broker then knows no more than that the module is here.
            setState(id, module.state.phase == .starting ? ModuleState(.recovering) : module.state)
            if module.node != nil { sayStored(id) }
            sayBarrier(of: id)
        }
        proceedJoining()
    }

    func join(_ id: ModuleID, _ epoch: Epoch) async {
        modules[id]?.ordered = epoch
        do {
            try await setUp(id, epoch, isHeld: false)
        } catch {
            if error.isWithdrawn || modules[id] == nil { return }
            if error.isPassing { return tryAgainLater(id, epoch, because: error.message) }
            if let written = error.written {
                log("\(id) waits for a later epoch: \(error.message)")
                return waitForEpoch(id, later: written)
            }
            refuseHere(id, code: error.code, message: error.message)
        }
    }

    /// The broker gives a later one when it knows how far the journal is.
    func waitForEpoch(_ id: ModuleID, later written: Epoch) {
        setState(id, ModuleState(.recovering, why: "it waits for a later epoch than \(written)"))
        link.send(.outlived(module: id, by: written))
    }

    /// Why a module could not be set up.
    struct SetUpError: Error {
        var code: String
        var message: String
        /// The trouble may pass by itself.
        var isPassing = false
        /// The epoch under which another process wrote the journal, where that is what is wrong.
        var written: Epoch?
        /// The module is not wanted here any more, and nobody waits for a word about it.
        var isWithdrawn = false
    }

    /// The module was refused, or has left with the process, while it was set up.
    private struct Withdrawn: Error {}

    /// Makes the module, opens its journal and joins the bus. When it throws nothing of that is left.
    ///
    /// - Parameter isHeld: nothing that it says is accepted before it is opened.
    func setUp(_ id: ModuleID, _ epoch: Epoch, isHeld: Bool) async throws(SetUpError) {
        guard let box = modules[id]?.box else {
            throw SetUpError(code: "host.module", message: "\(id) is not here any more", isWithdrawn: true)
        }
        let declaration = box.declaration
        let node = Relux.clusterNode(
            for: id, on: exchange, sealer: sealer, deadline: configuration.deadline,
            drainLimit: configuration.drainLimit)
        do {
            _ = try configuration.run.createState(of: id.rawValue)
            noteFiles(of: id)
            let choice = try serviceChoice(of: id)
            guard let module = try await ServiceChoice.$current.withValue(choice, operation: { try await box.make() }) as? any Relux.Module else {
                throw Relux.Failure(
                    domain: "relux", code: "module", message: "the entry point of \(id) did not make a Relux.Module")
            }
            guard choice.services == .real || choice.isHeeded else { throw Self.hasNoMock(id) }
            if let broken = ModuleRules.violation(of: module, declaration) {
                throw SetUpError(code: broken.code, message: broken.message)
            }
            let opening = try openJournal(of: id, epoch)
            let unknown = try await node.join(
                module, recovery: opening.recovery, handles: Set(declaration.handles), emits: Set(declaration.emits),
                isSerial: declaration.handling == .serial, openHandlers: opening.table)
            if !unknown.isEmpty { log("\(id) does not bring \(unknown.joined(separator: ", ")) any more; what is stored stays in its journal") }
            try await snapshots.attach(node, module, box, endpoint)
            // Nobody else would give its journal back.
            guard modules[id] != nil else { throw Withdrawn() }
            // Only now: whoever tries again has to find who is suspected.
            try opening.table.takePlace()
            hasServed = true
            modules[id]?.node = node
            modules[id]?.module = module
            modules[id]?.epoch = epoch
            probe.watch(id, module)
            watchBarrier(of: id)
            endpoint.join(
                declaration, epoch: epoch, handling: box.handles + (module.handles ?? []), ledger: opening.ledger, life: node.lifeNumber,
                isHeld: isHeld, contracts: modules[id]?.contracts ?? [:])
        } catch let error where PassingTrouble.isPassing(error) {
            exchange.handOver(id)
            await snapshots.detach(id)
            journals.abandon(id)
            throw SetUpError(code: "host.journal", message: PassingTrouble.text(of: error), isPassing: true)
        } catch let error as JournalError {
            throw SetUpError(code: "host.journal", message: error.description, written: error.written)
        } catch let error as SetUpError {
            throw error
        } catch {
            exchange.handOver(id)
            await snapshots.detach(id)
            journals.abandon(id)
            throw SetUpError(code: "host.module", message: "\(id) could not be set up: \(error)", isWithdrawn: error is Withdrawn)
        }
    }

    /// Before the module opens any of them.
    private func noteFiles(of id: ModuleID) {
        let news = ModuleFiles(configuration.run).begin(id.rawValue)
        held.begin(configuration.run.stateName(of: id.rawValue))
        if let news, fileNews[id] != news { log(news) }
        fileNews[id] = news
    }

    /// Tells the stored shapes of the module's states, for the plan of a rollback.
    func sayStored(_ id: ModuleID) {
        let shapes = modules[id]?.node?.storedShapes ?? []
        link.send(.stored(module: id, epoch: modules[id]?.epoch, shapes.map { StoredShape(name: $0.name, version: $0.version, backTo: $0.backTo) }))
    }

    /// What the module's journal says, and a table for the handlers to come, which takes its place when the module is set up.
    private func openJournal(of id: ModuleID, _ epoch: Epoch) throws -> ModuleOpening {
        let opening = try ModuleOpening(
            of: id, epoch, in: configuration.run, journals: journals, environment: environment, known: knownLives[id],
            following: followers.removeValue(forKey: id),
            last: lastTables[id], wasAlone: wasAlone, sealer: sealer)
        let suspects = opening.recovery.suspects
        if !suspects.isEmpty {
            let what = lastTables[id]?.isInnocent == true ? "ended for another reason with suspects" : "died while it handled"
            log("\(id) \(what) \(suspects.map(\.effect.description).joined(separator: ", ")); run again one at a time")
            expectTrial(of: id)
        }
        lastTables[id] = nil
        return opening
    }

    /// Reads which handlers ran when the last process of these modules died. When the machine went down, no handler is to blame.
    func readLastTables(of ids: [ModuleID]) {
        for id in ids where modules[id]?.node == nil {
            do {
                let table = try OpenTable.contents(of: configuration.run.openTable(of: id.rawValue))
                lastTables[id] = table?.boot == environment.bootID.bytes ? table : nil
            } catch {
                log("\(id): \(error); nothing is known of the handlers that ran")
            }
        }
        let tables = lastTables.values
        wasAlone = tables.reduce(0) { $0 + $1.open.count } == 1 && tables.allSatisfy { $0.unnoted == 0 }
    }

    /// Every host that must be heard has answered, and those that must hear us have asked or had their time: wait for the order.
    func proceedJoining() {
        guard isWelcome, let joinStarted else { return }
        guard endpoint.isJoined else {
            guard ContinuousClock.now - joinStarted > .seconds(1) else { return }
            let hosts = endpoint.unansweredHosts.map(\.rawValue).joined(separator: ", ")
            let state = ModuleState(.recovering, why: "no answer yet from \(hosts)")
            for (id, module) in modules where module.state.phase == .recovering && module.state != state {
                setState(id, state)
            }
            return
        }
        // The losses of a journal are known before its module is ready.
        sayTotals()
        guard endpoint.isHeard || ContinuousClock.now - joinStarted > configuration.hearingPatience else { return }
        for (id, module) in modules where module.node != nil && module.state.phase == .recovering {
            setState(id, ModuleState(.waiting, why: "for the order to proceed"))
            openIfDue(id)
        }
    }

    func openIfDue(_ id: ModuleID) {
        guard let module = modules[id], module.mayProceed, module.state.phase == .waiting, !mustWaitForTrial(id) else { return }
        beginTrial(of: id)
        endpoint.open(id)
        module.node?.openModule()
        setState(id, ModuleState(.ready))
        sayBarrier(of: id)
        if let node = module.node { onReady?(id, node.dispatcher(for: id)) }
    }

    func setState(_ id: ModuleID, _ state: ModuleState) {
        modules[id]?.state = state
        link.send(.state(module: id, state: state))
    }
}
