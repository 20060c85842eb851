import BusProbeKit
import Relux
import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct SnapshotRouterTests {
    private let exchange = Relux.Exchange()
    private let endpoint = BusEndpoint(host: "h", transport: InMemoryTransport(hub: InMemoryHub(), endpoint: "h"))
    private let failures = Recorder<String>()
    private let router: SnapshotRouter

    init() {
        let failures = failures
        router = SnapshotRouter { _, failure in failures.record(failure.code) }
    }

    private static func box(_ module: some Relux.Module, observing observed: [any Relux.SharedSnapshot.Type]) -> PluginBox {
        let declaration = ModuleDeclaration(
            id: module.moduleID, version: "1.0.0", kind: .domain, handles: [], emits: [], observes: observed.map { $0.wireTopic })
        return PluginBox(declaration: declaration, observes: observed) { module }
    }

    private func attach(_ module: some Relux.Module, sealer: (any Relux.SecretSealing)?) async throws -> Relux {
        let node = Relux.clusterNode(for: module.moduleID, on: exchange, sealer: sealer)
        try node.join(module, position: 0, handles: [], emits: [], isSerial: false)
        let box = Self.box(module, observing: module.relays.isEmpty ? [Vault.self] : [])
        try await router.attach(node, module, box, endpoint)
        return node
    }

    @Test func `an observer that comes to the owner's process later gets the current value, secrets and all`() async throws {
        let state = VaultState()
        _ = try await attach(VaultModule(moduleID: "Owner", relays: [Relux.UI.StateRelay(state)]), sealer: XORSealing())
        let node = try await attach(VaultModule(moduleID: "Observer", relays: []), sealer: XORSealing())
        let remote = try #require(node.store.getRemoteRelay(for: Vault.self))
        let seen = Recorder<String>()
        remote.observe { seen.record($0.code.reveal()) }
        #expect(try await seen.wait(count: 1) == ["1234"])
        #expect(node.store.getRelay(for: Vault.self)?.value.code.reveal() == "1234")
        #expect(failures.elements.isEmpty)
    }

    @Test func `an observer that comes later gets what the others here have heard of an owner elsewhere`() async throws {
        func latest(_ node: Relux) throws -> Relux.UI.RemoteRelay<Level> { try #require(node.store.getRemoteRelay(for: Level.self)) }
        func attach(_ id: ModuleID) async throws -> Relux {
            let module = VaultModule(moduleID: id, relays: [])
            let node = Relux.clusterNode(for: id, on: exchange)
            try node.join(module, position: 0, handles: [], emits: [], isSerial: false)
            let box = Self.box(module, observing: [Level.self])
            try await router.attach(node, module, box, endpoint)
            return node
        }
        let topic = try #require(Topic.snapshots(of: Level.wireTopic))
        let first = try await attach("First")
        let seen = Recorder<Int>()
        try latest(first).observe { seen.record($0.height) }
        router.accept(topic, try CBOR.encode(Level(height: 5)), stale: false)
        #expect(try await seen.wait(count: 1) == [5])
        router.accept(topic, [], stale: true)
        let late = try await attach("Late")
        let heard = Recorder<Int>()
        try latest(late).observe { heard.record($0.height) }
        #expect(try await heard.wait(count: 1) == [5])
        #expect(try latest(late).isStale)
        // Nobody keeps up with it when nobody observes it.
        await router.detach("First")
        await router.detach("Late")
        let last = try await attach("Last")
        #expect(try latest(last).latest == nil)
    }

    @Test func `a relay whose owner has not spoken is empty, and none for who asks for values`() async throws {
        let node = try await attach(VaultModule(moduleID: "Observer", relays: []), sealer: XORSealing())
        #expect(node.store.getRelay(for: Vault.self) == nil)
        #expect(node.store.getRemoteRelay(for: Vault.self)?.latest == nil)
        #expect(node.store.getRemoteRelay(for: Vault.self)?.isStale == true)
    }

    @Test func `a snapshot that cannot be coded is counted, and said once`() async throws {
        let state = VaultState()
        let relay = Relux.UI.StateRelay(state)
        _ = try await attach(VaultModule(moduleID: "Owner", relays: [relay]), sealer: nil)
        #expect(router.failures == 1)
        let seen = Recorder<String>()
        relay.observe { seen.record($0.code.reveal()) }
        state.set("9")
        try await seen.wait(count: 2)
        #expect(router.failures == 2)
        #expect(failures.elements == ["coding"])
    }
}

private struct Vault: Relux.SharedSnapshot {
    var code: Secret<String>
}

private struct Level: Relux.SharedSnapshot {
    var height: Int
}

private struct VaultModule: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga] = []
    let relays: [any Relux.StateRelaying]
}

@MainActor
private final class VaultState: SnapshotProviding {
    private(set) var current = Vault(code: "1234")
    private var readers: [AsyncStream<Vault>.Continuation] = []
    var snapshots: AsyncStream<Vault> {
        let (stream, continuation) = AsyncStream.makeStream(of: Vault.self)
        readers.append(continuation)
        return stream
    }
    func set(_ code: String) {
        current = Vault(code: Secret(code))
        for reader in readers { reader.yield(current) }
    }
}
