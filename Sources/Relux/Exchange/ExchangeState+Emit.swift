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
        var kicks: [ModuleID] = []
        /// Somebody waits behind a running handler.
        var isCrowded = false
        var resumption: Resumption?
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
        let origin = emission.origin
        // Whether it may be said, and whether the handler that says it still runs.
        let awaited = emission.handler.flatMap { $0.isAwaited ? $0.run : nil }
        let standing = parties.read(origin) { party in
            (maySay: party.maySay(emission), isRunning: awaited.map { party.runs[$0] != nil } ?? false)
        }
        if let refusal = refusal(of: emission, maySay: standing?.maySay) { return .ended(refusal, appended: nil) }
        var ancestry: [EffectID] = []
        var awaitDepth = 0
        var deadline = now + emission.patience
        var awaiter: Awaiter?
        if let handler = emission.handler {
            ancestry = handler.ancestry + [handler.effect]
            // A task that has outlived the handler which started it keeps the cause, but nobody waits for it any more.
            if standing?.isRunning == true {
                awaiter = Awaiter(module: origin, run: handler.run)
                awaitDepth = handler.awaitDepth + 1
                deadline = min(deadline, handler.deadline ?? deadline)
            }
        }
        if let recalled = recall(emission) {
            return reattach(recalled, emission, awaiter: awaiter, deadline: deadline, waiter: waiter, now: now)
        }
        let recipients = recipients(of: emission.topic)
        let isTransient = emission.durability == .transient
        let numbers = parties.update(origin) { $0.number(emission.topic, isTransient: isTransient) }
        guard let (position, sequence) = numbers else {
            return .ended(.failure(Relux.Failure.closed(origin.rawValue)), appended: nil)
        }
        count(origin) {
            $0.emitted += 1
            if recipients.isEmpty { $0.unhandled += 1 }
        }

        let id = EffectID(module: origin, position: position)
        emission.onAccepted?(id)
        var appended: Relux.Appended?
        if let coded = emission.coded {
            appended = Relux.Appended(
                id: id, topic: emission.topic, sequence: sequence, caseName: coded.caseName, payload: coded.payload,
                ancestry: ancestry, awaitDepth: awaitDepth, remaining: deadline - now,
                memberVersion: membership?.version ?? 0, recipients: recipients,
                isDetached: emission.handler.map { handler in
                    handler.isTransient || parties.read(origin) { $0.runs[handler.run] == nil } ?? true
                } ?? false,
                site: emission.site, label: emission.label, request: emission.request, contract: emission.contract,
                durability: emission.durability)
        }
        guard !recipients.isEmpty else { return .ended(.unhandled, appended: appended) }
        // Who waits for one that is no recipient waits for nobody.
        let missing = emission.asked.flatMap { recipients.contains($0) ? nil : $0 }
        if missing != nil { awaiter = nil }
        if missing == nil || !isTransient {
            pending[id] = Pending(
                outstanding: recipients, result: Relux.ActionResult(), deadline: deadline, waiter: missing == nil ? waiter : nil,
                awaiter: awaiter, acceptedAt: now, isTransient: isTransient, asked: emission.asked)
        }

        var acceptance = Acceptance(appended: appended, deadline: deadline)
        acceptance.resumption = missing.map { Resumption(waiter: waiter, result: lost($0)) }
        if let awaiter, parties.update(origin, { $0.awaitBegan(awaiter.run) }) == true { acceptance.kicks.append(origin) }
        // In a cluster the uplink hands it to everybody, once it is journaled.
        guard appended == nil else { return .accepted(acceptance) }
        let delivery = Relux.Delivery(
            id: id, topic: emission.topic, sequence: sequence, content: .effect(emission.effect), ancestry: ancestry,
            awaitDepth: awaitDepth, deadline: deadline)
        for recipient in recipients {
            switch deliver(delivery, to: recipient) {
            case .queued(let kick):
                if kick { acceptance.kicks.append(recipient) } else { acceptance.isCrowded = true }
            case .cycle(let failure):
                let resumption = settle(id, by: recipient, with: failed(recipient, failure))
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
        guard let maySay else { return .failure(Relux.Failure.closed(origin.rawValue)) }
        guard maySay else {
            return refused(by: origin, .undeclared(topic: emission.topic.rawValue, module: origin.rawValue))
        }
        if let handler = emission.handler, handler.ancestry.count >= Self.hopLimit {
            let path = Self.path(handler.ancestry + [handler.effect])
            return failed(origin, .hops(limit: Self.hopLimit, path: path))
        }
        return nil
    }

    enum Delivered {
        case queued(kick: Bool)
        /// The recipient is serial and waits, through others, for this very effect.
        case cycle(Relux.Failure)
    }

    mutating func deliver(_ delivery: Relux.Delivery, to recipient: ModuleID) -> Delivered {
        let others = isEnding ? running : []
        let kick: Bool?? = parties.update(recipient) { party in
            // Held back since an earlier life: the bus gives it to this one by itself.
            if delivery.life != 0, delivery.life != party.life { return false }
            // Unsettled: it waits for the next instance, or is lost when there is none.
            if party.admission == .closed || party.admission == .yielding && !party.isAwaited(delivery, others: others) { return false }
            if party.isSerial, let run = party.holder, let running = party.runs[run]?.effect,
                delivery.ancestry.suffix(delivery.awaitDepth).contains(running)
            {
                return nil
            }
            return party.enqueue(delivery)
        }
        switch kick {
        case .some(nil): return .cycle(.cycle(path: Self.path(delivery.ancestry + [delivery.id])))
        case .some(let kick?): return .queued(kick: kick)
        case nil: return .queued(kick: false)
        }
    }

    func failed(_ module: ModuleID, _ failure: Relux.Failure) -> Relux.ActionResult {
        Relux.ActionResult(outcomes: [.init(recipient: .init(module: module), status: .failed, failure: failure)])
    }

    private func lost(_ module: ModuleID) -> Relux.ActionResult {
        Relux.ActionResult(outcomes: [.init(recipient: .init(module: module), status: .lost, failure: .lost(module.rawValue))])
    }

    private func refused(by module: ModuleID, _ failure: Relux.Failure) -> Relux.ActionResult {
        Relux.ActionResult(outcomes: [.init(recipient: .init(module: module), status: .refused, failure: failure)])
    }

    /// The module has handed over: those of its handlers that were cut wait for nothing any more.
    mutating func abandon(_ publisher: ModuleID) -> [Resumption] {
        let result = Relux.ActionResult.failure(Relux.Failure.closed(publisher.rawValue))
        var resumptions: [Resumption] = []
        for (effect, entry) in pending where effect.module == publisher {
            pending[effect] = nil
            if let resumption = resumption(of: entry, with: result) { resumptions.append(resumption) }
        }
        return resumptions
    }

    static func path(_ ids: [EffectID]) -> String { ids.map(\.description).joined(separator: " → ") }
}

extension Relux.Party {
    /// Whether the topic is among its emissions; nil for what an earlier life of the module says.
    fileprivate func maySay(_ emission: Relux.Emission) -> Bool? {
        if emission.life != 0, emission.life != life { return nil }
        return emits?.contains(emission.topic) ?? true
    }
}
