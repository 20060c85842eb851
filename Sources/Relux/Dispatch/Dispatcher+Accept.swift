extension Relux.Dispatcher {
    /// Dispatches from here as of now, in the name of the same module and with the same cause, for something that nobody waits for.
    package func loosened() -> Relux.Dispatcher {
        let loose = scope?.unawaited(isLoose: true)
        loose?.outlives()
        return Relux.Dispatcher(.fixed(loose))
    }

    /// Returns when the effect is accepted or refused, so that what is said next comes after it; `completion` gets the result when it has
    /// settled. Completions of effects that settle together run one after the other: a completion that blocks delays the later ones.
    package nonisolated(nonsending) func accept(
        _ effect: any Relux.Effect, label: String = "", fileID: StaticString = #fileID, functionName: StaticString = #function,
        lineNumber: UInt = #line, completion: @escaping @Sendable (Relux.ActionResult) -> Void
    ) async {
        let site = Relux.Site(fileID, lineNumber, functionName)
        guard let scope = loosened().scope else { return completion(Relux.Homeless.refuse([effect], label: label, site: site)) }
        await scope.node.accept(effect, in: scope, label: label, site: site, completion: completion)
    }
}

extension Relux {
    /// - Parameters:
    ///   - beside: goes into the journal with it.
    ///   - onAccepted: called under the exchange's lock: short, and nothing of the exchange.
    nonisolated(nonsending) func accept(
        _ effect: any Relux.Effect, in scope: Scope, beside: Emission.Beside = .nothing, label: String, site: Site,
        onAccepted: (@Sendable (EffectID) -> Void)? = nil, completion: @escaping @Sendable (ActionResult) -> Void
    ) async {
        let (clock, started) = (clock, clock.now())
        let done: @Sendable (ActionResult) -> Void = { [logger] result in
            logger?.log(
                LogEntry(
                    action: effect, module: scope.module, cause: scope.handler?.effect, result: result, duration: clock.now() - started,
                    label: label, site: site))
            completion(result)
        }
        do throws(Failure) {
            let kind = EffectKind.of(effect: effect)
            let emission = try emission(of: effect, kind, from: scope.origin, label: label, site: site, beside: beside, onAccepted: onAccepted)
            if scope.handler == nil, let uplink = exchange.uplink {
                if let refusal = await uplink.admit(emission.topic, until: started + emission.patience) {
                    return done(exchange.refuse(emission, refusal))
                }
                emission.patience -= clock.now() - started
            }
            if store.hasLeases {
                if let refusal = exchange.refusal(of: emission) { return done(exchange.refuse(emission, refusal)) }
                await reduceLeased(with: effect, kind)
            }
            let (uplink, origin, isOnDisk) = (exchange.uplink, emission.origin, emission.durability == .machine)
            exchange.accept(
                emission,
                waiter: .completion { result in
                    guard result.isUnhandled, isOnDisk else { return done(result) }
                    Task {
                        await uplink?.secure(origin)
                        done(result)
                    }
                })
        } catch {
            done(refuse(effect, from: scope.origin, label: label, site: site, error))
        }
    }
}
