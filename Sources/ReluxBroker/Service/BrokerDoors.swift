import Glibc
import ReluxControl
import ReluxRegistry
import ReluxSystem
import ReluxWire
import ReluxZeroMQ

/// The broker's two ROUTERs: one for hosts and the supervisor, one for clients, whose messages and answers go over a ``ClientDesk``.
///
/// Design notes. One ROUTER takes turns among its peers by messages, and cannot refuse one of them: what it has room for is the same for
/// all. So those without whom nobody is served have a door of their own, which is read first; and at the clients' door libzmq holds
/// little of each, so that what is held is here, where it is counted.
struct BrokerDoors: ~Copyable {
    struct Fault: Error { var why: String }
    struct Arrival {
        var connection: ConnectionID
        var message: Result<[UInt8], Fault>
    }

    /// What libzmq holds of one client in either direction, in messages. It is in no budget of the desk: few, for a message may have megabytes.
    private static let clientQueue = 4
    /// The number of messages that are read in one go, and the bytes of those of clients.
    private static let readLimit = 1024
    private static let readBytes = 8 << 20

    /// Connections that are not counted again as long as nobody comes.
    private static let fewClients = 16

    private let members: ZeroMQSocket
    private let clients: ZeroMQSocket
    private let clientsPath: String
    private var desk = ClientDesk()
    private var crowd = ClientCrowd()
    private var tide = ClientTide()
    /// The clients that had come by the last look.
    private var cameIn = PeerConnections.cameIn
    private var roomIndex = 0
    private let endpoints: (members: String, clients: String)
    private var places: BoundPlaces
    private var pipe: HeartbeatPipe.Reader

    /// - Throws: when another broker has the sockets, and nothing of its was touched, or they cannot be bound.
    init(run: RunDirectory, context: ZeroMQContext) throws {
        endpoints = (run.membersEndpoint, run.brokerEndpoint)
        // Under the name that clients ask for.
        var places = try BoundPlaces([endpoints.clients, endpoints.members])
        let members = try ZeroMQSocket(.router, in: context)
        var options = SocketOptions()
        options.sendHighWaterMark = Self.clientQueue
        options.receiveHighWaterMark = Self.clientQueue
        let clients = try ZeroMQSocket(.router, in: context, options: options)
        try members.bind(endpoints.members)
        places.noteBound(endpoints.members)
        let path = String(run.brokerEndpoint.dropFirst("ipc://".count))
        // Also before the first look.
        PeerConnections.letIn(ClientCrowd.limit(descriptors: DescriptorFence.now.limit), at: path)
        // Last: who finds this one finds all.
        try clients.bind(endpoints.clients)
        places.noteBound(endpoints.clients)
        // Another broker has had its chance to be here first.
        pipe = HeartbeatPipe.Reader(path: run.heartbeats)
        self.places = places
        self.members = members
        self.clients = clients
        clientsPath = path
    }

    /// Binds again what was taken away.
    ///
    /// - Returns: what was done, a line each.
    /// - Throws: `isInUse` when another broker is in this one's place; else why it cannot be done now.
    mutating func holdPlaces() throws(ZeroMQError) -> [String] {
        var done: [String] = []
        pipe.hold()
        for lost in try places.lost() {
            if lost == endpoints.members {
                try? members.unbind(lost)
                try members.bind(lost)
            } else {
                try? clients.unbind(lost)
                try clients.bind(lost)
            }
            places.noteBound(lost)
            done.append("its socket was gone and is bound again: \(lost)")
        }
        return done
    }

    var hasAsked: Bool { desk.hasAsked }
    var notes: [String] { desk.counters.notes + crowd.notes + (shortage.map { ["the broker: \($0)"] } ?? []) }
    /// That peers are turned away, or were, for want of descriptors, as of the last look.
    private var shortage: String?

    /// The bytes of this process's memory that clients take.
    private var clientBytes: Int { crowd.open * ClientTide.connectionBytes + desk.askedBytes + desk.unreadBytes }

    /// Counts the connections of clients, ends those that are too many, and gives back the memory of those who have gone; called about once a second.
    ///
    /// - Returns: true when memory was given back.
    @discardableResult
    mutating func lookAtCrowd() -> Bool {
        // Few were here, and nobody has come: counting asks the kernel about every descriptor.
        if crowd.open < Self.fewClients, PeerConnections.cameIn == cameIn, tide.isStill(clientBytes) {
            noteShortage()
            crowd.turnedAway = PeerConnections.turnedAway
            return false
        }
        // A connection that comes while it counts is not in the count.
        PeerConnections.letIn(0, at: clientsPath)
        // A crowd can come and go between two looks.
        let came = PeerConnections.cameIn
        tide.rise(to: clientBytes + Int(came - cameIn) * ClientTide.connectionBytes)
        cameIn = came
        crowd.limit = ClientCrowd.limit(descriptors: noteShortage().limit)
        let counts = PeerConnections.byProcess(at: clientsPath)
        for process in crowd.look(counts.map { ClientCrowd.Process(pid: $0.key, connections: $0.value) }) {
            let name = Self.name(of: process.pid)
            if PeerConnections.end(of: process.pid, at: clientsPath) > 0 { crowd.end(process, name: name) }
        }
        PeerConnections.letIn(crowd.room, at: clientsPath)
        crowd.turnedAway = PeerConnections.turnedAway
        guard tide.look(clientBytes) else { return false }
        FreeMemory.giveBack()
        return true
    }

    @discardableResult private mutating func noteShortage() -> DescriptorFence {
        let fence = DescriptorFence.now
        shortage = fence.trouble
        return fence
    }

    /// The name of the program that the process runs; empty when the process is gone.
    private static func name(of pid: Int32) -> String {
        guard let file = fopen("/proc/\(pid)/comm", "r") else { return "" }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 32)
        guard fgets(&text, Int32(text.count), file) != nil else { return "" }
        return String(decoding: text.prefix { $0 > 0x1f }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    mutating func add(to poller: inout Poller) throws {
        poller.add(members)
        poller.add(clients)
        // It tells of room too, which the socket itself does not, as long as another peer has some.
        roomIndex = poller.add(fileDescriptor: try clients.signalFileDescriptor, for: [])
    }

    /// Before each wait.
    func prepare(_ poller: inout Poller) { poller.setInterest(desk.hasUnread ? .readable : [], at: roomIndex) }

    /// What hosts and the supervisor have said, and one round of what clients ask.
    mutating func read() -> [Arrival] {
        var arrivals: [Arrival] = []
        for _ in 0..<Self.readLimit {
            guard let parts = try? members.receiveParts() else { break }
            arrivals.append(Self.arrival(parts, .members))
        }
        var bytes = 0
        for _ in 0..<Self.readLimit {
            guard bytes < Self.readBytes, let parts = try? clients.receiveParts() else { break }
            let arrival = Self.arrival(parts, .clients)
            guard case .success(let message) = arrival.message else {
                arrivals.append(arrival)
                continue
            }
            bytes += message.count
            desk.arrived(message, from: arrival.connection)
        }
        tide.rise(to: clientBytes)
        arrivals += desk.round().map { Arrival(connection: $0.client, message: .success($0.message)) }
        return arrivals
    }

    /// The hosts of this machine that have said since the last call that they live.
    func heartbeats() -> [ConnectionID] { pipe.read().map { ConnectionID(ByteString($0), at: .members) } }

    private static func arrival(_ parts: [[UInt8]], _ door: ConnectionID.Door) -> Arrival {
        let connection = ConnectionID(ByteString(parts[0]), at: door)
        guard parts.count == 2 else {
            return Arrival(connection: connection, message: .failure(Fault(why: "it has \(parts.count - 1) parts; send one")))
        }
        return Arrival(connection: connection, message: .success(parts[1]))
    }

    /// A peer that is gone learns what it missed when it comes again; a client that does not read finds it when it does.
    mutating func send(_ bytes: [UInt8], to connection: ConnectionID) {
        switch connection.door {
        case .members: _ = try? members.send(parts: [connection.bytes.bytes, bytes])
        case .clients:
            if !desk.isBehind(connection), Self.send(bytes, to: connection, clients) != false { return }
            desk.keep(bytes, for: connection)
        }
    }

    /// Gives clients that read what waited for it.
    mutating func flush() {
        guard desk.hasUnread else { return }
        let limits = desk
        desk.flush { dropped, isUnread in
            let refusal = limits.refusal(dropped, isUnread: isUnread)
            let body = ClientResponse.Body.refused(code: refusal.rule.rawValue, message: refusal.message, passes: refusal.passes)
            // Our own messages always encode.
            return (try? CBOR.encode(BrokerOutbound.client(ClientResponse(id: "", body: body)))) ?? []
        } send: { connection, bytes in
            Self.send(bytes, to: connection, clients)
        }
    }

    /// False when there is no room; nil when the peer is gone.
    private static func send(_ bytes: [UInt8], to connection: ConnectionID, _ socket: borrowing ZeroMQSocket) -> Bool? {
        try? socket.send(parts: [connection.bytes.bytes, bytes])
    }
}
