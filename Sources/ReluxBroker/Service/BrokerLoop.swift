import Relux
import ReluxBus
import ReluxZeroMQ
import Synchronization

/// The broker's thread: messages in, one judgement, actions out.
struct BrokerLoop: ~Copyable {
    private let service: BrokerService
    private let router: ZeroMQSocket
    private let file: RegistryFile
    private let node: ClusterNode
    private let courier: Courier
    private var pictureVersion: UInt64?
    private var gate = OrderGate()
    private var troubles: [String] = []
    /// Refusals of the ingress that the registry knows of.
    private var refused: UInt64 = 0

    init(
        service: BrokerService, router: consuming ZeroMQSocket, file: RegistryFile, node: ClusterNode,
        courier: Courier
    ) {
        self.service = service
        self.router = router
        self.file = file
        self.node = node
        self.courier = courier
    }

    /// - Throws: when the registry file cannot be written: a broker that cannot remember must not promise.
    mutating func run(_ registry: inout Registry) throws {
        var poller = Poller()
        poller.add(router)
        poller.add(fileDescriptor: service.wakeUp.fileDescriptor)
        var nextTick = service.clock.now()
        var patience = PatientClock(since: registry.now)
        while !service.isEnding.withLock({ $0 }) {
            let left = nextTick - service.clock.now()
            _ = try poller.wait(milliseconds: max(0, Int((left / .milliseconds(1)).rounded(.up))))
            _ = service.wakeUp.drain()
            deliver(registry.connectedHosts(except: nil))
            var events = read(registry)
            events += service.inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            if service.clock.now() >= nextTick {
                events.append(.tick)
                node.lookAtDisk()
                let now = node.diskTroubles + (gate.isHeld ? [heldTrouble] : [])
                if now != troubles { events.append(.ownNews(.disk(now))) }
                troubles = now
                events += ingressNews()
                nextTick = service.clock.now() + BrokerService.tickInterval
            }
            let time = service.clock.now()
            let now = patience.look(at: time)
            guard !events.isEmpty else { continue }
            let ordered = registry.on(events, now: now, time: time)
            let actions = try pass(ordered, registry)
            if gate.isHeld {
                for action in actions { perform(action, registry) }
                continue
            }
            // What is asked of our own node now finds the members that are on the disk.
            let picture = registry.pictureVersion == pictureVersion ? nil : registry.picture
            pictureVersion = registry.pictureVersion
            if let picture { node.apply(picture) }
            courier.apply(picture: picture, writers: registry.writers, declared: Set(registry.modules.keys))
            for action in actions { perform(action, registry) }
        }
    }

    private mutating func ingressNews() -> [Registry.Event] {
        let refusals = node.refusals()
        guard refusals.total != refused else { return [] }
        refused = refusals.total
        var counters = ModuleCounters()
        counters.take(refusals)
        return [.ownNews(.counters([Registry.builtIn: counters]))]
    }

    private var heldTrouble: String {
        "\(file.path): the registry waits, and with it every start, removal and change; free room on this disk"
    }

    private mutating func pass(_ ordered: [Registry.Action], _ registry: borrowing Registry) throws -> [Registry.Action] {
        let wasHeld = gate.isHeld
        for action in gate.ahead(of: ordered) { perform(action, registry) }
        let file = file
        return try gate.pass(ordered, now: service.clock.now()) { snapshot throws(RegistryFileError) in
            do throws(RegistryFileError) {
                try file.write(snapshot)
            } catch {
                if error.isFull, !wasHeld { StandardError.write("relux-broker: \(error)") }
                throw error
            }
        }
    }

    /// A bounded number of messages, so that a flood does not keep the clock from ticking.
    private func read(_ registry: borrowing Registry) -> [Registry.Event] {
        var events: [Registry.Event] = []
        for _ in 0..<1024 {
            guard let parts = try? router.receiveParts() else { break }
            let connection = ConnectionID(ByteString(parts[0]))
            guard parts.count == 2 else {
                events.append(.malformed(connection, why: "it has \(parts.count - 1) parts; send one"))
                continue
            }
            events.append(event(parts[1], from: connection, registry))
        }
        return events
    }

    private func event(_ message: [UInt8], from connection: ConnectionID, _ registry: borrowing Registry) -> Registry.Event {
        do {
            switch try CBOR.decode(BrokerInbound.self, from: message) {
            case .host(let message):
                if case .hello(let hello) = message, let fault = hello.fault { return .malformed(connection, why: fault) }
                if case .courier(let question) = message { ask(question, for: connection) }
                return .host(connection, message)
            case .supervisor(let message): return registry.event(message, from: connection)
            case .client(let request): return registry.event(request, from: connection)
            }
        } catch {
            return .malformed(connection, why: error.message)
        }
    }

    /// The courier works and codes on its own thread.
    private func ask(_ question: CourierQuestion, for connection: ConnectionID) {
        let service = service
        courier.ask(question, for: connection) { service.post($0, to: connection) }
    }

    private func deliver(_ hosts: [ConnectionID]) {
        let mail = service.mail.withLock { mail in
            defer { mail = [] }
            return mail
        }
        for (connection, bytes) in mail {
            for receiver in connection.map({ [$0] }) ?? hosts { _ = try? router.send(parts: [receiver.bytes.bytes, bytes]) }
        }
    }

    private func perform(_ action: Registry.Action, _ registry: Registry) {
        switch action {
        case .persist: break
        case .toHosts(let connections, let order):
            for connection in connections { send(.host(order), to: connection) }
        case .toSupervisor(let connection, let order): send(.supervisor(order), to: connection)
        case .answer(let connection, let response): send(.client(response), to: connection)
        case .publish(let fact): node.publish(fact)
        case .refused(let refused): node.refuse(refused)
        case .emit(let request, let topic, let payload, let milliseconds, let label, let contract):
            let service = service
            node.emit(
                topic, payload, durability: registry.durability(of: topic), request: request, milliseconds: milliseconds, label: label,
                contract: contract
            ) { body in
                service.post(.answered(request: request, body))
            }
        }
    }

    private func send(_ message: BrokerOutbound, to connection: ConnectionID) {
        // Our own messages always encode; a peer that is gone learns what it missed when it says hello again.
        guard let bytes = try? CBOR.encode(message) else { return }
        _ = try? router.send(parts: [connection.bytes.bytes, bytes])
    }
}
