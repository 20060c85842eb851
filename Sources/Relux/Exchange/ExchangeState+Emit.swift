import ReluxWire

extension Relux {
    /// A dispatch of one effect before it is accepted.
    struct Emission: Sendable {
        var effect: any Relux.Effect
        var topic: Topic
        var origin: ModuleID
        var handler: Scope.Handler?
        /// nil in a node that stands alone, where nothing is coded.
        var coded: (payload: [UInt8], caseName: String)?
        /// How long its waiter waits, unless the handler that dispatches it has less left.
        var patience: Duration
        var site: Site
        var label: String
        /// Whoever dispatches it says nothing more before it has settled.
        var isAwaited = true
        /// The only recipient whose answer is waited for; nil for all.
        var asked: ModuleID?
        /// Whether those that are known to be absent are waited for.
        var awaiting = Awaiting.present
        /// Under which a client has asked for it.
        var request = ""
        /// Fingerprint of the contract that the client went by; 0 when it is a module's own effect.
        var contract: UInt64 = 0
        var durability = Durability.process
        /// The origin's life in this process; 0 when it has only one.
        var life: UInt64 = 0
        /// Told the id under the exchange's lock, before anybody can settle it.
        var onAccepted: (@Sendable (EffectID) -> Void)?
    }
}

extension Relux.ExchangeState {
    static let hopLimit = 32

    /// What an accepted effect asks the exchange to do.
    struct Acceptance {
        var appended: Relux.Appended?
        var deadline: Duration
        /// Parties that need a drain.
        var kicks: [Relux.Seat] = []
        /// Somebody waits behind a running handler.
        var isCrowded = false
        var resumption: Resumption?
        /// Of who waited for the same effect before.
        var displaced: Resumption?
        /// Parties of this process that the waiter's result needs.
        var awaited: [Relux.Seat] = []
        /// Serial parties of this process that would have waited for themselves.
        var turnedAway: [(recipient: ModuleID, failure: Relux.Failure)] = []
    }

    enum Emitted {
        /// The waiter stays with the exchange.
        case accepted(Acceptance)
        /// It was not accepted, or nobody is there to handle it.
        case ended(Relux.ActionResult, appended: Relux.Appended?)

        var appended: Relux.Appended? {
            switch self {
            case .accepted(let acceptance): acceptance.appended
            case .ended(_, let appended): appended
            }
        }
    }

    /// Gives the effect its id, its sequence and its recipients, and queues it for those of this process.
    mutating func emit(
        _ emission: Relux.Emission, waiter: Relux.Waiter, now: Duration
    ) -> Emitted {
        let seat = parties.seat(of: emission.origin)
        if let refusal = refusal(of: emission, maySay: seat.flatMap { $0.look { $0.maySay(emission) } }) { return .ended(refusal, appended: nil) }
        guard let seat else { return .ended(.refused(.closed(emission.origin.rawValue)), appended: nil) }
        var ancestry: [EffectID] = []
        var awaitDepth = 0
        var deadline = now + emission.patience
        var awaiter: Awaiter?
        // The handler that says it still runs, or has not settled what it handles.
        var (isRunning, isSettling) = (false, false)
        if let handler = emission.handler {
            ancestry = handler.ancestry
            ancestry.append(handler.effect)
            isRunning = seat.party.runs[handler.run] != nil
            isSettling = !handler.isAwaited && seat.party.settling.contains(handler.effect)
            // A task that has outlived the handler which started it keeps the cause, but nobody waits for it any more.
            if isRunning, handler.isAwaited {
                awaiter = Awaiter(seat: seat, run: handler.run)
                awaitDepth = handler.awaitDepth + 1
                deadline = min(deadline, handler.deadline ?? deadline)
            }
        }
        if let recalled = recall(emission) {
            return reattach(recalled, emission, awaiter: awaiter, deadline: deadline, waiter: waiter, now: now)
        }
        let route = route(of: emission.topic)
        let isTransient = emission.durability == .transient
        let (position, sequence) = seat.party.number(emission.topic, isTransient: isTransient)
        seat.counters.emitted += 1
        if route.recipients.isEmpty { seat.counters.unhandled += 1 }

        let id = EffectID(module: seat.id, position: position)
        emission.onAccepted?(id)
        var appended: Relux.Appended?
        if let coded = emission.coded {
            appended = Relux.Appended(
                id: id, topic: emission.topic, sequence: sequence, caseName: coded.caseName, payload: coded.payload,
                ancestry: ancestry, awaitDepth: awaitDepth, remaining: deadline - now,
                memberVersion: membership?.version ?? 0, recipients: route.recipients,
                isDetached: emission.handler.map { $0.isTransient || !(isRunning || isSettling) } ?? false,
                site: emission.site, label: emission.label, request: emission.request, awaiting: emission.awaiting, contract: emission.contract,
                durability: emission.durability)
        }
        guard !route.recipients.isEmpty else { return .ended(.unhandled, appended: appended) }
        let entry = Pending(
            outstanding: route.recipients, result: Relux.ActionResult(), deadline: deadline, acceptedAt: now, isTransient: isTransient,
            asked: emission.asked, awaiting: emission.awaiting)
        // Who waits for one that is no recipient waits for nobody, nor does who waits for absent ones alone.
        let missing = emission.asked.flatMap { route.recipients.contains($0) ? nil : $0 }
        let vain = missing.map(lost) ?? parked(entry)
        if vain == nil {
            entry.waiter = waiter
            entry.awaiter = awaiter
            pending[id] = entry
            note(deadline: deadline, of: id)
        } else {
            awaiter = nil
            if !isTransient { pending[id] = entry }
        }

        var acceptance = Acceptance(appended: appended, deadline: deadline)
        acceptance.awaited = emission.asked.map { asked in route.seats.filter { $0.id == asked } } ?? route.seats
        acceptance.resumption = vain.map { Resumption(waiter: waiter, result: $0) }
        if let awaiter, seat.party.awaitBegan(awaiter.run) { acceptance.kicks.append(seat) }
        // In a cluster the uplink hands it to everybody, once it is journaled.
        guard appended == nil else { return .accepted(acceptance) }
        let delivery = Relux.Delivery(
            id: id, topic: emission.topic, sequence: sequence, content: .effect(emission.effect), ancestry: ancestry,
            awaitDepth: awaitDepth, deadline: deadline)
        for recipient in route.seats {
            switch deliver(delivery, at: recipient) {
            case .queued(let kick):
                if kick { acceptance.kicks.append(recipient) } else { acceptance.isCrowded = true }
            case .cycle(let failure):
                acceptance.turnedAway.append((recipient.id, failure))
                let resumption = settle(id, by: recipient.id, with: failed(recipient.id, failure))
                acceptance.resumption = resumption ?? acceptance.resumption
            }
        }
        return .accepted(acceptance)
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
                .hops(limit: Self.hopLimit, path: Self.path(chain), shown: Self.ends(of: chain)), by: .init(module: origin), as: .failed)
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
