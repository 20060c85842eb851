import AuthReluxImpl
import AuthReluxInt
import ErrorHandlingReluxImpl
import ErrorHandlingReluxInt
import NavigationReluxImpl
import NavigationReluxInt
import NotesReluxImpl
import NotesReluxInt
import ProfileReluxImpl
import ProfileReluxInt
import Relux
import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import SettingsReluxImpl
import SettingsReluxInt
import StartupOrchestrationImpl
import Testing

/// The start of the example, in one node and with the real services.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(2))) struct StartupStoryTests {
    let node: Relux
    let directory = TemporaryDirectory()

    init() async throws {
        let directory = directory.path
        let domains: [any Relux.Module] = [
            try Auth.Module(directory: directory + "/Auth"), try Profile.Module(directory: directory + "/Profile"),
            try Settings.Module(directory: directory + "/Settings"), try Notes.Module(directory: directory + "/Notes"),
        ]
        node = await Relux().register {
            ErrorHandling.Module(directory: directory + "/ErrorHandling")
            Navigation.Module()
            domains
            StartupOrchestration.Module()
        }
    }

    private func pages(until isReached: @escaping (Navigation.Business.Snapshot) -> Bool) async throws {
        let relay = try #require(node.store.getRelay(for: Navigation.Business.Snapshot.self))
        let (stream, continuation) = AsyncStream.makeStream(of: Navigation.Business.Snapshot.self)
        relay.observe { continuation.yield($0) }
        for await snapshot in stream where isReached(snapshot) { return }
    }

    @Test func `the migrations come first, then the onboarding until its signal, then the tip; the second time nothing of it`() async throws {
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "StartupOrchestration", epoch: 1, milliseconds: 1) }
        try await pages { $0.pages.last?.name == "onboarding" }
        let complete = Orchestration.Business.Request.complete(signal: "onboarding", owner: nil)
        // It shows its page before it waits.
        while await node.dispatcher.action(action: { complete }).value(Bool.self, from: "Settings") != true { await Task.yield() }
        try await pages { $0.pages.last?.name == "tip" }

        await node.dispatcher.actions { Navigation.Business.Effect.set(pages: [.init(domain: "app", name: "main")]) }
        // The first evaluation ends a moment after its last action; until then it is busy.
        let relay = try #require(node.store.getRelay(for: Navigation.Business.Snapshot.self))
        while relay.value.pages.last?.name != "tip" {
            await node.dispatcher.actions { StartupOrchestration.Effect.begin }
            await Task.yield()
        }
        #expect(await node.dispatcher.action { Orchestration.Business.Request.signals }.value([SignalState].self) == nil)
    }
}
