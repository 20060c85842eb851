import Glibc
package import Relux
package import ReluxControl
package import ReluxLedger
package import ReluxPlugin
import Synchronization

extension BusEndpoint {
    // MARK: The broker's orders

    /// - Parameters:
    ///   - ledger: what the module's journal says of its earlier lives; nil when it has none.
    ///   - life: of the module in this process; 0 when it does not matter.
    ///   - isHeld: nothing that it says is accepted before ``open(_:)``.
    ///   - contracts: of the effect types that it was built with, as far as that is known.
    package func join(
        _ declaration: ModuleDeclaration, epoch: Epoch, handling types: [any Relux.Effect.Type], ledger: Ledger? = nil,
        life: UInt64 = 0, isHeld: Bool = false, contracts: [Topic: ContractFingerprint] = [:]
    ) {
        self.types.withLock { known in
            for type in types { known[type.wireTopic] = (type, contracts[type.wireTopic]?.rawValue ?? 0) }
        }
        tell { core, now in
            let actions = core.add(
                declaration, epoch: epoch, ledger: ledger, life: life, isHeld: isHeld, contracts: contracts.mapValues(\.rawValue), now: now)
            return isHeld ? actions : actions + core.appendEarly(declaration.id, now: now)
        }
    }

    package func open(_ module: ModuleID) { tell { $0.open(module, now: $1) } }

    /// Connects to the module's publishers and its listeners, before it is served here.
    package func standBy(_ declaration: ModuleDeclaration) { tell { $0.standBy(declaration, now: $1) } }
    package func standDown(_ module: ModuleID) { tell { $0.standDown(module, now: $1) } }

    /// Ends the module's life here for a successor; returns when all that it has said is in its journal, and that is sealed and unlocked.
    package func handOver(_ declaration: ModuleDeclaration) async {
        await withUnsafeContinuation { continuation in
            endpoint.withLock { $0.leavers[declaration.id] = continuation }
            tell { $0.handOver(declaration, now: $1) }
        }
    }

    /// The module hears nothing new; what it has said is still served while this process lives.
    package func leave(_ module: ModuleID) { tell { $0.remove(module, now: $1) } }

    /// The same; returns when those who run have got what they need of it, or at the limit. Its journal is closed then.
    package func leave(_ module: ModuleID, within limit: Duration) async {
        let (clock, end) = (clock, clock.now() + limit)
        var expiry: Task<Void, any Error>?
        await withUnsafeContinuation { continuation in
            endpoint.withLock { $0.leavers[module] = continuation }
            leave(module)
            guard limit > .zero else { return close(module) }
            // Behind the leave, or it would close nothing.
            expiry = Task { [weak self] in
                try await clock.sleep(until: end)
                self?.close(module)
            }
        }
        expiry?.cancel()
    }

    /// The broker's word on the members. From here on effects are accepted for the new recipients.
    package func apply(_ picture: ClusterPicture) {
        // Told first: whatever is accepted for the new membership comes behind it.
        var isNew = false
        tell { core, batch, now in
            isNew = picture.version > core.membership.picture?.version ?? 0
            batch.actions += core.apply(picture, now: now)
        }
        guard isNew else { return }
        exchange.withLock { $0 }?.setMembership(
            version: picture.version, recipients: picture.recipients, places: picture.places, withoutProcess: picture.withoutProcess,
            absences: picture.absences)
    }

    package func publish(snapshot type: Topic, of owner: ModuleID, payload: [UInt8]) {
        hear { core, now in core.snapshotChanged(type, of: owner, payload: payload, now: now) }
    }

    private func close(_ module: ModuleID) { tell { $0.close(module, now: $1) } }

    /// Somebody comes or goes.
    private func tell(_ event: (inout BusCore, Duration) -> [BusCore.Action]) {
        tell { core, batch, now in batch.actions += event(&core, now) }
    }

    // MARK: Doing what the core says

    /// Tells the transport whom to hear. Under the endpoint's lock: the order matters.
    func route(_ action: BusCore.Action) {
        switch action {
        case .connect(let endpoint): transport.connect(endpoint)
        case .disconnect(let endpoint): transport.disconnect(endpoint)
        case .subscribe(let prefix): transport.subscribe(prefix)
        case .unsubscribe(let prefix): transport.unsubscribe(prefix)
        default: break
        }
    }

    func perform(_ actions: [BusCore.Action]) {
        guard !actions.isEmpty else { return }
        let exchange = exchange.withLock { $0 }
        var settlements: [Relux.Exchange.Settlement] = []
        // Nearly all results are an empty success of the same module: one for all of them.
        var plain: (recipient: ModuleID, result: Relux.ActionResult)?
        var deliveries = Deliveries()
        for action in actions {
            // Neighbours of a kind take the exchange's lock together.
            if !settlements.isEmpty {
                switch action {
                case .settle, .missed: break
                default:
                    exchange?.settle(settlements)
                    settlements = []
                }
            }
            if !deliveries.isEmpty {
                if case .deliver = action {} else { deliver(&deliveries, exchange) }
            }
            switch action {
            case .deliver(let effect, let publisher, let topic, let recipient, let life):
                add(effect, from: publisher, on: topic, to: recipient, life, &deliveries)
            case .settle(let record, let publisher, let recipient):
                let result: Relux.ActionResult
                if record.result.isEmpty, record.status == .succeeded, let plain, plain.recipient == recipient {
                    result = plain.result
                } else {
                    result = ResultCoding.decode(record.result, status: record.status, from: recipient, userInfo: codingInfo)
                    if record.result.isEmpty, record.status == .succeeded { plain = (recipient, result) }
                }
                settlements.append(.init(record.effects, of: publisher, by: recipient, result))
            case .missed(let effect, let recipient, let why):
                let result = Relux.ActionResult(
                    outcomes: [.init(recipient: .init(module: recipient), status: .lost, failure: .lost(recipient.rawValue, absent: why))])
                settlements.append(.init(EffectRuns(position: effect.position, sequence: 0), of: effect.module, by: recipient, result))
            case .overloaded(let emission): exchange?.takeBack(emission)
            case .askCourier(let question): owner.askCourier(question)
            case .interrupted(let module, let effects): owner.interrupted(module, effects)
            case .left(let module):
                journal?.close(module)
                endpoint.withLock { $0.leavers.removeValue(forKey: module) }?.resume()
            case .handedOver(let module, let ledger):
                journal?.handOver(module, ledger)
                endpoint.withLock { $0.leavers.removeValue(forKey: module) }?.resume()
            case .snapshot(let topic, let payload, let stale): owner.snapshot(topic, payload, stale)
            case .joined: owner.joined()
            case .publish, .replay, .ready, .connect, .disconnect, .subscribe, .unsubscribe, .expectHandOver: break
            }
        }
        if !settlements.isEmpty { exchange?.settle(settlements) }
        if !deliveries.isEmpty { deliver(&deliveries, exchange) }
    }

    // MARK: Defaults

    package static let randomMarker: @Sendable () -> [UInt8] = {
        (0..<ReadyRecord.markerByteCount).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Milliseconds since 1970, for information only.
    package static let wallClock: @Sendable () -> UInt64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
