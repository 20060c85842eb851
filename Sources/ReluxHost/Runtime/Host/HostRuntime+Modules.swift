import Glibc
import Relux
import ReluxBus
import ReluxControl
import ReluxIoC
import ReluxJournal
import ReluxLayers
import ReluxLedger
import ReluxLoader
import ReluxPlugin

extension HostRuntime {
    // MARK: Loading

    /// Checks and loads one packed plugin.
    ///
    /// The image is opened on the main actor: Foundation takes the thread that first loads it for the main one, and the main
    /// queue of a process that loads it elsewhere never runs again (Swift 6.3.1 on Linux, measured). There the platform's libraries are opened
    /// while the plugin is still being checked here.
    /// - Parameter kinds: who belongs to the cluster.
    func load(_ directory: String, _ kinds: ModuleKinds?) async -> HostMachine.LoadOutcome {
        do {
            let verified = try PluginVerifier(told: kinds).verify(directory: directory) { platform in
                // Nobody waits for it but the loader, which has its turn there behind it.
                if !platform.isEmpty { Task { @MainActor in Image.openEarly(platform) } }
            }
            let loader = loader
            let plugin = try await MainActor.run { try loader.load(verified) }
            boxes[plugin.declaration.id] = HostedBox(box: plugin.box, contracts: verified.manifest.fingerprints)
            return .loaded(HostedImage(plugin.declaration, imports: verified.imports, directory: directory))
        } catch let error as LoaderError {
            return .refused(HostedImage.moduleID(ofPlugin: directory), code: error.code.name, message: error.description)
        } catch {
            log("refused \(directory): \(error)")
            return .failed
        }
    }

    /// A module that is linked needs no library; what its plugin imports is read from the packed one all the same.
    func image(ofLinked box: PluginBox) -> HostedImage {
        let id = box.declaration.id
        var image = HostedImage(box.declaration, imports: [])
        for directory in configuration.plugins where HostedImage.moduleID(ofPlugin: directory) == id {
            do throws(LoaderError) {
                let verified = try PluginVerifier(told: configuration.kinds).verify(directory: directory)
                boxes[id]?.contracts = verified.manifest.fingerprints
                image.imports = verified.imports
            } catch {
                log("\(id) is linked, and its packed plugin is not looked at: \(error.description)")
            }
        }
        return image
    }

    // MARK: Setting up

    /// Tries to set the module up.
    func outcome(of id: ModuleID, _ attempt: Attempt) async -> HostMachine.SetUpOutcome {
        do throws(SetUpFailure) {
            return .done(hasSuspects: try await setUp(id, attempt))
        } catch {
            return error.outcome
        }
    }

    /// Opens the module's journal, makes the module and joins the bus. When it throws nothing of that is left.
    ///
    /// The journal comes first: a module that waits for it is not made anew with each try.
    /// - Returns: whether it has suspects.
    private func setUp(_ id: ModuleID, _ attempt: Attempt) async throws(SetUpFailure) -> Bool {
        guard let hosted = boxes[id] else { throw SetUpFailure(.withdrawn) }
        do {
            let choice = try serviceChoice(of: id)
            _ = try configuration.run.createState(of: id.rawValue)
            if let news = place.begin(id) { log(news) }
            let (opening, suspicion) = try openings.open(id, attempt.epoch)
            if let suspicion { log(suspicion) }
            try await join(id, attempt, hosted, choice, opening)
            return !opening.recovery.suspects.isEmpty
        } catch let error as JournalError where !PassingTrouble.isPassing(error) {
            guard let written = error.written else { throw SetUpFailure(code: "host.journal", message: error.description) }
            throw SetUpFailure(.outlived(by: written, why: error.description))
        } catch {
            exchange.handOver(id)
            await snapshots.detach(id)
            openings.journals.abandon(id)
            if let error = error as? SetUpFailure { throw error }
            if PassingTrouble.isPassing(error) { throw SetUpFailure(.delayed(why: PassingTrouble.text(of: error))) }
            throw SetUpFailure(code: "host.module", message: "\(id) could not be set up: \(error)")
        }
    }

    private func join(_ id: ModuleID, _ attempt: Attempt, _ hosted: HostedBox, _ choice: ServiceChoice, _ opening: ModuleOpening) async throws {
        let node = Relux.clusterNode(
            for: id, on: exchange, sealer: openings.sealer, deadline: configuration.deadline, drainLimit: configuration.drainLimit)
        do {
            try await join(id, node, attempt, hosted, choice, opening)
        } catch {
            // Outlives this step on purpose: a next try does not wait for what this one cleans up.
            Task { await node.dispose() }
            throw error
        }
    }

    private func join(
        _ id: ModuleID, _ node: Relux, _ attempt: Attempt, _ hosted: HostedBox, _ choice: ServiceChoice, _ opening: ModuleOpening
    ) async throws {
        let (box, declaration) = (hosted.box, hosted.box.declaration)
        let module = try await ServiceChoice.$current.withValue(choice) { try await box.make() }
        guard choice.services == .real || choice.isHeeded else { throw Self.hasNoMock(id) }
        if let broken = ModuleRules.violation(of: module, declaration) { throw SetUpFailure(code: broken.code, message: broken.message) }
        let unknown = try await node.join(
            module, recovery: opening.recovery, handles: Set(declaration.handles), emits: Set(declaration.emits),
            isSerial: declaration.handling == .serial, openHandlers: opening.table)
        if !unknown.isEmpty { log("\(id) does not bring \(unknown.joined(separator: ", ")) any more; what is stored stays in its journal") }
        try await snapshots.attach(node, module, box, endpoint)
        // It was refused, has left with the process or is to be set up under another epoch: nobody else would give its journal back.
        guard machine.isWanted(id, attempt.epoch), boxes[id] != nil else { throw SetUpFailure(.withdrawn) }
        // Only now: whoever tries again has to find who is suspected.
        try opening.table.takePlace()
        served[id] = ServedModule(node: node, module: module)
        probe.watch(id, module)
        watchBarrier(of: id)
        endpoint.join(
            declaration, epoch: attempt.epoch, handling: box.handles + (module.handles ?? []), ledger: opening.ledger, life: node.lifeNumber,
            isHeld: attempt.isHeld, contracts: hosted.contracts)
    }

    /// Tells the stored shapes of the module's states, for the plan of a rollback.
    func sayStored(_ id: ModuleID) {
        let shapes = served[id]?.node.storedShapes ?? []
        link.send(.stored(module: id, epoch: machine.modules[id]?.life.membership?.epoch, shapes.map { StoredShape(name: $0.name, version: $0.version, backTo: $0.backTo) }))
    }

    func send(_ message: HostMessage) {
        if case .hello = message { told = Told() }
        link.send(message)
    }
}

/// Why a module could not be set up.
struct SetUpFailure: Error {
    var outcome: HostMachine.SetUpOutcome

    init(_ outcome: HostMachine.SetUpOutcome) { self.outcome = outcome }
    init(code: String, message: String) { outcome = .failed(code: code, message: message) }
}
