import Glibc
import Relux
import ReluxControl
@testable import ReluxHost
import ReluxJournal
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

private enum Errand: Relux.Effect { case run }
private enum Favour: Relux.Effect { case asked }

/// Asks a module of another process for each effect.
private struct Errands: Relux.Plugin {
    static let moduleID: ModuleID = "Errands"
    static var handles: [any Relux.Effect.Type]? { [Errand.self] }
    static var emits: [any Relux.Effect.Type]? { [Errand.self, Favour.self] }
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga] = [Asking()]

    private actor Asking: Relux.Flow {
        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult { await actions { Favour.asked } }
    }

    static let box = PluginBox(Errands.self)
}

/// A host that ends while others do.
@Suite(.timeLimit(.minutes(1))) struct EndingHostTests {
    private let directory = TemporaryDirectory()

    /// With a key.
    private func runDirectory() throws -> RunDirectory {
        let run = RunDirectory(path: directory.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        return run
    }

    private func picture(_ version: UInt64, far: HostID?, in run: RunDirectory) -> ClusterPicture {
        func member(_ id: ModuleID, _ types: [any Relux.Effect.Type], emits: [any Relux.Effect.Type], _ host: HostID?) -> ClusterPicture.Member {
            .init(
                module: id, epoch: Epoch(1), handles: types.map { $0.wireTopic }, emits: emits.map { $0.wireTopic }, provides: [], observes: [],
                host: host)
        }
        // Where the other one is nobody is told: it would have to answer.
        return ClusterPicture(
            version: version,
            members: [member("Errands", [Errand.self], emits: [Errand.self, Favour.self], "near"), member("Far", [Favour.self], emits: [], far)],
            hosts: [.init(id: "near", endpoint: run.endpoint(of: "near"), tapEndpoint: "")])
    }

    @Test func `a handler that waits for a module is let go when that one loses its process meanwhile`() async throws {
        let run = try runDirectory()
        let broker = try OrderingBroker(run)
        defer { broker.stop() }
        var configuration = HostConfiguration(host: "near", run: run, plugins: [], hearingPatience: .milliseconds(10))
        // Longer than a test may take.
        configuration.drainLimit = .seconds(90)
        let runtime = try HostRuntime(configuration: configuration) { _, dispatcher in dispatcher.performAsync { Errand.run } }
        let end = Task { try await runtime.run(linked: [Errands.box]) }
        try await broker.heard.wait(for: "the hello") { $0.connections["near"] != nil }
        broker.tell("near", .welcome(epochs: ["Errands": Epoch(1)], picture: picture(1, far: "far", in: run)))
        try await broker.module("Errands", in: "near", is: .waiting)
        broker.tell("near", .proceed(module: "Errands"))
        try await broker.module("Errands", in: "near", is: .ready)
        try await broker.heard.wait(for: "the question") { heard in
            heard.said.contains { if case .counters(let counters) = $0.message { counters["Errands"]?.emitted == 2 } else { false } }
        }
        runtime.requestEnd()
        try await broker.module("Errands", in: "near", is: .draining)
        broker.tell("near", .picture(picture(2, far: nil, in: run)))
        _ = try await end.value
    }

    @Test(arguments: [5, 7]) func `a module is not made under an epoch that another process has written under, and asks for the next one`(written: UInt64) async throws {
        let run = try runDirectory()
        // A process that is gone, under a broker whose registry nobody has any more.
        var earlier = try JournalEnvironment.live()
        earlier.processID += 1
        try JournalWriter(directory: run.journal(of: "Errands"), module: "Errands", epoch: Epoch(written), environment: earlier).close()
        let broker = try OrderingBroker(run)
        defer { broker.stop() }
        let configuration = HostConfiguration(host: "near", run: run, plugins: [], hearingPatience: .milliseconds(10))
        let runtime = try HostRuntime(configuration: configuration) { _, _ in }
        let end = Task { try await runtime.run(linked: [Errands.box]) }
        try await broker.heard.wait(for: "the hello") { $0.connections["near"] != nil }
        broker.tell("near", .welcome(epochs: ["Errands": Epoch(5)], picture: picture(1, far: nil, in: run)))
        try await broker.heard.wait(for: "its word of the journal") { heard in
            heard.said.contains { if case .outlived(module: "Errands", by: Epoch(written)) = $0.message { true } else { false } }
        }
        broker.tell("near", .welcome(epochs: ["Errands": Epoch(written + 1)], picture: picture(2, far: nil, in: run)))
        try await broker.module("Errands", in: "near", is: .waiting)
        broker.tell("near", .proceed(module: "Errands"))
        try await broker.module("Errands", in: "near", is: .ready)
        #expect(broker.heard.value.refusals("near").isEmpty)
        runtime.requestEnd()
        _ = try await end.value
    }
}
