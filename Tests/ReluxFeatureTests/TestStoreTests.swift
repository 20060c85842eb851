import Glibc
import Relux
import ReluxFeature
import ReluxFeatureTestKit
import ReluxTestKit
import Testing

/// The test store fails for what it has to fail for.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct TestStoreTests {
    private let failures = Log<String>()

    private func store(_ player: Player) -> TestStore<Player.State, Player.Action> {
        TestStore(initialState: Player.State()) {
            player
        } report: { [failures] comment, _ in
            failures.add(comment.rawValue)
        }
    }

    @Test func `an issue that a feature reports fails the test`() async {
        let store = store(Player { _ in throw Player.Broken() })
        await store.send(.play)
        await store.finish()
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("playing threw Broken()") == true)
    }

    @Test func `an issue fails the test also with exhaustivity off`() async {
        let store = store(Player { _ in throw Player.Broken() })
        store.exhaustivity = .off
        await store.send(.play)
        await store.finish()
        #expect(failures.all.count == 1)
    }

    @Test func `an issue that comes up inside an effect fails the test`() async {
        let store = store(
            Player { _ in
                var cells: IdentifiedArrayOf<DownloadCell.State> = []
                cells[id: "a"] = DownloadCell.State(file: File(fileId: "b"))
            })
        await store.send(.play)
        await store.finish()
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("an element keeps its id") == true)
    }

    @Test func `a failure names the case that was expected`() async {
        let store = TestStore(initialState: DownloadList.State()) {
            DownloadList()
        } report: { [failures] comment, _ in
            failures.add(comment.rawValue)
        }
        await store.receive(\.files[id: "a"].delegate)
        await store.finish()
        #expect(failures.all.first?.contains(#"expected to receive \.files<Action><Delegate>, and did not"#) == true, "\(failures.all)")
    }

    @Test func `a default store fails the running test`() async {
        await withKnownIssue {
            let store = TestStore(initialState: Player.State()) { Player { _ in throw Player.Broken() } }
            await store.send(.play)
            await store.finish()
        } matching: {
            $0.comments.contains { $0.rawValue.contains("threw Broken()") }
        }
    }

    @Test func `what is sent after the end is asserted again`() async {
        var store: TestStore<Player.State, Player.Action>? = store(
            Player { send in await send(.heard(1)) })
        await store?.finish()
        await store?.send(.play)
        store = nil
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("went away") == true)
    }

    @Test func `an effect that is passed over goes on, and nobody asks for its end`() async {
        let gate = Gate()
        let store = store(
            Player { send in
                await gate.pass()
                await send(.heard(1))
            })
        await store.send(.play)
        await store.skipInFlightEffects()
        #expect(store.cancelledEffects.isEmpty)
        await store.finish()
        #expect(failures.all.isEmpty)
        gate.open()
        await store.receive(.heard(1)) { $0.heard = [1] }
        #expect(failures.all.isEmpty)
    }

    @Test func `an effect waits by the store's clock, which the test turns`() async throws {
        let store = store(
            Player { send in
                try await send.clock.sleep(.seconds(3600))
                await send(.heard(1))
                try await send.clock.sleep(.seconds(3600))
                await send(.heard(2))
            })
        await store.send(.play)
        for note in 1...2 {
            try await store.clock.waitForSleepers(1, dueWithin: .seconds(3600))
            store.clock.advance(by: .seconds(3600))
            await store.receive(.heard(note)) { $0.heard.append(note) }
        }
        await store.finish()
        #expect(failures.all.isEmpty)
        #expect(store.clock.now == .seconds(7200))
    }

    @Test func `an effect that runs at the end fails the test`() async {
        let store = store(Player { _ in try await Task.sleep(for: .seconds(600)) })
        await store.send(.play)
        await store.finish(timeout: .milliseconds(1))
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("1 effect(s) still ran") == true)
        await store.skipInFlightEffects()
        await store.finish()
        #expect(failures.all.count == 1)
    }

    @Test func `receive fails at once when nothing can send any more`() async {
        let store = store(Player { _ in })
        await store.send(.play)
        await store.receive(.heard(1))
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("no effect runs that could send it") == true)
        await store.finish()
    }

    @Test func `another action than the expected one is shown with its difference`() async {
        let store = store(Player { send in await send(.heard(1)) })
        await store.send(.play)
        await store.receive(.heard(2)) { $0.heard = [2] }
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("received .heard(1), expected .heard(2)") == true)
        await store.finish()
    }

    @Test func `an action that is sent over unasserted ones fails the test`() async {
        let store = store(Player { send in await send(.heard(1)) })
        let task = await store.send(.play)
        await task.finish()
        await store.send(.heard(2)) { $0.heard = [1, 2] }
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("1 received action is not asserted: .heard(1)") == true)
        await store.finish()
    }

    @Test func `a diff shows the elements of a collection`() async {
        let cells = [DownloadCell.State(file: File(fileId: "a")), DownloadCell.State(file: File(fileId: "b"))]
        let store = TestStore(initialState: DownloadList.State(files: IdentifiedArray(uniqueElements: cells))) {
            DownloadList()
        } report: { [failures] comment, _ in
            failures.add(comment.rawValue)
        }
        await store.send(.files(.element(id: "a", action: .progressed(3)))) { $0.files[id: "a"]?.progress = 4 }
        await store.finish()
        let lines = failures.all.first?.split(separator: "\n") ?? []
        #expect(lines.filter { $0.hasPrefix("- ") || $0.hasPrefix("+ ") }.count == 2, "\(failures.all)")
        #expect(lines.contains { $0.hasPrefix("- ") && $0.contains("progress: 4") })
        #expect(lines.contains { $0.hasPrefix("+ ") && $0.contains("progress: 3") })
    }

    @Test func `an effect that answers at once has answered when send returns`() async {
        let store = store(Player { send in await send(.heard(1)) })
        await store.send(.play)
        await store.send(.heard(2)) { $0.heard = [1, 2] }
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("1 received action is not asserted: .heard(1)") == true)
        await store.finish()
    }

    @Test func `an effect that computes is waited for when send returns`() async {
        let store = store(
            Player { send in
                // On a starved machine any other line may take as long.
                usleep(200_000)
                await send(.heard(1))
            })
        await store.send(.play)
        await store.send(.heard(2)) { $0.heard = [1, 2] }
        #expect(failures.all.first?.contains("1 received action is not asserted: .heard(1)") == true)
        await store.finish()
    }

    @Test func `in the closure the store's state is the one before`() async {
        let store = store(Player { send in await send(.heard(2)) })
        await store.send(.heard(1)) { $0.heard = store.state.heard + [1] }
        await store.send(.play)
        await store.receive(.heard(2)) { $0.heard = store.state.heard + [2] }
        #expect(failures.all.isEmpty)
        await store.finish()
    }

    @Test func `assert compares the state that stands`() async {
        let store = store(Player { _ in })
        await store.send(.heard(1)) { $0.heard = [1] }
        store.assert { $0.heard = [1] }
        #expect(failures.all.isEmpty)
        store.assert { $0.heard = [2] }
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("the state is not the expected one") == true)
        await store.finish()
    }

    @Test func `a part of a test is less strict, and names what it passes over`() async {
        let warnings = Log<String>()
        let store = TestStore(initialState: Player.State()) {
            Player { send in await send(.heard(2)) }
        } report: { [failures] comment, _ in
            failures.add(comment.rawValue)
        } warn: { comment, _ in
            warnings.add(comment.rawValue)
        }
        await store.withExhaustivity(.off(showSkippedAssertions: true)) {
            await store.send(.heard(1))
            await store.send(.play)
            await store.skipReceivedActions()
        }
        #expect(failures.all.isEmpty)
        #expect(warnings.all.count == 2, "\(warnings.all)")
        #expect(warnings.all.first?.contains("what changed after sending .heard(1)") == true)
        #expect(warnings.all.last == "skipped 1 received action(s): .heard(2)")
        store.withExhaustivity(.off) { #expect(store.exhaustivity == .off) }
        #expect(store.exhaustivity == .on)
        await store.finish()
    }

    @Test func `a task that does not end in its time fails the test, and can be cancelled`() async {
        let store = store(Player { _ in try await Task.sleep(for: .seconds(600)) })
        let task = await store.send(.play)
        await task.finish(timeout: .milliseconds(1))
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("effects of .play still run after 1ms") == true, "\(failures.all)")
        await task.cancel()
        await store.finish()
        #expect(failures.all.count == 1)
    }

    @Test func `actions are named by their paths`() async {
        let file = File(fileId: "a")
        let store: TestStoreOf<DownloadList> = TestStore(initialState: DownloadList.State(files: [DownloadCell.State(file: file)])) {
            DownloadList()
        }
        await store.send(\.files[id: "a"].delegate, .playFile(file)) { $0.playingFile = file }
        await store.send(\.files[id: "a"].progressed, 2) { $0.files[0].progress = 2 }
        await store.finish()
    }
}
