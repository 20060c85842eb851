import Relux
import ReluxLedger
import Synchronization

extension BusEndpoint {
    /// Deliveries on their way to the exchange, in order, and what is asked once for all of them.
    struct Deliveries {
        fileprivate var waiting: [Relux.Exchange.Incoming] = []
        /// The topic of the delivery before, with its type and contract: the next delivery mostly has the same topic.
        fileprivate var last: (topic: Topic, type: any Relux.Effect.Type, contract: UInt64)?
        fileprivate var now: Duration?

        var isEmpty: Bool { waiting.isEmpty }
    }

    func deliver(_ deliveries: inout Deliveries, _ exchange: Relux.Exchange?) {
        exchange?.deliver(deliveries.waiting)
        deliveries.waiting = []
    }

    func add(
        _ effect: EffectRecord, from publisher: ModuleID, on topic: Topic, to recipient: ModuleID, _ life: UInt64,
        _ deliveries: inout Deliveries
    ) {
        let id = EffectID(module: publisher, position: effect.position)
        if deliveries.last?.topic != topic { deliveries.last = types.withLock { $0[topic] }.map { (topic, $0.type, $0.contract) } }
        guard let known = deliveries.last else { return refuse(effect, id, on: topic, to: recipient, life) }
        let delivery = Relux.Delivery(
            id: id, topic: topic, sequence: effect.sequence, content: .encoded(effect.payload, as: known.type), ancestry: effect.ancestry,
            awaitDepth: effect.awaitDepth, deadline: deadline(in: effect.remainingDeadlineMilliseconds, &deliveries.now),
            durability: effect.durability, life: life, contracts: .init(said: effect.contractFingerprint, read: known.contract))
        deliveries.waiting.append(.init(delivery, to: recipient))
    }

    /// - Parameter now: read when it is needed first; what comes together has come at one time.
    private func deadline(in remaining: UInt64, _ now: inout Duration?) -> Duration? {
        guard remaining > 0 else { return nil }
        let time = now ?? clock.now()
        now = time
        return time + .milliseconds(Int64(clamping: remaining))
    }

    private func refuse(_ effect: EffectRecord, _ id: EffectID, on topic: Topic, to recipient: ModuleID, _ life: UInt64) {
        let failure = Relux.Failure.coding(
            "\(recipient) declares that it handles \(topic), but brought no type to decode it with; pack it again")
        let outcome = Relux.ActionResult.Outcome(recipient: .init(module: recipient), status: .failed, failure: failure)
        var settled = Relux.Settled(
            id: id, topic: topic, sequence: effect.sequence, recipient: recipient,
            result: Relux.ActionResult(outcomes: [outcome]), duration: .zero, life: life)
        settled.durability = effect.durability
        exchange.withLock { $0 }?.turnAway(
            Relux.RefusedDispatch(
                module: recipient, topic: topic.rawValue, caseName: effect.caseName, ancestry: effect.ancestry, label: effect.label,
                site: Relux.Site(file: effect.site.file, line: effect.site.line, function: effect.site.function), failure: failure))
        settled.coded = coded(settled.result)
        let settling = Settling(settled)
        tell(isQuick: settled.durability != .machine) { core, batch, now in core.refused(settling, now: now, &batch.actions) }
    }
}
