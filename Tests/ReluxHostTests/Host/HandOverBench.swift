import BusProbeKit
import Glibc
import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
import ReluxTestKit
import ReluxZeroMQ
import Synchronization

/// A total that is a bare number.
actor FirstTally: Relux.RestorableState {
    static let storedName = "Tally"
    private(set) var stored = 0
    func restore(_ stored: Int) { self.stored = stored }
    func reduce(with action: any Relux.Action) { if let effect = action as? any NumberedEffect { stored += effect.number } }
}

/// The same in a later build: it is checked, and may be told as the bare number when it is even.
actor SecondTally: Relux.RestorableState {
    struct Stored: Codable, Sendable { var total: Int; var isChecked: Bool }
    static let storedName = "Tally"
    static let storedVersion: UInt32 = 2
    static let olderVersions: [UInt32] = [1]
    private(set) var stored = Stored(total: 0, isChecked: true)
    func restore(_ stored: Stored) { self.stored = stored }
    func reduce(with action: any Relux.Action) { if let effect = action as? any NumberedEffect { stored.total += effect.number } }
    static func migrate(_ older: Relux.StoredValue) throws -> Stored { Stored(total: try older.decode(Int.self), isChecked: false) }
    static func older(_ stored: Stored, version: UInt32) throws -> any Encodable & Sendable {
        guard stored.total % 2 == 0 else { throw Odd() }
        return stored.total
    }
    struct Odd: Error {}
}

/// Answers each effect with the total.
actor Telling: Relux.Flow {
    private let total: @Sendable () async -> Int
    init(_ total: @escaping @Sendable () async -> Int) { self.total = total }
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult { .success(await total()) }
}

struct Tallying: Relux.Module {
    let moduleID: ModuleID = "Shop"
    let states: [any Relux.AnyState]
    let sagas: [any Relux.Saga]

    static func box(_ version: String, _ make: @escaping @MainActor @Sendable () throws -> Tallying) -> PluginBox {
        PluginBox(
            declaration: ModuleDeclaration(id: "Shop", version: version, kind: .domain, handles: [Domain.shop.topic], emits: []),
            handles: [Domain.shop.type]
        ) { try make() }
    }
    static let first = box("1.0.0") {
        let state = FirstTally()
        return Tallying(states: [state], sagas: [Telling { await state.stored }])
    }
    static let second = box("2.0.0") {
        let state = SecondTally()
        return Tallying(states: [state], sagas: [Telling { await state.stored.total }])
    }
}

/// Two hosts that a test's broker tells what to do, and a third one with a publisher, over real sockets and journals.
final class HandOverBench: Sendable {
    private let directory = TemporaryDirectory(isMade: true)
    let run: RunDirectory
    let broker: OrderingBroker
    private let context: ZeroMQContext
    let buyer: ProbeHost
    private let state = Mutex(State())

    private struct State {
        var version: UInt64 = 0
        var owner: (host: HostID, epoch: UInt64) = ("old", 1)
        var standby: HostID?
        var runtimes: [HostID: (runtime: HostRuntime, task: Task<HostEnd, any Error>)] = [:]
    }

    init() throws {
        run = RunDirectory(path: directory.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        broker = try OrderingBroker(run)
        context = try ZeroMQContext()
        buyer = try ProbeHost(
            "buyer",
            transport: ZeroMQTransport(context: context, endpoint: run.endpoint(of: "buyer"), tapEndpoint: run.tapEndpoint(of: "buyer")),
            journals: FileJournals(in: run.journals), onEvent: { _ in })
    }

    /// A test's body, with `Shop` at the host `old`.
    static func play(
        _ first: PluginBox = Tallying.first, neighbour: PluginBox? = nil, _ body: (HandOverBench) async throws -> Void
    ) async throws {
        let bench = try HandOverBench()
        do {
            try await bench.begin(first, neighbour: neighbour)
            try await body(bench)
        } catch {
            try? await bench.stop()
            throw error
        }
        try await bench.stop()
    }

    /// - Parameter neighbour: is loaded there too, and has no epoch: the process goes on without the other one.
    func start(_ host: HostID, _ box: PluginBox, refusalLimit: Duration? = nil, neighbour: PluginBox? = nil) async throws {
        var configuration = HostConfiguration(host: host, run: run, plugins: [])
        if let refusalLimit { configuration.refusalLimit = refusalLimit }
        let runtime = try HostRuntime(configuration: configuration)
        let task = Task { try await runtime.run(linked: [box] + (neighbour.map { [$0] } ?? [])) }
        state.withLock { $0.runtimes[host] = (runtime, task) }
        try await broker.heard.wait(for: "the hello of \(host)") { $0.connections[host] != nil }
    }

    /// The publisher, and the module at the host `old` in its first epoch.
    func begin(_ box: PluginBox, neighbour: PluginBox? = nil) async throws {
        var member = Member(id: "Buyer", deadlineMilliseconds: 60_000)
        member.emits = [.shop]
        _ = try await buyer.perform(.join(member))
        try await start("old", box, neighbour: neighbour)
        broker.tell("old", .welcome(epochs: ["Shop": Epoch(1)], picture: picture()))
        try await tellBuyer()
        try await open("Shop", at: "old")
    }

    /// A host that stands by for the module.
    func standBy(_ host: HostID, _ box: PluginBox) async throws {
        try await start(host, box)
        state.withLock { $0.standby = host }
        broker.tell(host, .welcome(epochs: [:], picture: picture()))
        broker.tell(host, .standby(module: "Shop"))
        try await tell()
        try await broker.module("Shop", in: host, is: .standby)
    }

    func handOver(from host: HostID, older: [String: UInt32] = [:], count: Int = 1) async throws {
        broker.tell(host, .handOver(module: "Shop", older: older))
        try await broker.module("Shop", in: host, is: .standby, count: count)
    }

    /// The next epoch is served there.
    func serve(at host: HostID) async throws {
        broker.tell(host, .serve(module: "Shop", epoch: nextEpoch(at: host)))
        try await tell()
    }

    /// The same by a broker that was away, and believes that the host does it already.
    func adopt(at host: HostID) async throws {
        broker.tell(host, .welcome(epochs: ["Shop": nextEpoch(at: host)], picture: picture()))
        try await tell()
    }

    /// A broker that takes the module for served there under that epoch.
    func welcome(_ host: HostID, under epoch: Epoch) { broker.tell(host, .welcome(epochs: ["Shop": epoch], picture: picture())) }

    private func nextEpoch(at host: HostID) -> Epoch {
        state.withLock { state in
            state.owner = (host, state.owner.epoch + 1)
            return Epoch(state.owner.epoch)
        }
    }

    /// Whether what the module says is not accepted yet.
    func isHeld(_ module: ModuleID, at host: HostID) async -> Bool? {
        runtime(of: host)?.endpoint.endpoint.withLock { $0.core.isHeld(module) }
    }

    /// The words of hosts so far count no more, for ``open(_:at:count:waits:)`` and the like.
    func forgetWhatWasSaid() { broker.heard.update { $0.said = [] } }

    func runtime(of host: HostID) -> HostRuntime? { state.withLock { $0.runtimes[host]?.runtime } }

    /// - Parameter waits: how often it has said that it waits.
    func open(_ module: ModuleID, at host: HostID, count: Int = 1, waits: Int? = nil) async throws {
        try await broker.module(module, in: host, is: .waiting, count: waits ?? count)
        broker.tell(host, .proceed(module: module))
        try await broker.module(module, in: host, is: .ready, count: count)
    }

    /// The total that the module answers with.
    func buy(_ number: Int) async throws -> Int? {
        guard case .answer(let answer) = try await buyer.perform(.say(.shop, number, padding: 0, by: "Buyer")) else { return nil }
        return answer.value(from: "Shop")
    }

    private func tell() async throws {
        let hosts = state.withLock { Array($0.runtimes.keys) }
        let picture = picture()
        for host in hosts { broker.tell(host, .picture(picture)) }
        _ = try await buyer.perform(.apply(picture))
    }
    private func tellBuyer() async throws { _ = try await buyer.perform(.apply(picture())) }

    private func picture() -> ClusterPicture {
        state.withLock { state in
            state.version += 1
            let members = [
                ClusterPicture.Member(
                    module: "Buyer", epoch: Epoch(1), handles: [], emits: [Domain.shop.topic], provides: [], observes: [], host: "buyer"),
                ClusterPicture.Member(
                    module: "Shop", epoch: Epoch(state.owner.epoch), handles: [Domain.shop.topic], emits: [], provides: [], observes: [],
                    host: state.owner.host, standby: state.standby),
            ]
            let hosts = (["buyer"] + state.runtimes.keys).map {
                ClusterPicture.Host(id: $0, endpoint: run.endpoint(of: $0.rawValue), tapEndpoint: "")
            }
            return ClusterPicture(version: state.version, members: members, hosts: hosts.sorted { $0.id < $1.id })
        }
    }

    /// How the host has ended; nil when there is none of that name.
    func ended(_ host: HostID) async throws -> HostEnd? {
        guard let task = state.withLock({ $0.runtimes.removeValue(forKey: host)?.task }) else { return nil }
        return try await task.value
    }

    func stop() async throws {
        for (_, entry) in state.withLock({ $0.runtimes }) {
            entry.runtime.requestEnd()
            _ = try await entry.task.value
        }
        buyer.stop()
        broker.stop()
        context.terminate()
    }
}
