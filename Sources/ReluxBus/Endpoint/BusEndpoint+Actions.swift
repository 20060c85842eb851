import Glibc
package import Relux
package import ReluxPlugin
import Synchronization

extension BusEndpoint {
    // MARK: The broker's orders

    package func join(
        _ declaration: ModuleDeclaration, epoch: Epoch, handling types: [any Relux.Effect.Type]
    ) {
        self.types.withLock { known in
            for type in types { known[type.wireTopic] = type }
        }
        let now = clock.now()
        perform(core.withLock { $0.add(declaration, epoch: epoch, now: now) })
    }

    package func leave(_ module: ModuleID) {
        let now = clock.now()
        perform(core.withLock { $0.remove(module, now: now) })
    }

    package func apply(_ picture: ClusterPicture) {
        let now = clock.now()
        perform(core.withLock { $0.apply(picture, now: now) })
    }

    package func lost(_ module: ModuleID) {
        let now = clock.now()
        perform(core.withLock { $0.lost(module, now: now) })
    }

    package func publish(snapshot type: Topic, of owner: ModuleID, payload: [UInt8]) {
        perform(core.withLock { $0.snapshotChanged(type, of: owner, payload: payload) })
    }

    /// The snapshot type that a reserved topic carries; nil for any other topic.
    package static func snapshotType(of topic: Topic) -> Topic? {
        let prefix = "~snapshot."
        guard topic.rawValue.hasPrefix(prefix) else { return nil }
        return Topic(rawValue: String(topic.rawValue.dropFirst(prefix.count)))
    }

    // MARK: Doing what the core says

    func perform(_ actions: [BusCore.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: BusCore.Action) {
        switch action {
        case .publish, .replay, .ready: enqueue(.action(action))
        case .deliver(let effect, let publisher, let topic, let recipient):
            deliver(effect, from: publisher, on: topic, to: recipient)
        case .settle(let effect, _, let recipient, let record):
            let result = ResultCoding.decode(record.result, status: record.status, from: recipient, userInfo: codingInfo)
            exchange.withLock { $0 }?.settle(effect, by: recipient, with: result)
        case .lose(let module): exchange.withLock { $0 }?.lose(module)
        case .snapshot(let topic, let payload, let stale): onSnapshot(topic, payload, stale)
        case .setMembership(let version, let recipients):
            exchange.withLock { $0 }?.setMembership(version: version, recipients: recipients)
        case .connect(let endpoint): transport.connect(endpoint)
        case .disconnect(let endpoint): transport.disconnect(endpoint)
        case .subscribe(let prefix): transport.subscribe(prefix)
        case .unsubscribe(let prefix): transport.unsubscribe(prefix)
        case .joined: onJoined()
        }
    }

    private func deliver(_ effect: EffectRecord, from publisher: ModuleID, on topic: Topic, to recipient: ModuleID) {
        guard let type = types.withLock({ $0[topic] }), let exchange = exchange.withLock({ $0 }) else { return }
        let remaining = effect.remainingDeadlineMilliseconds
        exchange.deliver(
            Relux.Delivery(
                id: EffectID(module: publisher, position: effect.position), topic: topic,
                content: .encoded(Array(effect.payload), as: type), ancestry: effect.ancestry,
                awaitDepth: effect.awaitDepth,
                deadline: remaining == 0 ? nil : clock.now() + .milliseconds(Int64(clamping: remaining))),
            to: recipient)
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
