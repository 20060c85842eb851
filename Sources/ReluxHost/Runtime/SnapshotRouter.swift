package import Relux
package import ReluxBus
package import ReluxPlugin
import Synchronization

/// Carries snapshots between the relays of this process's modules and the bus.
package final class SnapshotRouter: Sendable {
    private struct Route: Sendable {
        var node: Relux
        var observes: Set<Topic>
        var relays: [any Relux.StateRelaying]
        var coding: Relux.SnapshotCoding
    }
    private struct State: Sendable {
        var routes: [ModuleID: Route] = [:]
        /// Relays that are not stopped yet.
        var leaving: [ModuleID: [any Relux.StateRelaying]] = [:]
        /// The last value of what modules of this process own, for observers here that come later.
        var values: [Topic: (owner: ModuleID, payload: [UInt8])] = [:]
        /// The last that came from the bus for those who observe it here, for observers that come later: the bus may have an older one only.
        var heard: [Topic: (payload: [UInt8], isStale: Bool)] = [:]
        var failures: [Topic: UInt64] = [:]
    }
    private let state = Mutex(State())
    private let onFailure: @Sendable (ModuleID, Relux.Failure) -> Void

    /// - Parameter onFailure: told of the first snapshot of each type that could not be coded; the others are counted.
    package init(onFailure: @escaping @Sendable (ModuleID, Relux.Failure) -> Void) { self.onFailure = onFailure }

    /// Snapshots that could not be coded, since the start.
    var failures: UInt64 { state.withLock { $0.failures.values.reduce(0, +) } }

    /// Shares the module's own relays and adds one for each snapshot that it observes.
    package func attach(_ node: Relux, _ module: any Relux.Module, _ box: PluginBox, _ endpoint: BusEndpoint) async throws {
        let remote = await MainActor.run { box.observes.map { $0.remoteRelay() } }
        try node.add(relays: remote)
        let id = node.name
        let coding = node.snapshotCoding { [weak self] topic, failure in self?.failed(topic, of: id, failure) }
        let observes = Set(box.observes.map { $0.wireTopic })
        state.withLock { state in
            state.routes[id] = Route(node: node, observes: observes, relays: (remote as [any Relux.StateRelaying]) + module.relays, coding: coding)
            for topic in observes.sorted() {
                if let known = state.values[topic] {
                    feed([(node, coding)], topic, known.payload, stale: false)
                } else if let known = state.heard[topic] {
                    feed([(node, coding)], topic, known.payload, stale: known.isStale)
                }
            }
        }
        for relay in module.relays {
            guard let type = relay.snapshotType as? any Relux.SharedSnapshot.Type else { continue }
            let topic = type.wireTopic
            _ = await relay.share(with: coding) { [weak self, weak endpoint, weak node] payload in
                guard let self, let node, isRouted(node) else { return }
                endpoint?.publish(snapshot: topic, of: id, payload: payload)
                deliver(topic, payload, stale: false, owner: id)
            }
        }
    }

    package func detach(_ id: ModuleID) async {
        silence(id)
        let relays = state.withLock { $0.leaving.removeValue(forKey: id) ?? [] }
        for relay in relays { await relay.stop() }
    }

    /// From here on nothing of the module is published, and nothing reaches it; ``detach(_:)`` stops its relays.
    package func silence(_ id: ModuleID) {
        state.withLock { state in
            state.values = state.values.filter { $0.value.owner != id }
            if let route = state.routes.removeValue(forKey: id) { state.leaving[id, default: []] += route.relays }
            // Nobody keeps up with it any more.
            state.heard = state.heard.filter { heard in state.routes.values.contains { $0.observes.contains(heard.key) } }
        }
    }

    /// False for a life of the module that is over.
    private func isRouted(_ node: Relux) -> Bool { state.withLock { $0.routes[node.name]?.node === node } }

    /// From the bus, under the reserved topic.
    package func accept(_ reserved: Topic, _ payload: [UInt8], stale: Bool) {
        guard let topic = reserved.snapshotType else { return }
        deliver(topic, payload, stale: stale, owner: nil)
    }

    /// - Parameter owner: a module of this process; nil for what came from the bus.
    private func deliver(_ topic: Topic, _ payload: [UInt8], stale: Bool, owner: ModuleID?) {
        state.withLock { state in
            if let owner, state.routes[owner] != nil { state.values[topic] = (owner, payload) }
            if owner == nil { note(topic, payload, stale, &state) }
            feed(
                state.routes.values.filter { $0.observes.contains(topic) }.map { ($0.node, $0.coding) }, topic, payload,
                stale: stale)
        }
    }

    /// A value that is only stale now has no payload.
    private func note(_ topic: Topic, _ payload: [UInt8], _ isStale: Bool, _ state: inout State) {
        guard payload.isEmpty else {
            if state.routes.values.contains(where: { $0.observes.contains(topic) }) { state.heard[topic] = (payload, isStale) }
            return
        }
        state.heard[topic]?.isStale = isStale
    }

    /// Under the lock: main-actor tasks start in the order in which they are made, so that an older snapshot never replaces a
    /// newer one.
    private func feed(
        _ nodes: [(node: Relux, coding: Relux.SnapshotCoding)], _ topic: Topic, _ payload: [UInt8], stale: Bool
    ) {
        guard !nodes.isEmpty else { return }
        Task { @MainActor in
            for (node, coding) in nodes { node.remoteRelay(of: topic)?.accept(encoded: payload, stale: stale, with: coding) }
        }
    }

    private func failed(_ topic: Topic, of module: ModuleID, _ failure: Relux.Failure) {
        let isFirst = state.withLock { state in
            state.failures[topic, default: 0] += 1
            return state.failures[topic] == 1
        }
        if isFirst { onFailure(module, failure) }
    }
}
