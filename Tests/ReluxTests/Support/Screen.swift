import Observation
import Relux

struct ScreenSnapshot: Relux.StateSnapshot {
    var count: Int
}

/// A hybrid state that offers snapshots to any number of readers.
@MainActor @Observable
final class Screen: Relux.HybridState, SnapshotProviding {
    private(set) var count = 0
    @ObservationIgnored private var readers: [AsyncStream<ScreenSnapshot>.Continuation] = []

    init() {}

    var current: ScreenSnapshot { ScreenSnapshot(count: count) }
    var snapshots: AsyncStream<ScreenSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: ScreenSnapshot.self)
        readers.append(continuation)
        return stream
    }

    func reduce(with action: any Relux.Action) async {
        if case .noted(let n)? = action as? Note { set(n) }
    }
    func cleanup() async { set(0) }

    func set(_ n: Int) {
        count = n
        for reader in readers { reader.yield(current) }
    }
    func end() { for reader in readers { reader.finish() } }
}

@MainActor
func screenModule(_ state: Screen) -> Plain {
    Plain("Screen", states: [state], relays: [Relux.UI.StateRelay(state)])
}
