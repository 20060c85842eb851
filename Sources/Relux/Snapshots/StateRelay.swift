public import Observation
import ReluxWire

extension Relux.UI {
    /// The relay that consumers observe: the latest snapshot, equal values dropped, no gap.
    ///
    /// It subscribes before it reads the current value, so that an update in between is not missed.
    @MainActor
    @Observable
    public final class StateRelay<Snapshot: Relux.StateSnapshot>: Relux.StateRelaying {
        /// The latest snapshot.
        public private(set) var value: Snapshot
        /// True when the owner is gone: the value is the last one known.
        public private(set) var isStale = false
        public nonisolated var snapshotType: any Relux.StateSnapshot.Type { Snapshot.self }

        @ObservationIgnored private var subscription: Task<Void, Never>?
        @ObservationIgnored private var listeners: [@MainActor @Sendable (Snapshot) -> Void] = []

        /// Relays the provider's snapshots until `stop()`; the provider is kept alive by the stream alone.
        public init(_ provider: some SnapshotProviding<Snapshot>) {
            let stream = provider.snapshots
            value = provider.current
            subscription = Task { [weak self] in
                for await snapshot in stream {
                    // A value that was on its way when the relay was stopped comes too late.
                    guard let self, !Task.isCancelled else { return }
                    self.publish(snapshot, stale: false)
                }
                self?.isStale = true
            }
        }

        /// A relay that a ``RemoteRelay`` feeds.
        init(first value: Snapshot, stale: Bool) {
            self.value = value
            isStale = stale
        }

        deinit { subscription?.cancel() }

        /// Calls back with the current value at once and then with every change, in order.
        public func observe(_ listener: @escaping @MainActor @Sendable (Snapshot) -> Void) {
            listeners.append(listener)
            listener(value)
        }

        public func stop() {
            subscription?.cancel()
            subscription = nil
            listeners = []
            isStale = true
        }

        public func share(
            with coding: Relux.SnapshotCoding, _ listener: @escaping @MainActor @Sendable ([UInt8]) -> Void
        ) -> Bool {
            guard let type = Snapshot.self as? any Relux.SharedSnapshot.Type else { return false }
            let topic = type.wireTopic
            observe { snapshot in
                guard let shared = snapshot as? any Relux.SharedSnapshot else { return }
                do {
                    listener(try CBOR.encode(shared, userInfo: coding.userInfo))
                } catch {
                    coding.onFailure(topic, .coding("the snapshot \(topic) could not be encoded: \(error)"))
                }
            }
            return true
        }

        func publish(_ snapshot: Snapshot, stale: Bool) {
            isStale = stale
            guard snapshot != value else { return }
            value = snapshot
            for listener in listeners { listener(snapshot) }
        }

        func markStale() { isStale = true }
    }
}
