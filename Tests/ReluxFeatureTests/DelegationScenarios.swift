import ReluxFeatureTestKit
import ReluxFeature
import Testing

/// Scenarios 59 and 60 of the seeds, sentence by sentence; 58, 61, 63 and 64 run with the seed's own features, in SeedTests.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct DelegationScenarios {

    @Test func `Given a cell's delegate(.fileDeleted(f)), then the parent's collection loses f and its effects are cancelled`() async {
        let (stream, feed) = AsyncStream.makeStream(of: Int.self)
        var list = DownloadList()
        list.cell.download = { stream }
        let a = DownloadCell.State(file: File(fileId: "a"))
        let b = DownloadCell.State(file: File(fileId: "b"))
        let store = TestStore(initialState: DownloadList.State(files: [a, b])) { list }
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
        let store = Store(initialState: DownloadList.State()) { DownloadList() }
        FeatureIssue.$reporter.withValue({ issues.add($0) }) {
            _ = store.send(.files(.element(id: "gone", action: .delegate(.fileDeleted(File(fileId: "gone"))))))
        }
        #expect(store.state.deletions == 1)
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains("element gone") == true)
        #expect(issues.all.first?.message.contains(".delegate.fileDeleted") == true)
    }
}
