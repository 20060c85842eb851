public import Observation
import ReluxWire

extension Relux.UI {
    /// The relay that consumers observe: the latest snapshot, equal values dropped, no gap.
    ///
    /// It subscribes before it reads the current value, so that an update in between is not missed. One that is fed from the
    /// bus starts empty; `value` then is nil until the owner has spoken.
    @MainActor
    @Observable
    public final class StateRelay<Snapshot: Relux.StateSnapshot>: Relux.StateRelaying {
        /// The latest snapshot; nil only in a relay fed from the bus whose owner has not spoken yet.
        public private(set) var latest: Snapshot?
        /// True when the owner is gone: the value is the last one known.
        public private(set) var isStale = false
        public nonisolated var snapshotType: any Relux.StateSnapshot.Type { Snapshot.self }

        @ObservationIgnored private var subscription: Task<Void, Never>?
        @ObservationIgnored private var listeners: [@MainActor @Sendable (Snapshot) -> Void] = []

        /// Relays the provider's snapshots until `stop()`; the provider is kept alive by the stream alone.
        public init(_ provider: some SnapshotProviding<Snapshot>) {
            let stream = provider.snapshots
            latest = provider.current
            subscription = Task { [weak self] in
                for await snapshot in stream {
                    // A value that was on its way when the relay was stopped comes too late.
                    guard let self, !Task.isCancelled else { return }
                    self.publish(snapshot, stale: false)
                }
                self?.isStale = true
            }
        }

        deinit { subscription?.cancel() }

        /// A relay that is fed by ``accept(encoded:stale:)``.
        public init(remote _: Snapshot.Type) { isStale = true }

        /// Calls back with the current value at once and then with every change, in order.
        public func observe(_ listener: @escaping @MainActor @Sendable (Snapshot) -> Void) {
            listeners.append(listener)
            if let latest { listener(latest) }
        }

        public func stop() {
            subscription?.cancel()
            subscription = nil
            listeners = []
            isStale = true
        }

        public func share(_ listener: @escaping @MainActor @Sendable ([UInt8]) -> Void) -> Bool {
            guard Snapshot.self is any Relux.SharedSnapshot.Type else { return false }
            observe { snapshot in
                guard let shared = snapshot as? any Relux.SharedSnapshot, let bytes = try? CBOR.encode(shared)
                else { return }
                listener(bytes)
            }
            return true
        }

        public func accept(encoded: [UInt8], stale: Bool) {
            if stale, encoded.isEmpty {
                isStale = true
                return
            }
            guard let type = Snapshot.self as? any Relux.SharedSnapshot.Type,
                let snapshot = (try? CBOR.decode(type, from: encoded)) as? Snapshot
            else { return }
            publish(snapshot, stale: stale)
        }

        private func publish(_ snapshot: Snapshot, stale: Bool) {
            isStale = stale
            guard snapshot != latest else { return }
            latest = snapshot
            for listener in listeners { listener(snapshot) }
        }
    }
}

extension Relux.UI.StateRelay {
    /// The latest snapshot of a relay that was made from a provider, as the seed's views read it.
    ///
    /// - Precondition: the relay was made by `init(_:)`; one fed from the bus is read through ``latest``.
    public var value: Snapshot {
        guard let latest else {
            preconditionFailure("a relay fed from the bus has no value yet: read `latest`")
        }
        return latest
    }
}
