import Relux
import ReluxBus
import ReluxPlugin
import Synchronization

/// Carries snapshots between the relays of this process's modules and the bus.
final class SnapshotRouter: Sendable {
    private struct Route: Sendable {
        var node: Relux
        var observes: Set<Topic>
        var relays: [any Relux.StateRelaying]
    }
    private let routes = Mutex<[ModuleID: Route]>([:])

    /// Shares the module's own relays and adds one for each snapshot that it observes.
    func attach(_ node: Relux, _ module: any Relux.Module, _ box: PluginBox, _ endpoint: BusEndpoint) async throws {
        let remote = await MainActor.run { box.observes.map { $0.remoteRelay() } }
        try node.add(relays: remote)
        let id = node.name
        routes.withLock {
            $0[id] = Route(
                node: node, observes: Set(box.observes.map { $0.wireTopic }), relays: remote + module.relays)
        }
        for relay in module.relays {
            guard let type = relay.snapshotType as? any Relux.SharedSnapshot.Type else { continue }
            let topic = type.wireTopic
            _ = await relay.share { [weak self, weak endpoint] payload in
                endpoint?.publish(snapshot: topic, of: id, payload: payload)
                self?.deliver(topic, payload, stale: false)
            }
        }
    }

    func detach(_ id: ModuleID) async {
        let route = routes.withLock { $0.removeValue(forKey: id) }
        for relay in route?.relays ?? [] { await relay.stop() }
    }

    /// From the bus, under the reserved topic.
    func accept(_ reserved: Topic, _ payload: [UInt8], stale: Bool) {
        guard let topic = BusEndpoint.snapshotType(of: reserved) else { return }
        deliver(topic, payload, stale: stale)
    }

    private func deliver(_ topic: Topic, _ payload: [UInt8], stale: Bool) {
        let nodes = routes.withLock { $0.values.filter { $0.observes.contains(topic) }.map(\.node) }
        guard !nodes.isEmpty else { return }
        // Main-actor tasks of one sender start in order, so that an older snapshot never replaces a newer one.
        Task { @MainActor in
            for node in nodes { node.relay(sharedAs: topic)?.accept(encoded: payload, stale: stale) }
        }
    }
}
