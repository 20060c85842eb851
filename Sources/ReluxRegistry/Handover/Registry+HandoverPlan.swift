import ReluxContract
import ReluxControl
import ReluxPlugin
import ReluxWire

/// The checks before a hand-over begins; nothing is changed here.
extension Registry {
    func plan(
        _ wish: HandoverWish, _ directory: String, _ plugins: [String: PluginFacts], _ request: String
    ) throws(Refusal) -> HandoverPlan {
        let id = wish.module
        guard let record = modules[id], let declaration = record.declaration else { throw unknown(id) }
        try checkState(wish, record)
        let to = try successorHost(wish, record)
        guard !directory.isEmpty else {
            throw Refusal(
                .ownExecutable,
                "\(id) is linked into the executable of host \(record.host), there is no packed version of it; pack it: relux"
                    + " module pack")
        }
        let facts = plugins[directory] ?? .unreadable(code: "loader.unreadable", message: "nobody read \(directory); ask again")
        guard case .manifest(let new, let imports, let contract, _, _) = facts else {
            guard case .unreadable(let code, let message) = facts else { throw unknown(id) }
            throw Refusal(Refusal.Rule(rawValue: code), message)
        }
        guard new.id == id else {
            throw Refusal(
                .otherModule, "\(directory) holds \(new.id) \(new.version), not \(id); name a version of \(id)")
        }
        let source = PluginVersion(
            directory: record.directory, declaration: declaration, imports: record.imports,
            contract: index.contracts[id] ?? ByteString([]), stored: record.stored)
        let target = PluginVersion(
            directory: directory, declaration: new, imports: imports, contract: contract,
            stored: wish.kind == .upgrade ? nil : directory == record.directory ? record.stored : served[id]?.stored(in: directory))
        if let refusal = violation(of: new, imports: imports, in: record.host) { throw refusal }
        try checkImporters(of: record, new)
        let handover = Handover(
            module: id, kind: wish.kind, from: record.host, to: to, source: source, target: target,
            older: try older(for: target, of: source, wish.kind), request: request)
        if let unmet = unmetImports(of: handover).first {
            throw Refusal(
                .missingImport, "\(id) \(new.version) would not be ready: it \(unmet.why)", passes: unmet.isStuck ? nil : "what \(id) imports to be ready")
        }
        let comparison = ContractComparison(source.contract, target.contract)
        if wish.kind == .upgrade, let refusal = comparison?.refusal(of: id, target.build, from: source.build) {
            throw Refusal(.contractBroken, refusal)
        }
        return HandoverPlan(handover: handover, lines: planLines(handover, record, comparison))
    }

    private func checkState(_ wish: HandoverWish, _ record: ModuleRecord) throws(Refusal) {
        let id = record.id
        if boot == .closing || boot == .idle {
            throw Refusal(.shuttingDown, "\(id) cannot be handed over now: the cluster is \(boot.rawValue)", passes: boot == .idle ? "the cluster to start" : nil)
        }
        if let present = handovers[id] {
            throw Refusal(
                .handingOver, "\(id) is handed over already (\(present.summary)); wait for its end: relux status", passes: present.end)
        }
        if record.isLeaving {
            throw Refusal(.beingRemoved, "\(id) is being removed; load the other version when it has gone")
        }
        if record.state.phase == .refused {
            throw Refusal(
                .handingOver,
                "\(id) is refused (\(record.state.why)), so there is nothing to hand over; load the other version in its place: relux module"
                    + " load DIRECTORY")
        }
        // The successor needs one life, the old instance one if the successor does not serve, and another try needs two more.
        if let refusal = lackOfEpochs(for: 4, of: id) { throw refusal }
        guard let host = hosts[record.host] else { throw unknown(id) }
        guard supervisor != nil, !host.isForeign else {
            throw Refusal(
                .noSupervisor,
                "\(id) runs in host \(host.id), which no supervisor of ours starts, so no successor can be started beside it;"
                    + " start the other version there", passes: supervisorsReturn(to: host))
        }
        try checkExecutable(host)
    }

    private func checkExecutable(_ host: HostRecord) throws(Refusal) {
        guard !host.spec.executable.isEmpty else { return }
        throw Refusal(
            .ownExecutable,
            "host \(host.id) is the executable \(host.spec.executable) with its modules linked in; build another one and restart"
                + " the host, or list the module without `executable`")
    }

    /// The host that takes it over; a new one has a name that nobody has.
    private func successorHost(_ wish: HandoverWish, _ record: ModuleRecord) throws(Refusal) -> HostID {
        guard let named = wish.host else {
            let name = record.id.rawValue
            let candidates = [HostID(rawValue: name)] + (2...hosts.count + 3).map { HostID(rawValue: "\(name).\($0)") }
            let taken = Set(hosts.keys).union([configuration.brokerHost?.id ?? "cluster", "broker"])
            return candidates.first { !taken.contains($0) } ?? candidates[0]
        }
        if let refusal = Refusal.ofName(named) { throw refusal }
        guard named != configuration.brokerHost?.id, named != "broker" else {
            throw Refusal(.hostNameTaken, "host name \(named) is the broker's own; give the host another one")
        }
        guard let host = hosts[named] else { return named }
        try checkExecutable(host)
        guard host.process == .running, host.connection != nil, !host.isForeign else {
            throw Refusal(
                .hostNotRunning,
                "host \(named) cannot take \(record.id) now: it is \(host.isForeign ? "not started by our supervisor" : host.process.rawValue);"
                    + " try again when it runs, or name one that is not there yet", passes: rest(of: host))
        }
        return named
    }

    /// The state to which a host that does not run now comes by itself: it runs, or it is gone and its name is free.
    private func rest(of host: HostRecord) -> String? {
        guard !host.isForeign else { return nil }
        switch host.process {
        case .stopping: return "host \(host.id) to have stopped"
        case .idle, .ordered, .backoff: return "host \(host.id) to run"
        case .running: return "host \(host.id) to come back to the broker"
        case .quarantined, .ended: return nil
        }
    }

    /// Modules that import it must be allowed to import the new version too.
    private func checkImporters(of record: ModuleRecord, _ new: ModuleDeclaration) throws(Refusal) {
        guard new.kind != record.kind else { return }
        var trial = self
        trial.modules[record.id]?.declaration = new
        for importer in ordered(index.importers[record.id] ?? []) {
            guard let other = modules[importer], other.state.phase != .refused, let declaration = other.declaration else { continue }
            if let refusal = trial.violation(of: declaration, imports: other.imports, in: other.host) { throw refusal }
        }
    }

    private func older(
        for target: PluginVersion, of source: PluginVersion, _ kind: Handover.Kind
    ) throws(Refusal) -> [String: UInt32] {
        guard kind == .rollback, let present = source.stored else { return [:] }
        guard let shapes = target.stored else {
            throw Refusal(
                .noWayBack,
                "no way back: what the states of \(target.build.name(beside: source.build)) keep is not known. Upgrade to it instead if it can read what"
                    + " \(source.build.name(beside: target.build)) has stored")
        }
        do {
            return try present.older(for: shapes)
        } catch {
            throw Refusal(.noWayBack, "\(error.message). A build that reads it can follow: relux module upgrade")
        }
    }
}
