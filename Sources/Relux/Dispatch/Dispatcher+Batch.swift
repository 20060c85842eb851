import ReluxWire

extension Relux.Dispatcher {
    nonisolated(nonsending) func dispatch(
        _ batch: [any Relux.Action], _ type: Relux.ActionsExecutionType, delay: Duration?, awaiting: Relux.Awaiting, label: String,
        site: Relux.Site
    ) async -> Relux.ActionResult {
        guard var here = scope else { return Relux.Homeless.refuse(batch, label: label, site: site) }
        if let delay {
            if let failure = await here.node.exchange.delays.sleep(delay, before: batch, in: here, label: label, site: site) {
                return .refused(failure)
            }
            // Nobody waits and time has passed: no loop of answers, which the hop limit is there to end.
            if delay > .zero, here.isLoose { here = here.beginningChain() }
        }
        let scope = here
        if batch.count == 1 { return await scope.node.dispatch(batch[0], in: scope, awaiting: awaiting, label: label, site: site) }
        var merged = Relux.ActionResult()
        switch type {
        case .serially, .seriallyStoppingOnFailure:
            for action in batch {
                let result = await scope.node.dispatch(action, in: scope, awaiting: awaiting, label: label, site: site)
                merged.merge(result)
                if type == .seriallyStoppingOnFailure, result.isFailure { break }
            }
        case .concurrently:
            let results = await withTaskGroup(of: (Int, Relux.ActionResult).self) { group in
                for (index, action) in batch.enumerated() {
                    group.addTask { (index, await scope.node.dispatch(action, in: scope, awaiting: awaiting, label: label, site: site)) }
                }
                return await group.reduce(into: [Int: Relux.ActionResult]()) { $0[$1.0] = $1.1 }
            }
            // In source order, however they ended.
            for index in batch.indices { results[index].map { merged.merge($0) } }
        }
        return merged
    }
}

extension Relux {
    /// One action to the states of this node, or one effect to all its recipients.
    nonisolated(nonsending) func dispatch(
        _ action: any Relux.Action, in scope: Scope, awaiting: Awaiting = .present, label: String, site: Site
    ) async -> ActionResult {
        let started = isLogged ? clock.now() : Duration.zero
        let result: ActionResult
        if let kind = EffectKind.of(action) {
            result = await dispatch(action, kind, in: scope, awaiting: awaiting, label: label, site: site)
        } else {
            let isAccepted = await Scope.$current.withValue(scope) { await store.reduce(with: action) }
            result = isAccepted ? .success : .unhandled
        }
        if let logger {
            logger.log(
                LogEntry(
                    action: action, module: scope.module, cause: scope.handler?.effect, result: result,
                    duration: clock.now() - started, label: label, site: site))
        }
        return result
    }

    private nonisolated(nonsending) func dispatch(
        _ effect: any Relux.Action, _ kind: EffectKind, in scope: Scope, awaiting: Awaiting, label: String, site: Site
    ) async -> ActionResult {
        do throws(Failure) {
            let emission = try emission(of: effect, kind, from: scope.origin, awaiting: awaiting, label: label, site: site)
            if scope.handler == nil, let uplink = exchange.uplink {
                let started = clock.now()
                if let refusal = await uplink.admit(emission.topic, until: started + emission.patience) {
                    return exchange.refuse(emission, refusal)
                }
                emission.patience -= clock.now() - started
            }
            if store.hasLeases {
                // Asked before: a state must not show what was refused, and sees the effect before its recipients do.
                if let refusal = exchange.refusal(of: emission) { return exchange.refuse(emission, refusal) }
                await reduceLeased(with: effect, kind)
            }
            let result = await exchange.dispatch(emission)
            // Nobody's settlement stands for its being on the disk.
            if result.isUnhandled, emission.durability == .machine { await exchange.uplink?.secure(emission.origin) }
            return result
        } catch {
            return refuse(effect, from: scope.origin, label: label, site: site, error)
        }
    }

    /// A state of this node that shows an effect's outcome sees it before its recipients do.
    nonisolated(nonsending) func reduceLeased(with action: any Relux.Action, _ kind: EffectKind) async {
        if let effect = kind.effect(action) { await store.reduceLeased(with: effect) }
    }

    func refuseAndLog(_ action: any Relux.Action, in scope: Scope, label: String, site: Site, _ failure: Failure) {
        let result = refuse(action, from: scope.origin, label: label, site: site, failure)
        logger?.log(
            LogEntry(
                action: action, module: scope.module, cause: scope.handler?.effect, result: result, label: label, site: site))
    }

    /// Accepts one effect at once, if nothing has to be waited for; false when something has.
    func dispatchNow(
        _ effect: any Relux.Action, _ kind: EffectKind, from origin: Scope.Origin, awaiting: Awaiting, label: String, site: Site,
        completion: (@Sendable (ActionResult) -> Void)?
    ) -> Bool {
        // An effect that has to be on the disk is not accepted before that.
        guard !isLogged, !store.hasLeases, kind.durability != .machine else { return false }
        if origin.handler == nil, let uplink = exchange.uplink, !uplink.hasRoom(for: kind.topic) { return false }
        let waiter = completion.map(Waiter.completion) ?? .nobody
        do throws(Failure) {
            exchange.accept(try emission(of: effect, kind, from: origin, awaiting: awaiting, label: label, site: site), waiter: waiter)
        } catch {
            waiter.resume(returning: refuse(effect, from: origin, label: label, site: site, error))
        }
        return true
    }

    /// The effect with its topic and, if it may leave the process, its bytes.
    func emission(
        of action: any Relux.Action, _ kind: EffectKind, from origin: Scope.Origin, awaiting: Awaiting = .present, label: String, site: Site,
        beside: Emission.Beside = .nothing, onAccepted: (@Sendable (EffectID) -> Void)? = nil
    ) throws(Failure) -> Emission {
        if let failure = kind.failure { throw failure }
        let coded = exchange.uplink == nil ? nil : try coded(action, kind)
        return Emission(
            effect: coded == nil ? kind.effect(action) : nil, topic: kind.topic, origin: origin.module, handler: origin.handler, coded: coded,
            patience: origin.question?.limit ?? defaultDeadline, site: site, label: label, isAwaited: !origin.isLoose, asked: origin.question?.recipient,
            awaiting: awaiting, beside: beside, durability: kind.durability, life: lifeNumber, onAccepted: onAccepted)
    }

    private func coded(_ action: any Relux.Action, _ kind: EffectKind) throws(Failure) -> Emission.Coded {
        let path = { Relux.typePath(of: type(of: action)) }
        let payload: [UInt8]
        do {
            payload = try kind.encode(action, userInfo: codingInfo)
        } catch {
            throw Failure.coding("\(path()) could not be encoded: \(error)")
        }
        guard payload.count <= WireRecord.payloadByteLimit else {
            throw Failure.coding("\(path()) has \(payload.count) bytes, the limit is \(WireRecord.payloadByteLimit); send a reference instead")
        }
        return Emission.Coded(payload)
    }
}
