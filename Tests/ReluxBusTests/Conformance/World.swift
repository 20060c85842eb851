import Glibc
import Relux
@testable import ReluxBus
import ReluxPlugin
import ReluxZeroMQ
import Synchronization

/// Where the conformance suite runs: queues of this process, or sockets.
enum Medium: Sendable, CaseIterable { case inMemory, zeroMQ }

/// Answers effects by a closure.
final class Answering: Relux.Flow {
    let body: @Sendable (Shop.Business.Effect) async -> Relux.ActionResult
    init(body: @escaping @Sendable (Shop.Business.Effect) async -> Relux.ActionResult) { self.body = body }
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        guard let effect = effect as? Shop.Business.Effect else { return .success }
        return await body(effect)
    }
}

struct AnsweringModule: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
}

/// Hosts that share a medium, with the picture that a broker would send them.
final class World {
    struct Host {
        let id: HostID
        let address: String
        let endpoint: BusEndpoint
        let exchange: Relux.Exchange
        let snapshots: AsyncStream<(payload: [UInt8], stale: Bool)>
    }

    let medium: Medium
    let hub = InMemoryHub()
    private var context: ZeroMQContext?
    private let directory = "/tmp/relux-bus-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    private(set) var hosts: [String: Host] = [:]
    private var members: [ModuleID: ClusterPicture.Member] = [:]
    private var nodes: [ModuleID: Relux] = [:]
    private var version: UInt64 = 0

    init(_ medium: Medium) throws {
        self.medium = medium
        guard medium == .zeroMQ else { return }
        mkdir(directory, 0o700)
        context = try ZeroMQContext()
    }

    @discardableResult
    func start(_ name: String, queuedByteLimit: Int = 64 << 20, unsettledByteLimit: Int = 1 << 30) throws -> Host {
        let address = medium == .inMemory ? name : "ipc://\(directory)/\(name).x"
        let transport: any BusTransport =
            if let context {
                try ZeroMQTransport(context: context, endpoint: address, tapEndpoint: "ipc://\(directory)/\(name).t")
            } else {
                InMemoryTransport(hub: hub, endpoint: address)
            }
        let (snapshots, feed) = AsyncStream.makeStream(of: (payload: [UInt8], stale: Bool).self)
        let endpoint = BusEndpoint(
            host: HostID(rawValue: name), transport: transport, queuedByteLimit: queuedByteLimit,
            unsettledByteLimit: unsettledByteLimit, onSnapshot: { _, payload, stale in feed.yield((payload, stale)) })
        let exchange = Relux.Exchange(uplink: endpoint)
        try endpoint.start(exchange)
        let host = Host(id: HostID(rawValue: name), address: address, endpoint: endpoint, exchange: exchange, snapshots: snapshots)
        hosts[name] = host
        return host
    }

    @discardableResult
    func join(
        _ id: ModuleID, on name: String, handles: [Topic] = [], emits: [Topic] = [], provides: [Topic] = [],
        observes: [Topic] = [], isSerial: Bool = false, deadline: Duration = .seconds(30),
        types: [any Relux.Effect.Type] = [Shop.Business.Effect.self],
        _ body: (@Sendable (Shop.Business.Effect) async -> Relux.ActionResult)? = nil
    ) throws -> Relux {
        let host = hosts[name]!
        let node = Relux.clusterNode(for: id, on: host.exchange, deadline: deadline)
        let sagas: [any Relux.Saga] = body.map { [Answering(body: $0)] } ?? []
        try node.join(
            AnsweringModule(moduleID: id, sagas: sagas), position: 1 << 40, handles: Set(handles), emits: Set(emits),
            isSerial: isSerial)
        host.endpoint.join(
            ModuleDeclaration(
                id: id, version: "1.0.0", kind: .domain, handles: handles, emits: emits, provides: provides,
                observes: observes), epoch: Epoch(1), handling: types)
        node.openModule()
        nodes[id] = node
        members[id] = .init(
            module: id, epoch: Epoch(1), since: version + 1, handles: handles, emits: emits, provides: provides,
            observes: observes, host: host.id)
        return node
    }

    /// The broker has taken a module that no process runs yet.
    func declare(_ id: ModuleID, handles: [Topic]) {
        members[id] = .init(
            module: id, epoch: Epoch(1), since: version + 1, handles: handles, emits: [], provides: [], observes: [], host: nil)
    }

    /// Tells all hosts who is who now; `without` has no process any more.
    func publish(without gone: [ModuleID] = []) {
        for id in gone { members[id]?.host = nil }
        version += 1
        let picture = ClusterPicture(
            version: version, members: members.values.sorted { $0.module < $1.module },
            hosts: hosts.values.map { .init(id: $0.id, endpoint: $0.address, tapEndpoint: "") })
        for host in hosts.values { host.endpoint.apply(picture) }
    }

    /// The broker takes the module off its list.
    func remove(_ id: ModuleID) {
        members[id] = nil
        publish()
    }

    func stop() {
        for host in hosts.values { host.endpoint.stop() }
        context?.terminate()
    }
}

/// An event that tests wait for.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
