import ReluxFeatureTestKit
import Observation
import ReluxFeature
import Testing

/// Scenarios 58 to 64 of the seeds, sentence by sentence.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct DelegationScenarios {

    @Test func `Given a child that emits delegate(.didComplete), when sent, then the parent handles it after the child's own change, in the same drain`() async {
        var seen: [(ParentFeature.Action, ParentFeature.State)] = []
        let store = Store(initialState: ParentFeature.State(), didReduce: { seen.append(($0, $1)) }) { ParentFeature() }
        store.send(.child(.buttonTapped))
        #expect(seen.map(\.0) == [.child(.buttonTapped), .child(.delegate(.didComplete))])
        #expect(store.state.completions == [1], "the parent saw the child's change")
    }

    @Test func `observers see the state of a drain once`() async {
        let store = Store(initialState: ParentFeature.State()) { ParentFeature() }
        let changes = Log<Int>()
        withObservationTracking { _ = store.state } onChange: { changes.add(1) }
        store.send(.child(.buttonTapped))
        #expect(changes.all.count == 1)
        #expect(store.completions == [1])
    }

    @Test func `Given a cell's delegate(.fileDeleted(f)), then the parent's collection loses f and its effects are cancelled`() async {
        let (stream, feed) = AsyncStream.makeStream(of: Int.self)
        var list = FileListFeature()
        list.cell.download = { stream }
        let a = FileCellFeature.State(file: File(fileId: "a"))
        let b = FileCellFeature.State(file: File(fileId: "b"))
        let store = TestStore(initialState: FileListFeature.State(files: [a, b])) { list }
        await store.send(.files(.element(id: "a", action: .downloadTapped))) { $0.files[id: "a"]?.isBusy = true }
        feed.yield(40)
        await store.receive(.files(.element(id: "a", action: .progressed(40)))) { $0.files[id: "a"]?.progress = 40 }
        await store.send(.files(.element(id: "a", action: .deleteTapped)))
        await store.receive(.files(.element(id: "a", action: .delegate(.fileDeleted(a.file))))) {
            $0.files.remove(id: "a")
            $0.deletions = 1
        }
        // The download has ended although its source goes on.
        await store.finish()
        #expect(store.state.files.ids == ["b"])
    }

    @Test func `Given a delegate from an id no longer in the collection, then an issue is recorded, nothing crashes and the parent's own case still runs`() async {
        let issues = Log<FeatureIssue>()
        let store = Store(initialState: FileListFeature.State()) { FileListFeature() }
        FeatureIssue.$reporter.withValue({ issues.add($0) }) {
            _ = store.send(.files(.element(id: "gone", action: .delegate(.fileDeleted(File(fileId: "gone"))))))
        }
        #expect(store.state.deletions == 1)
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains("element gone") == true)
        #expect(issues.all.first?.message.contains(".delegate.fileDeleted") == true)
    }

    @Test func `Given grandchild → child → parent forwarding, then the recorded order is the three sends and only the last changes parent state`() async {
        var root = RootFeature.State()
        root.isAuthenticated = true
        root.main = MainFeature.State()
        let store = TestStore(initialState: root) { RootFeature() }
        await store.send(.main(.fileList(.loadFailed)))
        await store.receive(.main(.fileList(.delegate(.authenticationRequired))))
        await store.receive(.main(.delegate(.authenticationRequired)))
        await store.receive(.logout) {
            $0.isAuthenticated = false
            $0.main = nil
        }
        await store.finish()
    }

    @Test func `login completes: the root makes its main feature`() async {
        let store = TestStore(initialState: RootFeature.State()) { RootFeature() }
        await store.send(.login(.loginResponse(.success("token"))))
        await store.receive(\.login.delegate, .loginCompleted) {
            $0.isAuthenticated = true
            $0.main = MainFeature.State()
        }
        await store.finish()
    }

    @Test func `Given a test store, when a delegate is not asserted, then the test fails; with exhaustivity off it passes`() async {
        let failures = Log<String>()
        func run(_ exhaustivity: TestStore<ParentFeature.State, ParentFeature.Action>.Exhaustivity) async {
            let store = TestStore(initialState: ParentFeature.State()) {
                ParentFeature()
            } report: { comment, _ in
                failures.add(comment.rawValue)
            }
            store.exhaustivity = exhaustivity
            await store.send(.child(.buttonTapped)) { $0.child.taps = 1 }
            await store.finish()
        }
        await run(.on)
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains(".child(.delegate(.didComplete))") == true)
        await run(.off)
        #expect(failures.all.count == 1)
    }

    @Test func `Given an expected-state closure that changes nothing, then the test fails`() async {
        let failures = Log<String>()
        let store = TestStore(initialState: ParentFeature.State()) {
            ParentFeature()
        } report: { comment, _ in
            failures.add(comment.rawValue)
        }
        await store.send(.child(.delegate(.didComplete))) { $0.completions = [0] }
        await store.send(.child(.response(.success("")))) { $0.child.data = "" }
        await store.finish()
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("changed nothing") == true)
    }
}
