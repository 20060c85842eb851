import Relux
import ReluxControl
import ReluxJournal
import ReluxRegistry
import ReluxZeroMQ
import Synchronization

/// The broker's thread: messages in, one judgement, actions out.
struct BrokerLoop: ~Copyable {
    private let service: BrokerService
    private var doors: BrokerDoors
    private let file: RegistryFile
    private let node: ClusterNode
    private let courier: Courier
    private var pictureVersion: UInt64?
    private var gate = OrderGate()
    private var troubles: [ClusterNote] = []
    /// Refusals of the ingress that the registry knows of.
    private var refused: UInt64 = 0
    private var lookAt = Duration.zero
    /// The status as the registry's last call has read it, once for all who have asked.
    private var reading: SharedAnswer?
    private var forgotten: [ClusterNote] = []
    private var files: [ClusterNote] = []
    private var lost: [ModuleID: LostBook] = [:]

    init(
        service: BrokerService, doors: consuming BrokerDoors, file: RegistryFile, node: ClusterNode,
        courier: Courier
    ) {
        self.service = service
        self.doors = doors
        self.file = file
        self.node = node
        self.courier = courier
    }

    /// - Throws: when the registry file cannot be written: a broker that cannot remember must not promise.
    mutating func run(_ registry: inout Registry, at place: inout BrokerPlace) throws {
        var poller = Poller()
        try doors.add(to: &poller)
        poller.add(fileDescriptor: service.wakeUp.fileDescriptor)
        var lastTick: Duration?
        var patience = PatientClock(since: registry.now)
        while !service.isEnding.withLock({ $0 }) {
            let isAtRest = registry.isAtRest && !gate.isHeld
            let interval = isAtRest ? BrokerService.restInterval : BrokerService.tickInterval
            let left = lastTick.map { $0 + interval - service.clock.now() } ?? .zero
            doors.prepare(&poller)
            _ = try poller.wait(milliseconds: doors.hasAsked ? 0 : max(0, Int((left / .milliseconds(1)).rounded(.up))))
            _ = service.wakeUp.drain()
            doors.flush()
            deliver(registry)
            var events = read(registry)
            events += service.inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            if lastTick.map({ service.clock.now() - $0 >= interval }) ?? true {
                lastTick = service.clock.now()
                let alive = doors.heartbeats()
                if !alive.isEmpty { events.append(.heartbeats(alive)) }
                events.append(.tick)
                node.lookAtDisk()
                let now = node.diskTroubles + (gate.trouble.map { [ClusterNote(.disk, "\(file.path): the registry waits, and with it every start, removal and change; \($0)")] } ?? [])
                if now != troubles { events.append(.ownNews(.disk(now))) }
                troubles = now
                events += ingressNews()
                var counters = node.counters
                counters.files = place.troubles.map { ClusterNote(.files, $0) }
                if counters.forgotten != forgotten || counters.lost != lost || counters.files != files { events.append(.ownNews(.bus(counters))) }
                for trouble in counters.files where !files.contains(trouble) { StandardError.write("relux-broker: \(trouble.text)") }
                (forgotten, lost, files) = (counters.forgotten, counters.lost, counters.files)
                guard try lookAfter(&place, registry) else { return }
            }
            registry.notices.clients = doors.notes
            let time = service.clock.now()
            let now = patience.look(at: time)
            guard !events.isEmpty else { continue }
            reading = nil
            let ordered = registry.on(events, now: now, time: time)
            let actions = try pass(ordered, registry)
            if gate.isHeld {
                for action in actions { perform(action, registry) }
                continue
            }
            if let epoch = registry.outlivedBy {
                StandardError.write(
                    "relux-broker: a host has heard a broker under epoch \(epoch), and this one began behind an older copy of the registry's file and of its journal; it ends, and the next one goes on behind that")
                return
            }
            // A question to our own node now finds the members that are on the disk.
            let isKnown = registry.isRecollecting || registry.pictureVersion == pictureVersion
            let picture = isKnown ? nil : registry.picture
            if picture != nil { pictureVersion = registry.pictureVersion }
            if let picture { node.apply(picture) }
            courier.apply(picture: picture, writers: registry.writers, declared: Set(registry.modules.keys), remembered: Set(registry.openedJournals.keys))
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

    /// False when the broker has to end, in order.
    private mutating func lookAfter(_ place: inout BrokerPlace, _ registry: borrowing Registry) throws -> Bool {
        guard service.clock.now() >= lookAt else { return true }
        lookAt = service.clock.now() + RunDirectoryWatch.interval
        doors.lookAtCrowd()
        do {
            // A registry that is held back is written when there is room.
            for line in try place.look({ registry.snapshot }) + doors.holdPlaces() + node.holdPlace() { StandardError.write("relux-broker: \(line)") }
        } catch let error as RunDirectoryError where error.code == .lost {
            StandardError.write("relux-broker: \(error)")
            return false
        } catch let error as RegistryFileError where error.code == .locked {
            throw error
        } catch let error as ZeroMQError where error.isInUse {
            throw error
        } catch let error as JournalError {
            throw error
        } catch {
            // A full disk, or a directory that was just taken away again: the next look may do.
            StandardError.write("relux-broker: \(error)")
        }
        return true
    }

    private mutating func pass(_ ordered: [Registry.Action], _ registry: borrowing Registry) throws -> [Registry.Action] {
        let wasHeld = gate.isHeld
        for action in gate.ahead(of: ordered) { perform(action, registry) }
        let file = file
        return try gate.pass(ordered, now: service.clock.now()) { snapshot throws(RegistryFileError) in
            do throws(RegistryFileError) {
                try file.write(snapshot)
            } catch {
                if error.mayPass, !wasHeld { StandardError.write("relux-broker: \(error)") }
                throw error
            }
        }
    }

    /// A bounded number of messages, so that a flood does not keep the clock from ticking.
    private mutating func read(_ registry: borrowing Registry) -> [Registry.Event] {
        doors.read().map { arrival in
            switch arrival.message {
            case .success(let message): event(message, from: arrival.connection, registry)
            case .failure(let fault): .malformed(arrival.connection, why: fault.why)
            }
        }
    }

    private func event(_ message: [UInt8], from connection: ConnectionID, _ registry: borrowing Registry) -> Registry.Event {
        do {
            switch (try CBOR.decode(BrokerInbound.self, from: message), connection.door) {
            case (.host, .clients), (.supervisor, .clients):
                return .malformed(connection, why: "hosts and supervisors speak at \(service.run.membersEndpoint)")
            case (.client, .members): return .malformed(connection, why: "clients ask at \(service.run.brokerEndpoint)")
            case (.host(let message), .members):
                if case .hello(let hello) = message, let fault = hello.fault { return .malformed(connection, why: fault) }
                if case .courier(let question) = message { ask(question, for: connection) }
                return .host(connection, message)
            case (.supervisor(let message), .members): return PluginReader.event(message, from: connection, for: registry)
            case (.client(let request), .clients): return PluginReader.event(request, from: connection, for: registry)
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

    private mutating func deliver(_ registry: borrowing Registry) {
        let mail = service.mail.withLock { mail in
            defer { mail = [] }
            return mail
        }
        guard !mail.isEmpty else { return }
        let hosts = registry.connectedHosts
        for (connection, bytes) in mail {
            for receiver in connection.map({ [$0] }) ?? hosts { doors.send(bytes, to: receiver) }
        }
    }

    private mutating func perform(_ action: Registry.Action, _ registry: Registry) {
        switch action {
        case .persist: break
        case .toHosts(let connections, let order):
            for connection in connections { send(.host(order), to: connection) }
        case .toSupervisor(let connection, let order): send(.supervisor(order), to: connection)
        case .answer(let connection, let response): answer(response, to: connection)
        case .publish(let fact): node.publish(fact)
        case .refused(let refused): node.refuse(refused)
        case .emit(let request, let topic, let payload, let milliseconds, let label, let contract, let awaiting):
            let service = service
            node.emit(
                topic, payload, durability: registry.durability(of: topic), request: request, milliseconds: milliseconds, label: label,
                contract: contract, awaiting: awaiting
            ) { body in
                service.post(.answered(request: request, body))
            }
        }
    }

    private mutating func answer(_ response: ClientResponse, to connection: ConnectionID) {
        guard case .status = response.body else { return send(.client(response), to: connection) }
        reading = reading ?? (try? SharedAnswer(response.body))
        if let reading { doors.send(reading.message(for: response.id), to: connection) }
    }

    private mutating func send(_ message: BrokerOutbound, to connection: ConnectionID) {
        // Our own messages always encode; a peer that is gone learns what it missed when it says hello again.
        guard let bytes = try? CBOR.encode(message) else { return }
        doors.send(bytes, to: connection)
    }
}
