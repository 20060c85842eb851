import ReluxWire

extension Relux {
    /// Runs one module's states and sagas for each effect that reaches it.
    ///
    /// States reduce first, in the order of registration; then all sagas that take it run at once, since none may wait for another. Each
    /// begins before the next effect reaches any of them.
    ///
    /// Design notes. What does not change from one effect to the next is asked and made once: which saga is a flow, where it runs, what it is
    /// called in results, the result of a success.
    final class ModuleHandler: EffectHandling {
        /// A saga as it is needed for each effect.
        private final class Taker: Sendable {
            let saga: any Saga
            /// The same, if it answers.
            let flow: (any Flow)?
            /// The same, if it is one.
            let actor: (any Actor)?
            /// Under which its outcomes are filed.
            let recipient: ActionResult.Recipient

            init(_ saga: any Saga, in module: ModuleID) {
                self.saga = saga
                flow = saga as? any Flow
                actor = saga as? any Actor
                recipient = ActionResult.Recipient(module: module, handler: Relux.typePath(of: type(of: saga)))
            }
        }

        let module: ModuleID
        let states: [any BusinessState]
        /// The types that each state reduces, asked once; nil for any.
        private let reduced: [[ObjectIdentifier]?]
        private let takers: [Taker]
        let executors: Executors
        let keeper: StateKeeper?
        private let succeeded: ActionResult
        /// Not retained: the node owns the exchange, which owns the handlers.
        weak let node: Relux?

        init(_ parts: ModuleParts, as id: ModuleID, node: Relux, keeper: StateKeeper? = nil) {
            module = id
            self.keeper = keeper
            states = parts.states.compactMap { $0 as? any BusinessState }
            reduced = states.map { $0.reduces?.map { ObjectIdentifier($0) } }
            takers = parts.sagas.map { Taker($0, in: id) }
            executors = Executors(sagas: parts.sagas, states: parts.states)
            succeeded = ActionResult(outcomes: [.init(recipient: .init(module: id), status: .succeeded)])
            self.node = node
        }

        nonisolated(nonsending) func handle(_ delivery: Delivery, in handler: Scope.Handler) async -> ActionResult {
            guard let node else { return failure(.closed(module.rawValue)) }
            let effect: any Relux.Effect
            switch delivery.content {
            case .handled: return succeeded
            case .effect(let value): effect = value
            case .encoded(let bytes, let type):
                do {
                    effect = try CBOR.decode(type, from: bytes, userInfo: node.codingInfo)
                } catch {
                    let why = "\(delivery.topic) \(delivery.id) could not be decoded: \(error)\(delivery.contracts.remark)"
                    node.exchange.turnAway(delivery, from: module, .failure(Failure.coding(why)))
                    if handler.isTransient { return failure(.coding(why)) }
                    node.exchange.deadLetter(delivery, of: module, .undecodable(why))
                    return .deadLettered(.coding(why), by: module)
                }
            }
            let scope = Scope(node: node, module: module, handler: handler)
            return await Scope.$current.withValue(scope) {
                if let keeper {
                    await keeper.reduce(effect, of: delivery.id, isTransient: handler.isTransient, by: states)
                } else if !states.isEmpty {
                    let kind = ObjectIdentifier(type(of: effect))
                    for (state, reduced) in zip(states, reduced) where reduced?.contains(kind) ?? true { await state.reduce(with: effect) }
                }
                let (first, others) = takers(of: effect)
                guard let first, others.isEmpty else { return await apply(effect, to: (first.map { [$0] } ?? []) + others, as: handler, in: node.exchange) }
                // The drain knows the beginning of the only one, the exchange that of several.
                return await apply(effect, to: first, on: first.actor) { handler.drain?.begins(node.exchange.pacer.nanoseconds()) }
            }
        }

        /// In order; mostly there is one, for which no list is made. Each saga is asked once.
        private func takers(of effect: any Relux.Effect) -> (first: Taker?, others: [Taker]) {
            var found: (first: Taker?, others: [Taker]) = (nil, [])
            for taker in takers where taker.saga.takes(effect) {
                if found.first == nil { found.first = taker } else { found.others.append(taker) }
            }
            return found
        }

        /// Several sagas: each begins on its own executor, and the last of them lets others overtake.
        private nonisolated(nonsending) func apply(_ effect: any Relux.Effect, to takers: [Taker], as handler: Scope.Handler, in exchange: Exchange) async -> ActionResult {
            guard !takers.isEmpty else {
                handler.drain?.begins(exchange.pacer.nanoseconds())
                return succeeded
            }
            exchange.starts(handler.run, of: module, sagas: takers.count)
            return await withTaskGroup(of: ActionResult.self) { group in
                for taker in takers { 
                    group.addTask { await self.apply(effect, to: taker, on: taker.actor) { exchange.begin(handler.run, of: self.module) } }
                 }
                var merged = ActionResult()
                for await result in group { merged.merge(result) }
                // A module answers once: those of its sagas that have nothing to say do not stand beside those that have.
                merged.outcomes.removeAll { $0.recipient.handler.isEmpty && $0.status == .succeeded }
                return merged.outcomes.isEmpty ? succeeded : merged
            }
        }

        /// A flow's outcomes are filed under the module and the flow's type; a saga's is a bare success.
        ///
        /// - Parameter begin: says that the run begins. On the saga's own executor, which goes on into the saga without letting go: a thread that
        ///   stands still before that is not overtaken by the next effect's.
        private func apply(
            _ effect: any Relux.Effect, to taker: Taker, on actor: isolated (any Actor)?, begin: () -> Void
        ) async -> ActionResult {
            begin()
            guard let flow = taker.flow else {
                await taker.saga.apply(effect)
                return succeeded
            }
            let result: ActionResult = await flow.apply(effect)
            // A parked recipient held up nobody, and is nothing to whoever waits for this module.
            let outcomes = result.outcomes.contains { $0.status == .parked } ? result.outcomes.filter { $0.status != .parked } : result.outcomes
            guard !outcomes.isEmpty else { return succeeded }
            // This module has answered: who did not answer *it* is named by the failure, not by the status.
            return ActionResult(
                outcomes: outcomes.map {
                    .init(
                        recipient: taker.recipient.filed($0.recipient), status: $0.status == .succeeded ? .succeeded : .failed, value: $0.value,
                        failure: $0.failure)
                })
        }

        private func failure(_ failure: Failure) -> ActionResult {
            ActionResult(outcomes: [.init(recipient: .init(module: module), status: .failed, failure: failure)])
        }
    }
}
