import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire

/// Requests of people and scripts.
extension Registry {
    mutating func heard(_ request: ClientRequest, from connection: ConnectionID, plugins: [String: PluginFacts]) {
        let id = request.id
        switch request.body {
        case .status: turn.lookers.append((connection, id))
        case .contracts: answer(connection, id, .contracts(index.contracts))
        case .whyNot(let module): whyNot(module, connection, id)
        case .upgrade, .rollback, .move:
            guard let (wish, dryRun) = request.body.handover else { return }
            handOver(wish, plugins, dryRun: dryRun, connection, id)
        case .evict(let module, let yes, let dryRun): evict(module, yes: yes, dryRun: dryRun, connection, id)
        case .load(let host, let dryRun, let takesServed, let yes):
            load(host, plugins, takesServed: takesServed == true, yes: yes == true, dryRun: dryRun, connection, id)
        case .compare(let file, let isCarriedOut): compare(file, plugins, isCarriedOut: isCarriedOut, connection, id)
        case .configure(let host): configure(host, connection, id)
        case .unload(let module, let yes): unload(module, yes: yes, connection, id)
        case .restart(let module, let yes): restart(module, yes: yes, connection, id)
        case .resolve(let module, let effect, let resolution): resolve(module, effect, resolution, connection, id)
        case .schedule(let module, let order): self.order(order, of: module, connection, id)
        case .emit(let topic, let payload, let deadline, let label, let contract, let everyone):
            // A client that asks again while the cluster comes up must not read that an accepted effect was refused.
            guard boot == .open || ingress.knows(id) || isLetIn(topic) else {
                if let barred = barred(topic) { return refuseEmit(request, barred, connection) }
                if boot == .closing {
                    return refuseEmit(
                        request, Refusal(.ingressClosed, "\(topic) was not emitted: the cluster is being taken down. Start it again: relux up"), connection)
                }
                let holders = holdersOfPhase().prefix(5).map(\.rawValue).joined(separator: ", ")
                let wait = holders.isEmpty ? "" : ", which waits for \(holders)"
                return refuseEmit(
                    request,
                    Refusal(
                        .ingressClosed,
                        "\(topic) was not emitted: the ingress opens after the third phase, now is \(boot.rawValue)\(wait)."
                            + " Try again when relux status says open",
                        passes: "the cluster to be open\(holders.isEmpty ? "" : ", and for that for \(holders)")"), connection)
            }
            if let fault = topic.fault(as: .effect) {
                return refuseEmit(request, Refusal(.unusableTopic, "nothing was emitted: \(fault)"), connection)
            }
            if let refusal = Ingress.excess(of: payload, id) { return refuseEmit(request, refusal, connection) }
            switch ingress.request(id, bytes: payload.bytes.count, from: connection) {
            case .first:
                turn.actions.append(
                    .emit(
                        request: id, topic: topic, payload: payload, deadlineMilliseconds: deadline, label: label,
                        contract: contract ?? 0, awaiting: everyone == true ? .everyone : .present))
            case .joined: break
            case .answered(let body): answer(connection, id, body)
            case .refused(let refusal) where refusal.rule == .ingressFull: refuseEmit(request, refusal, connection)
            // It was emitted before.
            case .refused(let refusal): refuse(connection, id, refusal)
            }
        case .shutdown:
            close()
            answer(connection, id, .done(lines: ["the cluster goes down"]))
            if supervisor != nil {
                orderSupervisor(.shutdown)
            } else {
                let all = connectedHosts
                if !all.isEmpty { tell(all, .stop) }
            }
        }
    }

    /// Answers those who have asked for the status; all answers of one call have the same body.
    mutating func show() {
        guard !turn.lookers.isEmpty else { return }
        let body = ClientResponse.Body.status(status)
        for looker in turn.lookers { answer(looker.connection, looker.request, body) }
        turn.lookers = []
    }

    mutating func answered(_ request: String, _ body: ClientResponse.Body) {
        for connection in ingress.answer(request, body) { answer(connection, request, body) }
    }

    mutating func answer(_ connection: ConnectionID, _ request: String, _ body: ClientResponse.Body) {
        turn.actions.append(.answer(connection, ClientResponse(id: request, body: body)))
    }

    mutating func refuse(_ connection: ConnectionID, _ request: String, _ refusal: Refusal) {
        answer(connection, request, .refused(code: refusal.rule.rawValue, message: refusal.message, passes: refusal.passes))
    }

    /// Nothing of what a client wanted to emit is accepted.
    private mutating func refuseEmit(_ request: ClientRequest, _ refusal: Refusal, _ connection: ConnectionID) {
        refuse(connection, request.id, refusal)
        if request.waits == true, refusal.passes != nil { return }
        guard case .emit(let topic, let payload, _, let label, _, _) = request.body else { return }
        turn.actions.append(
            .refused(
                Relux.RefusedDispatch(
                    module: Self.builtIn, topic: topic.rawValue, caseName: CBOR.caseName(of: payload.bytes) ?? "", label: label, site: .ingress,
                    failure: Relux.Failure(domain: "relux", code: refusal.rule.rawValue, message: refusal.message))))
    }

    func unknown(_ module: ModuleID) -> Refusal {
        if isUnloaded(module) { return Refusal(.unknownModule, "\(module) was unloaded; relux module load \(module) brings it back") }
        let known = modules.keys.sorted().prefix(20).map(\.rawValue).joined(separator: ", ")
        return Refusal(
            .unknownModule, "there is no module \(module); there are: \(known.isEmpty ? "none" : known)",
            passes: boot == .idle && configuration.supervised ? "the supervisor to say what belongs to the cluster" : nil)
    }

    private mutating func whyNot(_ module: ModuleID, _ connection: ConnectionID, _ request: String) {
        if modules[module] == nil {
            refuse(connection, request, unknown(module))
        } else {
            let (unmet, notes) = whyNot(module)
            answer(connection, request, .whyNot(unmet: unmet, notes: notes))
        }
    }

    private func handingOver(_ module: ModuleID, _ what: String) -> Refusal? {
        handovers[module].map {
            Refusal(
                .handingOver,
                "\(module) cannot be \(what) now, it is being handed over (\($0.summary)); wait for its end, or end it with: relux"
                    + " module evict \(module)", passes: $0.end)
        }
    }

    /// The thing to wait for where only the supervisor is missing: it comes back to a broker that was started again.
    func supervisorsReturn(to host: HostRecord) -> String? {
        supervisor == nil && configuration.supervised && !host.isForeign ? "the supervisor to come back to the broker" : nil
    }

    // MARK: Unload

    private mutating func unload(_ module: ModuleID, yes: Bool, _ connection: ConnectionID, _ request: String) {
        guard let record = modules[module] else {
            refuse(connection, request, unknown(module))
            return
        }
        if let refusal = handingOver(module, "removed") { return refuse(connection, request, refusal) }
        let importing = ordered(index.importers[module] ?? []).filter { modules[$0]?.isLeaving == false }
        if !importing.isEmpty && !yes && !record.isLeaving {
            refuse(
                connection, request,
                Refusal(
                    .isImported,
                    "\(module) is imported by \(importing.map(\.rawValue).joined(separator: ", ")), which would wait until it"
                        + " returns; say --yes to remove it all the same"))
            return
        }
        remove(module, for: ModuleRecord.Waiter(connection: connection, request: request))
    }

    // MARK: Restart

    private mutating func restart(_ module: ModuleID, yes: Bool, _ connection: ConnectionID, _ request: String) {
        guard var record = modules[module], let host = hosts[record.host] else {
            refuse(connection, request, unknown(module))
            return
        }
        if let refusal = handingOver(module, "restarted") { return refuse(connection, request, refusal) }
        if boot == .closing || record.isLeaving || host.process == .stopping {
            let refusal = Refusal(
                boot == .closing ? .shuttingDown : .beingRemoved,
                "\(module) cannot be restarted now: host \(record.host) is going down",
                passes: boot == .closing || record.isLeaving ? nil : "host \(record.host) to have stopped")
            refuse(connection, request, refusal)
            return
        }
        guard supervisor != nil, !host.isForeign else {
            let refusal = Refusal(
                .noSupervisor, "\(module) runs in host \(record.host), which no supervisor of ours starts; restart it there",
                passes: supervisorsReturn(to: host))
            refuse(connection, request, refusal)
            return
        }
        let others = host.modules.filter { $0 != module }
        if !yes, others.contains(where: { modules[$0]?.isLive == true }) {
            let refusal = Refusal(
                .restartsOthers,
                "\(module) shares host \(host.id) with \(others.map(\.rawValue).joined(separator: ", ")), which would restart"
                    + " too; say --yes to restart them all")
            refuse(connection, request, refusal)
            return
        }
        let returned = returnToServed(in: record.host, refused: module).map(\.text)
        record = modules[module] ?? record
        if record.state.phase == .refused {
            guard let declaration = record.declaration else {
                refuse(connection, request, record.refusal ?? unknown(module))
                return
            }
            if let refusal = violation(of: declaration, imports: record.imports, in: record.host) {
                refuse(connection, request, refusal)
                return
            }
            modules[module]?.refusal = nil
            move(module, to: .verified)
            admit(module)
            turnAwayImporters(of: module)
        }
        if host.process == .ordered || host.process == .running {
            if let spec = startSpec(of: host.id) {
                orderSupervisor(.update(spec))
            }
            orderRestart(host.id, .init(.asked, why: "its restart was asked for"))
        } else {
            giveTurn(to: host.id)
        }
        let neighbours = others.isEmpty ? "" : ", with it \(others.map(\.rawValue).joined(separator: ", "))"
        answer(connection, request, .done(lines: ["host \(host.id) restarts\(neighbours)"] + returned))
    }
}
