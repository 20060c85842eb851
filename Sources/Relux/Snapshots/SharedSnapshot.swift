public import ReluxWire

extension Relux {
    /// An immutable picture of a state at one point in time: what an interface shows to consumers.
    public protocol StateSnapshot: Equatable, Sendable {}

    /// A snapshot that may cross processes.
    public protocol SharedSnapshot: StateSnapshot, WireCodable {
        /// The type's name on the bus; by default its path without the Swift module.
        static var wireTopic: Topic { get }
    }

    /// Holds the latest snapshot of one type for consumers; there is one relay for each snapshot type in a cluster.
    @MainActor
    public protocol StateRelaying: AnyObject, Sendable {
        /// The snapshot's type, by which the store finds the relay.
        nonisolated var snapshotType: any StateSnapshot.Type { get }
        /// Ends the subscription; the last value stays readable, marked stale.
        func stop()
        /// Registers a listener that gets the current value first and then every change, coded for the bus; false for
        /// a snapshot that is not shared.
        func share(
            with coding: SnapshotCoding, _ listener: @escaping @MainActor @Sendable ([UInt8]) -> Void
        ) -> Bool
    }

    /// A relay that the bus feeds.
    @MainActor
    package protocol RemoteRelaying: StateRelaying {
        /// The `StateRelay` for consumers; nil until the owner has spoken.
        var current: (any StateRelaying)? { get }
        /// Takes a value from the bus; no bytes and `stale` when the owner is gone.
        func accept(encoded: [UInt8], stale: Bool, with coding: SnapshotCoding)
    }

    public enum UI {}
}

extension Relux.SharedSnapshot {
    public static var wireTopic: Topic { Relux.topic(of: Self.self) }

    /// A relay of this type that the bus feeds.
    @MainActor
    package static func remoteRelay() -> any Relux.RemoteRelaying { Relux.UI.RemoteRelay<Self>() }
}

/// A state that emits snapshots of itself.
///
/// `snapshots` makes a new stream for each reader, and need not start with the current value.
@MainActor
public protocol SnapshotProviding<Snapshot>: AnyObject, Sendable {
    associatedtype Snapshot: Relux.StateSnapshot
    var current: Snapshot { get }
    var snapshots: AsyncStream<Snapshot> { get }
}
