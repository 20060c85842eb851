package import Relux
package import ReluxBus
package import ReluxControl
import ReluxHost
import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import Synchronization

/// A host of scripted members on the bus, put together of the parts that production runs.
package final class ProbeHost: Obeying {
    package let endpoint: BusEndpoint
    package let exchange: Relux.Exchange
    private let router = SnapshotRouter { _, _ in }
    private let gates = Gates()
    private let members = Mutex<[ModuleID: Joined]>([:])
    private let journals: any ProbeJournals
    private let onEvent: @Sendable (Event) -> Void
    private let isKilled: Flag

    private final class Flag: Sendable {
        let value = Mutex(false)
    }

    private struct Joined {
        var node: Relux
        var declaration: ModuleDeclaration
        var counter: Counter
        /// The value that the relay of the counter shows.
        var shown: Watched<Int?>
    }

    package init(
        _ id: HostID, transport: any BusTransport, journals: any ProbeJournals, queuedByteLimit: Int = 64 << 20,
        unsettledByteLimit: Int = 1 << 30, onEvent tell: @escaping @Sendable (Event) -> Void
    ) throws {
        let isKilled = Flag()
        let onEvent: @Sendable (Event) -> Void = { event in isKilled.value.withLock { if !$0 { tell(event) } } }
        self.isKilled = isKilled
        self.onEvent = onEvent
        self.journals = journals
        let router = router
        var owner = BusEndpoint.Owner()
        owner.snapshot = { topic, payload, stale in
            router.accept(topic, payload, stale: stale)
            if stale { onEvent(.stale(id)) }
        }
        endpoint = BusEndpoint(
            host: id, transport: transport, queuedByteLimit: queuedByteLimit, unsettledByteLimit: unsettledByteLimit, journal: journals, owner: owner)
        exchange = Relux.Exchange(uplink: endpoint)
        try endpoint.start(exchange)
    }

    package func stop() {
        endpoint.stop()
        journals.closeAll()
    }

    /// Leaves as much as a `kill -9` would: from here on nothing of it is written, sent or said.
    package func kill() {
        isKilled.value.withLock { $0 = true }
        journals.fence()
        endpoint.stop()
    }

    package func perform(_ order: Order) async throws -> Reply {
        switch order {
        case .join(let member): try await join(member)
        case .handOver(let id): try await handOver(id)
        case .apply(let picture): endpoint.apply(picture)
        case .say(let domain, let number, let padding, let id):
            let dispatcher = try member(id).node.dispatcher
            return .answer(Answer(await dispatcher.actions { domain.effect(number, padding: padding) }))
        case .open(let gate): gates[gate].open()
        case .show(let number, let id): try await show(number, by: try member(id))
        case .look(let id): return .view(await look(try member(id).node))
        case .counters: return .counters(endpoint.counters)
        }
        return .done
    }

    /// In the order of a host that is welcomed by its broker.
    private func join(_ member: Member) async throws {
        let node = Relux.clusterNode(
            for: member.id, on: exchange, deadline: .milliseconds(member.deadlineMilliseconds))
        let counter = Counter()
        let relay = member.provides ? await Relux.UI.StateRelay(counter) : nil
        let module = ScriptedModule(
            moduleID: member.id, sagas: [ScriptedFlow(member, gates: gates, onEvent: onEvent)],
            relays: relay.map { [$0] } ?? [])
        let handled = Domain.allCases.filter { member.handles[$0] != nil }
        let observed: [any Relux.SharedSnapshot.Type] = member.observes ? [Count.self] : []
        let box = PluginBox(
            declaration: ModuleDeclaration(
                id: member.id, version: "1.0.0", kind: .domain, handling: member.isSerial ? .serial : .concurrent,
                handles: handled.map(\.topic).sorted(), emits: member.emits.map(\.topic).sorted(),
                provides: member.provides ? [Count.wireTopic] : [], observes: observed.map { $0.wireTopic },
                durabilities: ModuleDeclaration.durabilities(of: handled.map(\.type) + member.emits.map(\.type))),
            handles: handled.map(\.type), observes: observed, make: { module })
        let ledger = try journals.open(member.id, epoch: Epoch(member.epoch))
        try await node.join(
            module, recovery: ledger.recovery(epoch: Epoch(member.epoch)), handles: Set(box.declaration.handles),
            emits: Set(box.declaration.emits), isSerial: member.isSerial, runningLimit: member.runningLimit)
        try await router.attach(node, module, box, endpoint)
        let (id, onEvent, shown) = (member.id, onEvent, Watched<Int?>(nil))
        await MainActor.run {
            relay?.observe { snapshot in shown.update { $0 = snapshot.number } }
            node.store.getRemoteRelay(for: Count.self)?.observe { onEvent(.observed(id, $0.number)) }
        }
        endpoint.join(
            box.declaration, epoch: Epoch(member.epoch), handling: member.bringsTypes ? box.handles : [], ledger: ledger,
            life: node.lifeNumber)
        node.openModule()
        members.withLock { $0[id] = Joined(node: node, declaration: box.declaration, counter: counter, shown: shown) }
    }

    /// As a host does that its broker has told to.
    private func handOver(_ id: ModuleID) async throws {
        let member = try member(id)
        try await member.node.handOver(within: .seconds(60))
        await endpoint.handOver(member.declaration)
        await router.detach(id)
        await member.node.dispose()
        members.withLock { $0[id] = nil }
    }

    /// Returns when the owner's relay shows it and the bus has it.
    private func show(_ number: Int, by member: Joined) async throws {
        await member.counter.show(number)
        try await member.shown.wait(for: "the relay to show \(number)") { $0 == number }
    }

    @MainActor private func look(_ node: Relux) -> Reply.View? {
        node.dispatcher.getRelay(for: Count.self).map { Reply.View(number: $0.value.number, isStale: $0.isStale) }
    }

    private func member(_ id: ModuleID) throws -> Joined {
        guard let member = members.withLock({ $0[id] }) else { throw Unknown(id: id) }
        return member
    }

    struct Unknown: Error {
        var id: ModuleID
    }
}
