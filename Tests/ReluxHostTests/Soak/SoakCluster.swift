import Glibc
import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxJournal
import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import SoakKit
import Synchronization

/// Answers every effect.
private struct Hearing: Relux.Plugin {
    static let moduleID: ModuleID = "Hearer"
    static let handles: [any Relux.Effect.Type]? = SoakTopics.types
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga] = [Answering()]

    private actor Answering: Relux.Flow {
        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult { .success }
    }
}

/// Says what the test has it say.
private struct Saying: Relux.Plugin {
    static let moduleID: ModuleID = "Sayer"
    static let emits: [any Relux.Effect.Type]? = SoakTopics.types
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga] = []
}

/// Two hosts as production has them, over real sockets and journals: one with a publisher of a thousand topics, one with their recipient.
final class SoakCluster: Sendable {
    private let directory = TemporaryDirectory(isMade: true)
    let run: RunDirectory
    let runtimes: [HostRuntime]
    let dispatcher: Relux.Dispatcher
    private let broker: OrderingBroker
    private let tasks: [Task<HostEnd, any Error>]

    init() async throws {
        let run = RunDirectory(path: directory.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        let broker = try OrderingBroker(run)
        let boxes: [(host: HostID, box: PluginBox)] = [
            ("sayer", PluginBox(Saying.self)),
            ("hearer", PluginBox(Hearing.self)),
        ]
        let speaker = Watched<Relux.Dispatcher?>(nil)
        var (runtimes, tasks): ([HostRuntime], [Task<HostEnd, any Error>]) = ([], [])
        for (host, box) in boxes {
            var configuration = HostConfiguration(host: host, run: run, plugins: [])
            // One mebibyte of what everybody has settled is kept, so that a soak of some seconds comes to the end of it.
            configuration.journal.retention.byteCount = 1 << 20
            let runtime = try HostRuntime(configuration: configuration) { module, dispatcher in
                if module == "Sayer" { speaker.update { $0 = dispatcher } }
            }
            runtimes.append(runtime)
            tasks.append(Task { try await runtime.run(linked: [box]) })
            try await broker.heard.wait(for: "the hello of \(host)") { $0.connections[host] != nil }
        }
        let picture = ClusterPicture(
            version: 1,
            members: boxes.map { host, box in
                .init(
                    module: box.declaration.id, epoch: Epoch(1), handles: box.declaration.handles, emits: box.declaration.emits, provides: [],
                    observes: [], host: host)
            },
            hosts: boxes.map { .init(id: $0.host, endpoint: run.endpoint(of: $0.host.rawValue), tapEndpoint: "") })
        for (host, box) in boxes { broker.tell(host, .welcome(epochs: [box.declaration.id: Epoch(1)], picture: picture)) }
        for (host, box) in boxes {
            try await broker.module(box.declaration.id, in: host, is: .waiting)
            broker.tell(host, .proceed(module: box.declaration.id))
        }
        try await speaker.wait(for: "the publisher to be ready") { $0 != nil }
        try await broker.module("Hearer", in: "hearer", is: .ready)
        guard let dispatcher = speaker.value else { throw HostSilent() }
        (self.run, self.broker, self.runtimes, self.tasks, self.dispatcher) = (run, broker, runtimes, tasks, dispatcher)
    }

    struct HostSilent: Error {}
    struct Unanswered: Error { var result: String }

    /// An effect of the next topic, answered by the recipient in the other host.
    func say(_ number: Int) async throws {
        let effect = SoakTopics.types[number % SoakTopics.types.count].make(number)
        let result = await dispatcher.actions { effect }
        guard result.isSuccess else { throw Unanswered(result: "\(result)") }
        forget()
    }

    /// A tenth of a second, without waiting for it.
    func tick() async {
        for runtime in runtimes {
            runtime.onTick.run()
            _ = await runtime.take(.tick)
        }
    }

    /// The test's own notes.
    func forget() { broker.heard.update { $0.said = [] } }

    /// The census of the hosts' tables.
    func census() async -> Census {
        var tables: [String: Any] = [:]
        for runtime in runtimes {
            let host = runtime.configuration.host.rawValue
            // The latest settlements are acknowledged some times a second.
            while runtime.endpoint.endpoint.withLock({ $0.core.locals.values.contains { !$0.ledger.isSettled } }) { usleep(10_000) }
            tables["\(host).core"] = runtime.endpoint.endpoint.withLock { $0.core }
            tables["\(host).runtime"] = await runtime.tables
        }
        return Census(tables)
    }

    func stop() async throws {
        for runtime in runtimes { runtime.requestEnd() }
        for task in tasks { _ = try await task.value }
        broker.stop()
    }
}

extension HostRuntime {
    /// By name.
    fileprivate var tables: [String: [String]] {
        [
            "modules": machine.modules.keys.map(\.rawValue), "refusals": machine.refusals.map(\.code), "lastEpochs": machine.lastEpochs.keys.map(\.rawValue),
            "turns": machine.turns.map { "\($0)" }, "served": served.keys.map(\.rawValue), "counters": told.counters.keys.map(\.rawValue),
            "lastTables": openings.tables.keys.map(\.rawValue), "followers": openings.followers.keys.map(\.rawValue), "boxes": boxes.keys.map(\.rawValue),
        ]
    }
}
