import ReluxWire

extension Relux.ExchangeState {
    static let hopLimit = 32

    /// The exchange has to do this for an effect that was said.
    struct Acceptance {
        /// The uplink gets it.
        var isAppended = false
        /// The waiter's.
        var deadline = Duration.zero
        /// Parties that need a drain.
        var kicks: [Relux.Seat] = []
        /// Somebody waits behind a running handler.
        var isCrowded = false
        var resumption: Resumption?
        /// The earlier waiter for the same effect.
        var displaced: Resumption?
        /// Parties of this process that the waiter's result needs.
        var awaited: [Relux.Seat] = []
        /// Serial parties of this process that would have waited for themselves.
        var turnedAway: [(recipient: ModuleID, failure: Relux.Failure)] = []
    }

    /// Gives the effect its id, its sequence and its recipients, and queues it for those of this process.
    ///
    /// - Returns: what the waiter is told at once, because the effect is not accepted or nobody is there to handle it; nil when the waiter stays
    ///   with the exchange.
    mutating func emit(
        _ emission: Relux.Emission, waiter: Relux.Waiter, now: Duration, _ acceptance: inout Acceptance
    ) -> Relux.ActionResult? {
        let seat = parties.seat(of: emission.origin)
        if let refusal = refusal(of: emission, maySay: seat.flatMap { $0.look { $0.maySay(emission) } }) { return refusal }
        guard let seat else { return .refused(.closed(emission.origin.rawValue)) }
        var ancestry: [EffectID] = []
        var awaitDepth = 0
        var deadline = now + emission.patience
        var awaiter: Awaiter?
        var isDetached = false
        if let handler = emission.handler {
            ancestry = handler.lineage
            // The handler that says it still runs, or has not settled what it handles.
            let isRunning = seat.party.runs.contains(handler.run)
            let isSettling = !handler.isAwaited && seat.party.settling.contains(handler.effect)
            isDetached = handler.isTransient || !(isRunning || isSettling)
            // A task that has outlived the handler which started it keeps the cause, but nobody waits for it any more.
            if isRunning, handler.isAwaited {
                awaiter = Awaiter(seat: seat, run: handler.run)
                awaitDepth = handler.awaitDepth + 1
                deadline = min(deadline, handler.deadline ?? deadline)
            }
        }
        acceptance.deadline = deadline
        if let recalled = recall(emission) {
            return reattach(recalled, emission, awaiter: awaiter, waiter: waiter, now: now, &acceptance)
        }
        let route = route(of: emission.topic)
        let isTransient = emission.durability == .transient
        let (position, sequence) = seat.party.numbers.next(emission.topic, isTransient: isTransient)
        seat.counters.emitted += 1

        let id = EffectID(module: seat.id, position: position)
        emission.onAccepted?(id)
        emission.accept(
            as: id, sequence: sequence, ancestry: ancestry, awaitDepth: awaitDepth, remaining: deadline - now,
            memberVersion: membership?.version ?? 0, recipients: route.recipients, isDetached: isDetached)
        // In a cluster the uplink hands it to everybody, once it is journaled.
        acceptance.isAppended = emission.coded != nil
        guard !route.recipients.isEmpty else {
            seat.counters.unhandled += 1
            return .unhandled
        }
        // The uplink keeps the book of what is to be settled elsewhere.
        if case .nobody = waiter, acceptance.isAppended, route.seats.isEmpty { return nil }
        let entry = Pending(
            outstanding: route.recipients, result: Relux.ActionResult(), deadline: deadline, acceptedAt: now, isTransient: isTransient,
            asked: emission.asked, awaiting: emission.awaiting)
        // A dispatch that waits for a module which is no recipient waits for nobody; so does one that waits for absent recipients alone.
        let missing = emission.asked.flatMap { route.recipients.contains($0) ? nil : $0 }
        if let vain = missing.map(lost) ?? parked(entry) {
            acceptance.resumption = Resumption(waiter: waiter, result: vain)
            if !isTransient { pending[id] = entry }
        } else {
            entry.waiter = waiter
            entry.awaiter = awaiter
            pending[id] = entry
            note(deadline: deadline, of: id)
            if let awaiter, seat.party.awaitBegan(awaiter.run) { acceptance.kicks.append(seat) }
        }
        acceptance.awaited = emission.asked.map { asked in route.seats.filter { $0.id == asked } } ?? route.seats
        if !acceptance.isAppended, let effect = emission.effect { deliver(effect, of: emission, deadline: deadline, to: route.seats, &acceptance) }
        return nil
    }

    private mutating func deliver(
        _ effect: any Relux.Effect, of emission: Relux.Emission, deadline: Duration, to seats: [Relux.Seat], _ acceptance: inout Acceptance
    ) {
        for recipient in seats {
            let delivery = Relux.Delivery(
                id: emission.id, topic: emission.topic, sequence: emission.sequence, content: .effect(effect), ancestry: emission.ancestry,
                awaitDepth: emission.awaitDepth, deadline: deadline)
            switch deliver(delivery, at: recipient) {
            case .queued(let kick):
                if kick { acceptance.kicks.append(recipient) } else { acceptance.isCrowded = true }
            case .cycle(let failure):
                acceptance.turnedAway.append((recipient.id, failure))
                let resumption = settle(emission.id, by: recipient.id, with: failed(recipient.id, failure))
                acceptance.resumption = resumption ?? acceptance.resumption
            }
        }
    }

    /// Why the emission would not be accepted; nil when it would.
    func refusal(of emission: Relux.Emission) -> Relux.ActionResult? {
        refusal(of: emission, maySay: parties.read(emission.origin) { $0.maySay(emission) } ?? nil)
    }

    /// - Parameter maySay: nil when the origin is not here, or not any more in the life that speaks.
    private func refusal(of emission: Relux.Emission, maySay: Bool?) -> Relux.ActionResult? {
        let origin = emission.origin
        guard let maySay else { return .refused(.closed(origin.rawValue)) }
        guard maySay else {
            return .refused(.undeclared(topic: emission.topic.rawValue, module: origin.rawValue), by: .init(module: origin), as: .refused)
        }
        if let handler = emission.handler, handler.ancestry.count >= Self.hopLimit {
            let chain = handler.lineage
            return .refused(
                .hops(
                    limit: Self.hopLimit, path: Self.path(chain), shown: Self.ends(of: chain),
                    modules: Set(chain.suffix(Self.hopLimit / 2).map(\.module.rawValue)).sorted()), by: .init(module: origin), as: .failed)
        }
        return nil
    }

    enum Delivered {
        case queued(kick: Bool)
        /// The recipient is serial and waits, through others, for this very effect.
        case cycle(Relux.Failure)
    }

    func deliver(_ delivery: Relux.Delivery, to recipient: ModuleID) -> Delivered {
        // Unsettled: it waits for the next instance, or is lost when there is none.
        guard let seat = parties.seat(of: recipient) else { return .queued(kick: false) }
        return deliver(delivery, at: seat)
    }

    func deliver(_ delivery: Relux.Delivery, at seat: Relux.Seat) -> Delivered {
        // Held back since an earlier life: the bus gives it to this one by itself.
        if delivery.life != 0, delivery.life != seat.party.life { return .queued(kick: false) }
        switch seat.party.admission {
        case .closed: return .queued(kick: false)
        case .yielding:
            let others = isEnding ? running : []
            if !seat.look({ $0.isAwaited(delivery, others: others) }) { return .queued(kick: false) }
        case .held, .open: break
        }
        if seat.party.isSerial, let run = seat.party.holder, let running = seat.party.runs[run]?.effect,
            delivery.ancestry.suffix(delivery.awaitDepth).contains(running)
        {
            let chain = delivery.ancestry + [delivery.id]
            return .cycle(.cycle(path: Self.path(chain), shown: Self.ends(of: chain)))
        }
        return .queued(kick: seat.party.enqueue(delivery))
    }

    func failed(_ module: ModuleID, _ failure: Relux.Failure) -> Relux.ActionResult {
        Relux.ActionResult(outcomes: [.init(recipient: .init(module: module), status: .failed, failure: failure)])
    }

    private func lost(_ module: ModuleID) -> Relux.ActionResult {
        Relux.ActionResult(outcomes: [.init(recipient: .init(module: module), status: .lost, failure: .lost(module.rawValue))])
    }

    /// The module has handed over: those of its handlers that were cut wait for nothing any more.
    mutating func abandon(_ publisher: ModuleID) -> [Resumption] {
        let result = Relux.ActionResult.failure(Relux.Failure.closed(publisher.rawValue))
        var resumptions: [Resumption] = []
        for (effect, entry) in pending.all where effect.module == publisher {
            pending[effect] = nil
            if let resumption = resumption(of: entry, with: result) { resumptions.append(resumption) }
        }
        return resumptions
    }

    static func path(_ ids: [EffectID]) -> String { ids.map(\.description).joined(separator: " → ") }

    /// The first and the last of them; how they go on between shows there too.
    private static func ends(of ids: [EffectID]) -> String {
        let shown = 3
        guard ids.count > 2 * shown + 1 else { return path(ids) }
        return "\(path(Array(ids.prefix(shown)))) → … \(ids.count - 2 * shown) more … → \(path(ids.suffix(shown)))"
    }
}

extension Relux.Party {
    /// Whether the topic is among its emissions; nil for what an earlier life of the module says.
    fileprivate func maySay(_ emission: Relux.Emission) -> Bool? {
        if emission.life != 0, emission.life != life { return nil }
        return emits?.contains(emission.topic) ?? true
    }
}
