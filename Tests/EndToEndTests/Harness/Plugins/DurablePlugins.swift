import Foundation
import Glibc
import Relux
import ReluxControl
import ReluxWire

/// The domain Counter and two orchestrators that make it count, out of `Fixtures/Durable`; built and packed once per test process.
enum DurablePlugins {
    static let publishers = ["Alpha", "Beta"]

    /// The directory in which they lie.
    static func shared() async throws -> String {
        try await folder.path { try await pack() }
    }

    /// Where they were built, by the directory in which they lie.
    static func workshop(of packed: String) -> String { packed + "/../workshop" }

    /// Plays a story in a cluster of Counter and some of the publishers, which all write the same diary.
    ///
    /// - Parameters:
    ///   - packed: where they lie; nil for ``shared()``.
    ///   - hosts: of modules that do not have a process to themselves.
    static func play(
        _ publishers: [String], packed: String? = nil, hosts: [String: String] = [:], settings: [String] = quick, host: String? = nil,
        waitsUntilReady: Bool = true, _ story: (Cluster, Diary) async throws -> Void
    ) async throws {
        var source = packed
        if source == nil { source = try await shared() }
        print("configuration: \(settings.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " "))")
        try await Cluster.play(
            modules: ["Counter"] + publishers.map { "\($0)Orchestration" }, packed: source, hosts: hosts,
            environment: ["E2E_DIARY": "@/diary", "E2E_UNREPAIRED": "@/unrepaired"], settings: settings, host: host,
            waitsUntilReady: waitsUntilReady
        ) { try await story($0, Diary(path: $0.directory + "/diary")) }
    }

    /// Restarts without end and with hardly a delay: a story kills more in a minute than a default cluster would bear. And no await ends by its
    /// deadline: the books are about what is lost, not about how long a machine stands still.
    static let quick = [
        "dispatch:", "  deadline: 600s", "supervisor:", "  intensity: 1000", "  period: 1s", "  backoff:", "    base: 1ms", "    cap: 5ms",
    ]

    private static let folder = SharedFolder()

    private static func pack() async throws -> String {
        let directory = try SharedFolder.make("rxe-durable")
        let packed = directory + "/packed"
        let workshop = try PluginWorkshop(in: directory + "/workshop", packed: packed)
        let diary = ["Diary.swift": try fixture("Diary")]
        try await workshop.build("CounterReluxInt", ["Effect.swift": try fixture("CounterInterface")])
        try await workshop.build(
            "CounterReluxImpl", linking: ["CounterReluxInt"],
            diary.merging(["Module.swift": try fixture("Counter")]) { $1 })
        try await workshop.pack("CounterReluxImpl")
        for name in publishers {
            let text = try fixture("Series").replacingOccurrences(of: "SERIES", with: name)
            try await workshop.build(
                "\(name)Orchestration", linking: ["CounterReluxInt"], diary.merging(["Module.swift": text]) { $1 })
            try await workshop.pack("\(name)Orchestration")
        }
        return packed
    }

    static func fixture(_ name: String) throws -> String {
        try String(
            contentsOfFile: "\(Built.repository)/Tests/EndToEndTests/Fixtures/Durable/\(name).swift.txt", encoding: .utf8)
    }
}

/// The effects that the fixtures take and the totals that they give, in the same shape.
enum Counting {
    enum Effect: Codable {
        case add(publisher: String, run: Int, number: Int, pause: Int)
        case read
    }
    enum SeriesEffect: Codable {
        case emit(run: Int, count: Int, pause: Int)
    }
    struct Totals: Codable, Equatable {
        var count = 0
        var sum = 0
    }

    static let topic: Topic = "Counter.Business.Effect"

    /// Asks the state itself.
    static func totals(_ cluster: Cluster) async throws -> Totals {
        let payload = ByteString(try CBOR.encode(Effect.read))
        let answer = try await cluster.client.talk { try Client.emit(topic, payload, "read", .seconds(30), $0) }
        guard let outcome = answer.outcomes.first, outcome.status == .succeeded else {
            throw HarnessError("Counter does not answer: \(answer.outcomes.map { "\($0.recipient) \($0.status) \($0.message)" })")
        }
        return try CBOR.decode(Totals.self, from: outcome.value.bytes)
    }
}
