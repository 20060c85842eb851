public import Observation
import ReluxWire

extension Relux.UI {
    /// The relay of a snapshot whose owner is another module of the cluster.
    ///
    /// It is empty until the owner has spoken; from then on it has a ``StateRelay``, which the store hands out like that of a
    /// module of its own. So nobody can read a value that is not there.
    @MainActor
    @Observable
    public final class RemoteRelay<Snapshot: Relux.SharedSnapshot>: Relux.RemoteRelaying {
        /// Nil until the owner has spoken.
        public private(set) var relay: StateRelay<Snapshot>?
        public nonisolated var snapshotType: any Relux.StateSnapshot.Type { Snapshot.self }

        /// The latest snapshot; nil until the owner has spoken.
        public var latest: Snapshot? { relay?.value }
        /// True when the owner is gone or has not spoken yet.
        public var isStale: Bool { relay?.isStale ?? true }

        /// Those who came before the first value.
        @ObservationIgnored private var early: [@MainActor @Sendable (Snapshot) -> Void] = []

        package init() {}

        /// Calls back with the current value as soon as there is one and then with every change, in order.
        public func observe(_ listener: @escaping @MainActor @Sendable (Snapshot) -> Void) {
            if let relay { relay.observe(listener) } else { early.append(listener) }
        }

        public func stop() {
            early = []
            relay?.stop()
        }

        /// Nothing: what comes from elsewhere is not shared again.
        public func share(
            with coding: Relux.SnapshotCoding, _ listener: @escaping @MainActor @Sendable ([UInt8]) -> Void
        ) -> Bool { false }

        package var current: (any Relux.StateRelaying)? { relay }

        package func accept(encoded: [UInt8], stale: Bool, with coding: Relux.SnapshotCoding) {
            if stale, encoded.isEmpty {
                relay?.markStale()
                return
            }
            let snapshot: Snapshot
            do {
                snapshot = try CBOR.decode(Snapshot.self, from: encoded, userInfo: coding.userInfo)
            } catch {
                let topic = Snapshot.wireTopic
                return coding.onFailure(topic, .coding("the snapshot \(topic) could not be decoded: \(error)"))
            }
            if let relay { return relay.publish(snapshot, stale: stale) }
            let relay = StateRelay(first: snapshot, stale: stale)
            self.relay = relay
            for listener in early { relay.observe(listener) }
            early = []
        }
    }
}
