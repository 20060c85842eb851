package import ReluxWire
import Synchronization

extension Relux.Exchange {
    /// A dispatch was not accepted: counts it, writes a line about its site, and tells the uplink, which shows and journals it.
    package func refuse(_ refused: Relux.RefusedDispatch) {
        let (report, isShown) = count(refused)
        guard let uplink else { return }
        uplink.refused(refused, standingFor: report?.count ?? 0, isShown: isShown)
        uplink.go(last: false)
    }

    /// The same for a result that says why.
    func refuse(_ emission: Relux.Emission, _ result: Relux.ActionResult) -> Relux.ActionResult {
        guard let failure = result.failures.first else { return result }
        refuse(Relux.RefusedDispatch(emission, failure))
        var result = result
        result.isRefused = true
        return result
    }

    /// The uplink has no room to keep an effect that it was given: nobody will get it, and whoever waits is told.
    package func takeBack(_ emission: Relux.Emission) {
        let failure = Relux.Failure.overloaded(emission.origin.rawValue)
        refuse(
            Relux.RefusedDispatch(
                module: emission.origin, topic: emission.topic.rawValue, caseName: emission.caseName, ancestry: emission.ancestry,
                label: emission.label, site: emission.site, failure: failure))
        for recipient in emission.recipients {
            settle(emission.id, by: recipient, with: .refused(failure, by: .init(module: recipient), as: .refused))
        }
    }

    /// An effect that was accepted does not reach the module's handler, and settles as failed: that is in the books, so it is counted and
    /// written as a line only.
    package func turnAway(_ refused: Relux.RefusedDispatch) { _ = count(refused) }

    /// Dispatches that found no node, and are written by then, belong to a module here.
    package func takeOver(_ refused: Relux.RefusedDispatch, count: UInt64) {
        refusals.withLock { $0[refused.module, default: Relux.Refusals()].add(refused, count: count) }
        uplink?.refused(refused, standingFor: count, isShown: true)
        uplink?.go(last: false)
    }

    func turnAway(_ emission: Relux.Emission, from recipient: ModuleID, _ failure: Relux.Failure) {
        var refused = Relux.RefusedDispatch(emission, failure)
        refused.module = recipient
        turnAway(refused)
    }

    func turnAway(_ delivery: Relux.Delivery, from recipient: ModuleID, _ result: Relux.ActionResult) {
        guard let failure = result.failures.first else { return }
        turnAway(
            Relux.RefusedDispatch(
                module: recipient, topic: delivery.topic.rawValue, caseName: delivery.caseName, ancestry: delivery.ancestry, site: .nowhere,
                failure: failure))
    }

    private func count(_ refused: Relux.RefusedDispatch) -> (report: Relux.Refusals.Report?, isShown: Bool) {
        let now = clock.now()
        let noted = refusals.withLock { $0[refused.module, default: Relux.Refusals()].note(refused, now: now) }
        if let report = noted.report { say(report.line) }
        return noted
    }

    /// Writes down what was kept back because much of it came from one site; to be called every now and then.
    ///
    /// - Parameter isLast: the process ends, and nothing is kept back any longer.
    package func sayKeptRefusals(isLast: Bool = false) {
        let now = clock.now()
        let reports = refusals.withLock { refusals in
            refusals.keys.sorted().flatMap { id in
                (isLast ? refusals[id]?.rest() : refusals[id]?.due(now: now)) ?? []
            }
        }
        guard !reports.isEmpty else { return }
        for report in reports {
            say(report.line)
            uplink?.refused(report.refused, standingFor: report.count, isShown: false)
        }
        uplink?.go(last: false)
    }

    /// Since the process began.
    package func refusals(of module: ModuleID) -> Relux.Refusals { refusals.withLock { $0[module] ?? Relux.Refusals() } }
}

extension Relux {
    /// Refuses what is dispatched here, for a reason that was found before the exchange was asked.
    func refuse(_ action: any Relux.Action, from origin: Scope.Origin, label: String, site: Site, _ failure: Failure) -> ActionResult {
        exchange.refuse(RefusedDispatch(action, from: origin, label: label, site: site, failure))
        return .refused(failure)
    }
}

extension Relux.RefusedDispatch {
    init(_ action: any Relux.Action, from origin: Relux.Scope.Origin, label: String, site: Relux.Site, _ failure: Relux.Failure) {
        self.init(
            module: origin.module, topic: Self.topic(of: action), caseName: Relux.EnumReflection(action).caseName ?? "",
            ancestry: origin.handler?.lineage ?? [], label: label, site: site, failure: failure)
    }

    init(_ emission: Relux.Emission, _ failure: Relux.Failure) {
        self.init(
            module: emission.origin, topic: emission.topic.rawValue,
            caseName: emission.caseName,
            ancestry: emission.handler?.lineage ?? [], label: emission.label, site: emission.site, failure: failure)
    }

    static func topic(of action: any Relux.Action) -> String {
        Relux.EffectKind.of(action)?.topic.rawValue ?? Relux.typePath(of: type(of: action))
    }
}

extension Relux.Delivery {
    fileprivate var caseName: String {
        switch content {
        case .effect(let effect): Relux.EnumReflection(effect).caseName ?? ""
        case .encoded(let bytes, _): CBOR.caseName(of: Array(bytes)) ?? ""
        case .handled: ""
        }
    }
}

extension Relux.Scope.Handler {
    /// The causes of what the handler dispatches, the root first.
    var lineage: [EffectID] { ancestry + [effect] }
}
