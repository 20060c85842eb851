import Relux

/// The one snapshot type that scripted members share.
package struct Count: Relux.SharedSnapshot {
    package var number: Int
}

/// The state behind it.
@MainActor
final class Counter: SnapshotProviding {
    private(set) var current = Count(number: 0)
    private var readers: [AsyncStream<Count>.Continuation] = []

    nonisolated init() {}

    var snapshots: AsyncStream<Count> {
        let (stream, reader) = AsyncStream.makeStream(of: Count.self)
        readers.append(reader)
        return stream
    }

    func show(_ number: Int) {
        current = Count(number: number)
        for reader in readers { reader.yield(current) }
    }
}
