import ReluxWire

extension Relux {
    /// Runs one module's states and sagas for each effect that reaches it.
    ///
    /// States reduce first, in the order of registration; then all sagas that take it run at once, since none may wait for another. Each
    /// begins before the next effect reaches any of them.
    struct ModuleHandler: EffectHandling {
        let module: ModuleID
        let states: [any BusinessState]
        let sagas: [any Saga]
        let keeper: StateKeeper?
        /// Not retained: the node owns the exchange, which owns the handlers.
        weak let node: Relux?

        init(_ parts: ModuleParts, as id: ModuleID, node: Relux, keeper: StateKeeper? = nil) {
            module = id
            self.keeper = keeper
            states = parts.states.compactMap { $0 as? any BusinessState }
            sagas = parts.sagas
            self.node = node
        }

        func handle(_ delivery: Delivery, in handler: Scope.Handler) async -> ActionResult {
            guard let node else { return failure(.closed(module.rawValue)) }
            let effect: any Relux.Effect
            switch delivery.content {
            case .effect(let value): effect = value
            case .encoded(let bytes, let type):
                do {
                    effect = try CBOR.decode(type, from: bytes, userInfo: node.codingInfo)
                } catch {
                    let why = "\(delivery.topic) \(delivery.id) could not be decoded: \(error)\(delivery.contracts.remark)"
                    if handler.isTransient { return failure(.coding(why)) }
                    node.exchange.deadLetter(delivery, of: module, .undecodable(why))
                    return .deadLettered(.coding(why), by: module)
                }
            }
            let scope = Scope(node: node, module: module, handler: handler)
            return await Scope.$current.withValue(scope) {
                if let keeper {
                    await keeper.reduce(effect, of: delivery.id, isTransient: handler.isTransient, by: states)
                } else {
                    for state in states where Store.accepts(state, effect) { await state.reduce(with: effect) }
                }
                let takers = takers(of: effect)
                if takers.count == 1 {
                    return await apply(effect, to: takers[0], as: handler.run, on: takers[0] as? any Actor, in: node.exchange)
                }
                return await apply(effect, to: takers, as: handler.run, in: node.exchange)
            }
        }

        /// The run begins on the saga's own executor, which goes on into the saga without letting go: a thread that stands still before that
        /// is not overtaken by the next effect's.
        private func apply(
            _ effect: any Relux.Effect, to saga: any Saga, as run: UInt64, on actor: isolated (any Actor)?, in exchange: Exchange
        ) async -> ActionResult {
            exchange.begin(run, of: module)
            return await apply(effect, to: saga, on: actor)
        }

        private func takers(of effect: any Relux.Effect) -> [any Saga] {
            if sagas.count == 1, sagas[0].takes(effect) { return sagas }
            return sagas.filter { $0.takes(effect) }
        }

        private func apply(
            _ effect: any Relux.Effect, to sagas: [any Saga], as run: UInt64, in exchange: Exchange
        ) async -> ActionResult {
            guard !sagas.isEmpty else {
                exchange.begin(run, of: module)
                return succeeded
            }
            exchange.starts(run, of: module, sagas: sagas.count)
            return await withTaskGroup(of: ActionResult.self) { group in
                for saga in sagas { group.addTask { await apply(effect, to: saga, as: run, on: saga as? any Actor, in: exchange) } }
                var merged = ActionResult()
                for await result in group { merged.merge(result) }
                // A module answers once: those of its sagas that have nothing to say do not stand beside those that have.
                merged.outcomes.removeAll { $0.recipient.handler.isEmpty && $0.status == .succeeded }
                return merged.outcomes.isEmpty ? succeeded : merged
            }
        }

        /// A flow's outcomes are filed under the module and the flow's type; a saga's is a bare success.
        private func apply(_ effect: any Relux.Effect, to saga: any Saga, on actor: isolated (any Actor)?) async -> ActionResult {
            guard let flow = saga as? any Flow else {
                await saga.apply(effect)
                return succeeded
            }
            let result: ActionResult = await flow.apply(effect)
            guard !result.outcomes.isEmpty else { return succeeded }
            let recipient = ActionResult.Recipient(module: module, handler: Relux.typePath(of: type(of: flow)))
            // This module has answered: who did not answer *it* is named by the failure, not by the status.
            return ActionResult(
                outcomes: result.outcomes.map {
                    .init(
                        recipient: recipient, status: $0.status == .succeeded ? .succeeded : .failed, value: $0.value,
                        failure: $0.failure)
                })
        }

        private var succeeded: ActionResult {
            ActionResult(outcomes: [.init(recipient: .init(module: module), status: .succeeded)])
        }
        private func failure(_ failure: Failure) -> ActionResult {
            ActionResult(outcomes: [.init(recipient: .init(module: module), status: .failed, failure: failure)])
        }
    }
}
