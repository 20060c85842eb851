internal import Synchronization

/// The readers of a state's snapshots, for ``SnapshotProviding/snapshots``. A slow reader gets the newest one, and holds nobody up.
///
/// ```swift
/// private let readers = Snapshots<Snapshot>()
/// var snapshots: AsyncStream<Snapshot> { readers.stream() }
/// private func publish() { readers.publish(current) }
/// ```
public final class Snapshots<Snapshot: Relux.StateSnapshot>: Sendable {
    private let readers = Mutex<[AsyncStream<Snapshot>.Continuation]>([])

    public init() {}

    deinit { for reader in readers.withLock({ $0 }) { reader.finish() } }

    /// A stream for one more reader, until it or the reader goes.
    ///
    /// - Parameter first: what it begins with; nil for the next one that is published.
    public func stream(from first: Snapshot? = nil) -> AsyncStream<Snapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
        if let first { continuation.yield(first) }
        readers.withLock { $0.append(continuation) }
        return stream
    }

    /// Gives it to every reader.
    public func publish(_ snapshot: Snapshot) {
        readers.withLock { $0.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } } }
    }
}
