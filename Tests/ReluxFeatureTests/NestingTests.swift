import ReluxFeature
import ReluxFeatureTestKit
import ReluxTestKit
import Testing

/// A shelf of file lists: a collection of features inside a collection of features.
private struct Shelf: Reducer {
    struct Box: Reducer {
        struct State: Equatable, Identifiable {
            var id: Int
            var list = DownloadList.State()
        }
        enum Action: Equatable, CasePathable {
            case list(DownloadList.Action)
            struct Cases: Sendable {
                let list = CasePath(Action.list) { if case .list(let action) = $0 { action } else { nil } }
            }
            static let cases = Cases()
        }
        var list = DownloadList()
        var body: some ReducerOf<Self> {
            Scope(state: \.list, action: \.list) { list }
        }
    }
    struct State: Equatable {
        var boxes: IdentifiedArrayOf<Box.State> = []
    }
    enum Action: Equatable, CasePathable {
        case boxes(IdentifiedActionOf<Box>)
        case remove(Int)
        struct Cases: Sendable {
            let boxes = CasePath(Action.boxes) { if case .boxes(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()
    }

    var box = Box()

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            if case .remove(let id) = action { state.boxes.remove(id: id) }
            return .none
        }
        .forEach(\.boxes, action: \.boxes) { box }
    }

    static func boxes(_ ids: Int...) -> State {
        State(
            boxes: IdentifiedArray(
                uniqueElements: ids.map { Box.State(id: $0, list: .init(files: [.init(file: File(fileId: "a")), .init(file: File(fileId: "b"))])) }))
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1))) struct NestingTests {
    @Test func `an element of an element is reached, and its delegates reach its own parent alone`() async {
        let store = TestStore(initialState: Shelf.boxes(1, 2)) { Shelf() }
        await store.send(.boxes(.element(id: 1, action: .list(.files(.element(id: "a", action: .deleteTapped))))))
        await store.receive(\.boxes[id: 1].list.files[id: "a"].delegate, .fileDeleted(File(fileId: "a"))) {
            $0.boxes[id: 1]?.list.files.remove(id: "a")
            $0.boxes[id: 1]?.list.deletions = 1
        }
        await store.finish()
        #expect(store.state.boxes[id: 2]?.list.files.ids == ["a", "b"])
    }

    @Test func `an element that leaves takes along what its own elements run, and nothing of its neighbours`() async {
        let (feeds, streams) = (Log<AsyncStream<Int>.Continuation>(), Log<Int>())
        var shelf = Shelf()
        shelf.box.list.cell.download = {
            let (stream, feed) = AsyncStream.makeStream(of: Int.self)
            feeds.add(feed)
            streams.add(1)
            return stream
        }
        let store = TestStore(initialState: Shelf.boxes(1, 2)) { shelf }
        for id in [1, 2] {
            await store.send(.boxes(.element(id: id, action: .list(.files(.element(id: "a", action: .downloadTapped)))))) {
                $0.boxes[id: id]?.list.files[id: "a"]?.isBusy = true
            }
        }
        await store.send(.remove(1)) { $0.boxes.remove(id: 1) }
        while feeds.all.count < 2 { await Task.yield() }
        for feed in feeds.all {
            feed.yield(7)
            feed.finish()
        }
        await store.receive(\.boxes[id: 2].list.files[id: "a"].progressed, 7) { $0.boxes[id: 2]?.list.files[id: "a"]?.progress = 7 }
        await store.finish()
    }

    @Test func `a case path of an element reads only that element's actions`() {
        typealias Action = DownloadList.Action
        let path: CaseKeyPath<Action, DownloadCell.Action.Delegate> = \.files[id: "a"].delegate
        let file = File(fileId: "a")
        #expect(Action.files(.element(id: "a", action: .delegate(.playFile(file))))[case: path] == .playFile(file))
        #expect(!Action.files(.element(id: "b", action: .delegate(.playFile(file)))).is(path))
        #expect(Action.cases[keyPath: path].embed(.playFile(file)) == .files(.element(id: "a", action: .delegate(.playFile(file)))))
    }

    @Test func `a child that is taken away takes its effects along`() async {
        let began = Signal("the child's effect")
        let (_, store) = Self.home {
            Player { _ in
                began.fire()
                try await Task.sleep(for: .seconds(600))
            }
        }
        await store.send(.player(.play))
        await #expect(throws: Never.self) { try await began.wait() }
        await store.send(.swap(nil)) { $0.player = nil }
        await store.finish()
    }

    @Test func `another child in its place does not inherit its effects, the same child keeps them`() async {
        let gate = Gate()
        let (_, store) = Self.home {
            Player { send in
                await gate.pass()
                await send(.heard(1))
            }
        }
        await store.send(.player(.play))
        await store.send(.swap(1)) { $0.swaps = 1 }
        gate.open()
        await store.receive(\.player, .heard(1)) { $0.player?.base.heard = [1] }
        let closed = Gate()
        let (_, other) = Self.home {
            Player { send in
                await closed.pass()
                await send(.heard(1))
            }
        }
        await other.send(.player(.play))
        await other.send(.swap(2)) {
            $0.player = .init(id: 2)
            $0.swaps = 1
        }
        closed.open()
        await other.finish()
        await store.finish()
    }

    @Test func `an action for a child that is not there is reported with its name, and reaches the parent`() async {
        let (issues, store) = Self.home { Player { _ in } }
        await store.send(.swap(nil)) { $0.player = nil }
        await withKnownIssue {
            await store.send(.player(.heard(1))) { $0.forChild = 1 }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains(".heard") && $0.rawValue.contains("while there was none") }
        }
        await store.finish()
        _ = issues
    }

    private static func home(_ player: () -> Player) -> (Log<FeatureIssue>, TestStore<Home.State, Home.Action>) {
        let player = player()
        return (Log(), TestStore(initialState: Home.State()) { Home(player: player) })
    }
}

/// A home with one player, or none.
private struct Home: Reducer {
    struct Child: Equatable, Identifiable {
        var id = 1
        var base = Player.State()
    }
    struct State: Equatable {
        var player: Child? = Child()
        var forChild = 0
        var swaps = 0
    }
    enum Action: Equatable, CasePathable {
        case player(Player.Action)
        /// Another child with that id, the same child, or none.
        case swap(Int?)
        struct Cases: Sendable {
            let player = CasePath(Action.player) { if case .player(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()
    }
    let player: Player
    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .player(.heard) where state.player == nil: state.forChild += 1
            case .player: break
            case .swap(nil): state.player = nil
            case .swap(let id?):
                state.swaps += 1
                if state.player?.id != id { state.player = Child(id: id) }
            }
            return .none
        }
        .ifLet(\.player, action: \.player) {
            Reduce { state, action in player.reduce(into: &state.base, action: action) }
        }
    }
}
