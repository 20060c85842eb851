import ReluxWire

extension Relux {
    /// Runs a module's handler with what its journal asks for around it: attempts, the table of open handlers, captures.
    ///
    /// A module that needs none of these is handled without it.
    struct RecoveringHandler: EffectHandling {
        let base: ModuleHandler
        let openHandlers: (any OpenHandlers)?

        nonisolated(nonsending) func handle(_ delivery: Delivery, in handler: Scope.Handler) async -> ActionResult {
            var attempt: Suspicion.Attempt?
            let exchange = delivery.isOnTrial ? base.node?.exchange : nil
            if delivery.isSuspect, let exchange {
                attempt = exchange.attempt(of: handler.run, by: base.module)
                if let attempt, let ended = await make(attempt, delivery, exchange) { return ended }
            }
            openHandlers?.began(
                run: handler.run, effect: handler.isTransient ? nil : delivery.id, isCharged: attempt?.isCharged ?? false)
            let company = exchange?.release(handler.run, of: base, after: attempt?.suspect.deaths ?? 1, in: openHandlers)
            defer { company?.cancel() }
            let result = await base.handle(delivery, in: handler)
            openHandlers?.ended(run: handler.run)
            if let keeper = base.keeper, keeper.isSerial { await keeper.handlerEnded(delivery.id) }
            return result
        }

        /// The result when the suspect is not handled any more; nil when it may be.
        private nonisolated(nonsending) func make(_ attempt: Suspicion.Attempt, _ delivery: Delivery, _ exchange: Exchange) async -> ActionResult? {
            let suspect = attempt.suspect
            guard suspect.isCondemned else {
                await exchange.uplink?.attempting(
                    suspect.effect, of: base.module, deaths: suspect.deaths, wasAlone: suspect.wasAlone)
                return nil
            }
            exchange.deadLetter(delivery, of: base.module, .deaths(suspect.deaths))
            return .deadLettered(.deadLettered(delivery.id, topic: delivery.topic, deaths: suspect.deaths), by: base.module)
        }
    }
}

extension Relux.ActionResult {
    static func deadLettered(_ failure: Relux.Failure, by module: ModuleID) -> Self {
        Self(outcomes: [.init(recipient: .init(module: module), status: .deadLettered, failure: failure)])
    }

    /// The one status that a settlement with these outcomes has on the wire.
    package var settledStatus: SettledRecord.Status {
        if isSuccess { return .succeeded }
        return outcomes.contains { $0.status == .deadLettered } ? .deadLettered : .failed
    }
}

extension Relux.Failure {
    static func deadLettered(_ effect: EffectID, topic: Topic, deaths: Int) -> Self {
        Self(
            domain: domainName, code: "deadLettered",
            message:
                "\(topic) \(effect) is not handled any more: its process died \(deaths) times with it, the last time with nothing beside it (limit \(Relux.Suspect.deathLimit)); see `relux dlq show \(effect)`",
            details: ["effect": "\(effect)", "attempts": "\(deaths)"])
    }
}
