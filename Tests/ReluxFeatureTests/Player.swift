import ReluxFeature
import Synchronization

/// Notes what happens, from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry]>([])
    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
    var all: [Entry] { entries.withLock { $0 } }
}

/// A feature whose one effect does what the test says.
struct Player: Reducer {
    struct State: Equatable {
        var heard: [Int] = []
    }
    enum Action: Equatable, Sendable {
        case play
        case heard(Int)
    }
    struct Broken: Error {}

    var onPlay: (inout State) -> Void = { _ in }
    let work: @Sendable (Send<Action>) async throws -> Void

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .play:
                onPlay(&state)
                return .run(name: "playing", operation: work)
            case .heard(let note):
                state.heard.append(note)
                return .none
            }
        }
    }
}
