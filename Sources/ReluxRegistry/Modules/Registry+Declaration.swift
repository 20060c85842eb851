import ReluxControl
import ReluxPlugin
import ReluxWire

/// From a host's specification and its plugins' manifests to accepted modules.
extension Registry {
    /// Enters a host and its plugins, in the given order; what breaks a rule is entered as refused and returned.
    mutating func declare(_ spec: HostSpec, plugins: [String: PluginFacts]) -> [Refusal] {
        guard spec.id != configuration.brokerHost?.id else {
            let refusal = Refusal(
                .hostNameTaken, "host name \(spec.id) is the broker's own; give the host another one")
            reject(refusal)
            return [refusal]
        }
        if hosts[spec.id] == nil {
            hosts[spec.id] = HostRecord(spec: spec, start: startQueue.next)
            hosts[spec.id]?.answered(clock.now)
            turn.mustPersist = true
        }
        var refusals: [Refusal] = []
        for directory in spec.plugins {
            if let refusal = declare(directory, in: spec.id, plugins[directory]) { refusals.append(refusal) }
        }
        noteFormerBuilds(of: hosts[spec.id]?.modules ?? [], plugins)
        if hosts[spec.id]?.process == .ended, isWanted(spec.id) { setProcess(.idle, of: spec.id) }
        startQueue.renew()
        turn.isUnsettled = true
        return refusals
    }

    private mutating func declare(_ directory: String, in host: HostID, _ facts: PluginFacts?) -> Refusal? {
        guard case .manifest(let declaration, let imports, let contract, _, _) = facts else {
            var refusal = Refusal(
                .loaderUnreadable,
                "nobody read the plugin directory \(directory); ask for it again")
            if case .unreadable(let code, let message) = facts {
                refusal = Refusal(Refusal.Rule(rawValue: code), message)
            }
            if let id = lastServed(from: directory) ?? PluginFacts.moduleName(of: directory) {
                return enterRefused(id, nil, directory, in: host, refusal)
            }
            reject(refusal)
            return refusal
        }
        let id = declaration.id
        if let known = modules[id], known.host == host, !known.state.phase.isOver {
            // The build that served last comes with the module's next process.
            guard known.directory != directory, known.present.former?.directory != directory else { return nil }
            let refusal = Refusal(
                .moduleIDTaken,
                "module id \(id) is taken: host \(host) runs it from \(known.directory). Let \(directory) take over: relux module"
                    + " upgrade \(id) DIRECTORY; or unload it first")
            reject(refusal, of: id)
            return refusal
        }
        if let refusal = violation(of: declaration, imports: imports, in: host) {
            return enterRefused(id, declaration, directory, in: host, refusal)
        }
        enter(declaration, imports: imports, directory: directory, in: host, isFromManifest: true)
        index.contracts[id] = contract
        return nil
    }

    /// The module that was served from a directory which cannot be read now; its name need not be in the path.
    private func lastServed(from directory: String) -> ModuleID? {
        (turn.former.values.first { $0.directory == directory } ?? modules.values.first { $0.directory == directory })?.id
    }

    /// Adds an accepted module and turns away those that may not import it.
    mutating func enter(
        _ declaration: ModuleDeclaration, imports: [String], directory: String, in host: HostID, isFromManifest: Bool
    ) {
        let id = declaration.id
        makeRecord(id, declaration, directory, in: host)
        modules[id]?.imports = imports
        modules[id]?.isFromManifest = isFromManifest
        move(id, to: .verified)
        admit(id)
        turnAwayImporters(of: id)
    }

    mutating func makeRecord(
        _ id: ModuleID, _ declaration: ModuleDeclaration?, _ directory: String, in host: HostID
    ) {
        let formerHost = modules[id]?.host
        // Declared anew it is the same member: what waits for it in journals is for it.
        let before = modules[id].flatMap { $0.isMember ? $0 : nil } ?? turn.former[id]
        turn.former[id] = nil
        filed.noteLoaded(id)
        forget(id)
        if let formerHost, formerHost != host { removeIfEmpty(formerHost) }
        var record = ModuleRecord(
            id: id, declaration: declaration ?? before?.declaration, directory: directory, host: host, order: (modules.values.lazy.map(\.order).max() ?? 0) + 1)
        let isKnown = isTakenFromJournals(id)
        record.present.formerSince = before?.memberSince ?? (isKnown ? 0 : nil)
        record.hasBeenSetUp = before?.hasBeenSetUp ?? (isKnown ? true : nil)
        if before?.directory == directory { record.stored = before?.stored }
        record.epoch = Epoch(rawValue: epochs[id])
        record.present.since = clock.now
        modules[id] = record
        hosts[host]?.modules.append(id)
        if !directory.isEmpty, hosts[host]?.spec.plugins.contains(directory) == false {
            hosts[host]?.spec.plugins.append(directory)
        }
        index(id)
        turn.mustPersist = true
    }

    /// A refused claim to a name that is in use leaves its owner alone; else the refusal is the module's state.
    private mutating func enterRefused(
        _ id: ModuleID, _ declaration: ModuleDeclaration?, _ directory: String, in host: HostID, _ refusal: Refusal
    ) -> Refusal {
        if let owner = modules[id], !owner.state.phase.isOver {
            hosts[host]?.spec.plugins.removeAll { $0 == directory }
            reject(refusal, of: id)
        } else {
            makeRecord(id, declaration, directory, in: host)
            // A module that has served stays a member: effects wait for it until somebody says what becomes of them.
            if modules[id]?.present.formerSince != nil, modules[id]?.declaration != nil { admit(id) }
            refuse(id, refusal, isMember: modules[id]?.isMember == true)
        }
        removeIfEmpty(host)
        return refusal
    }

    /// Remembers what status and doctor show.
    package mutating func remark(_ text: String) { remark(.other, text) }

    mutating func remark(_ kind: ClusterNote.Kind, _ text: String, of module: ModuleID? = nil) {
        notices.remark(ClusterNote(kind, Refusal.readable(text), of: module))
    }

    /// Remembers a refusal that belongs to no record.
    mutating func reject(_ refusal: Refusal, of id: ModuleID? = nil) {
        notices.reject(refusal)
        guard let id else { return }
        publish(.moduleRefused(module: id, code: refusal.rule.rawValue, message: refusal.message))
    }

    /// Ends a module's life because of a rule, wherever it stands, and its membership unless it has been set up once: what waits for it may be
    /// handled by another version, or when what it lacks has come back.
    ///
    /// - Parameters:
    ///   - isSaid: by its host, which serves it no more.
    ///   - isMember: it stays one in any case.
    mutating func refuse(_ id: ModuleID, _ refusal: Refusal, isSaid: Bool = false, isMember: Bool = false) {
        breakOff(id, why: refusal.message)
        guard let record = modules[id] else { return }
        modules[id]?.refusal = refusal
        guard move(id, to: .refused, why: refusal.message) else { return }
        if !isMember, !(record.isMember && record.hasBeenSetUp == true) || record.isLeaving { expel(id) }
        if record.isLive { instanceEnded(id, why: refusal.message) }
        if let connection = hosts[record.host]?.connection {
            tell(connection, .refuse(module: id, code: refusal.rule.rawValue, message: refusal.unnamed))
        }
        if record.isLive, !isSaid {
            // Also of a process that has not come back to this broker: it hears of it when it does.
            noteWriter(of: record)
            orderRelease(id, record.host)
        }
        detachImporters(of: id, why: "\(id) is refused: \(refusal.message)")
        finishRemovalIfLeaving(id)
        stopIfIdle(record.host)
    }

    /// Modules that imported this one before it was known may turn out to break a rule.
    mutating func turnAwayImporters(of id: ModuleID) {
        for importer in ordered(index.importers[id] ?? []) {
            guard let record = modules[importer], let declaration = record.declaration else { continue }
            if let refusal = violation(of: declaration, imports: record.imports, in: record.host) {
                refuse(importer, refusal)
            }
        }
    }

    /// Ready importers lose their readiness; they keep their place as recipients and wake when it returns.
    mutating func detachImporters(of id: ModuleID, why: String) {
        for importer in ordered(index.importers[id] ?? []) {
            guard modules[importer]?.isLeaving == false else { continue }
            modules[importer]?.present.instance.mayBeReady = false
            if modules[importer]?.state.phase == .ready {
                move(importer, to: .waiting, why: why)
            } else {
                index(importer)
            }
        }
        turn.isUnsettled = true
    }
}
