import Glibc
import ReluxSystem
import ReluxTestKit
import ReluxZeroMQ
import Testing

@Suite struct SocketTests {
    let directory: TemporaryDirectory
    let context: ZeroMQContext

    init() throws {
        directory = TemporaryDirectory(isMade: true)
        context = try ZeroMQContext()
    }

    private func named(_ name: String) -> SocketOptions {
        var options = SocketOptions()
        options.routingID = bytes(name)
        return options
    }

    @Test(arguments: Transport.allCases)
    func `a multipart message crosses ROUTER and DEALER whole, both ways`(transport: Transport) throws {
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind(transport.endpoint(directory))
        let dealer = try ZeroMQSocket(.dealer, in: context, options: named("host"))
        try dealer.connect(transport.endpoint(directory))
        let large = [UInt8](repeating: 3, count: 100_000)
        #expect(try dealer.send(parts: [bytes("hello"), [], large], wait: true))
        #expect(try next(router) == [bytes("host"), bytes("hello"), [], large])
        #expect(try router.send(parts: [bytes("host"), bytes("welcome"), []]))
        #expect(try next(dealer) == [bytes("welcome"), []])
    }

    @Test func `a socket can be handed to the thread whole`() throws {
        let context = try ZeroMQContext()
        let inside = try ZeroMQSocket(.pair, in: context)
        try inside.bind("inproc://inside")
        let thread = try BlockingThread(name: "owner") {
            _ = try? inside.send(bytes("from the thread"), wait: true)
        }
        let outside = try ZeroMQSocket(.pair, in: context)
        try outside.connect("inproc://inside")
        #expect(try next(outside) == [bytes("from the thread")])
        thread.join()
    }

    @Test func `a ROUTER that does not know the peer says so`() throws {
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind(directory.ipc("socket"))
        let error = thrown { _ = try router.send(parts: [bytes("nobody"), bytes("hello")]) }
        #expect(error?.isUnreachable == true)
        #expect(error?.code == EHOSTUNREACH)
    }

    @Test func `a peer that returns under its routing id takes over from its former self`() throws {
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind(directory.ipc("socket"))
        let former = try ZeroMQSocket(.dealer, in: context, options: named("host"))
        try former.connect(directory.ipc("socket"))
        #expect(try former.send(bytes("first"), wait: true))
        #expect(try next(router) == [bytes("host"), bytes("first")])
        let returned = try ZeroMQSocket(.dealer, in: context, options: named("host"))
        try returned.connect(directory.ipc("socket"))
        #expect(try returned.send(bytes("second"), wait: true))
        #expect(try next(router) == [bytes("host"), bytes("second")])
        #expect(try router.send(parts: [bytes("host"), bytes("answer")]))
        #expect(try next(returned) == [bytes("answer")])
    }

    @Test func `an oversize message cuts the peer that sent it and nobody else`() throws {
        var options = SocketOptions()
        options.maximumMessageBytes = 1024
        let router = try ZeroMQSocket(.router, in: context, options: options)
        try router.bind(directory.ipc("socket"))
        let offender = try ZeroMQSocket(.dealer, in: context, options: named("offender"))
        try offender.connect(directory.ipc("socket"))
        let neighbour = try ZeroMQSocket(.dealer, in: context, options: named("neighbour"))
        try neighbour.connect(directory.ipc("socket"))
        #expect(try neighbour.send(bytes("before"), wait: true))
        #expect(try next(router) == [bytes("neighbour"), bytes("before")])

        #expect(try offender.send([UInt8](repeating: 0, count: 1025), wait: true))
        #expect(try neighbour.send([UInt8](repeating: 1, count: 1024), wait: true))
        #expect(try next(router) == [bytes("neighbour"), [UInt8](repeating: 1, count: 1024)])

        // The offender connects again by itself; what it sends before it has noticed goes down with the old connection.
        var poller = Poller()
        poller.add(router)
        var attempts = 0
        repeat {
            attempts += 1
            try #require(attempts < 1000)
            _ = try offender.send(bytes("small"))
        } while try poller.wait(milliseconds: 20) == 0
        #expect(try next(router) == [bytes("offender"), bytes("small")])
    }

    @Test func `a path that is too long is refused before libzmq sees it`() throws {
        let socket = try ZeroMQSocket(.pub, in: context)
        let path = "/tmp/" + String(repeating: "x", count: 96)
        let refusals = [
            thrown { try socket.bind("ipc://\(path)") },
            thrown { try socket.connect("ipc://\(path)") },
        ]
        for error in refusals {
            #expect(error?.code == ENAMETOOLONG)
            #expect(error?.message.contains(path) == true)
            #expect(error?.message.contains("101 bytes, the limit is 100") == true)
            #expect(error?.message.contains("directory with a shorter path") == true)
        }
        #expect(socket.lastEndpoint == "")
    }

    @Test func `an endpoint without a directory is refused with its name`() throws {
        let socket = try ZeroMQSocket(.pub, in: context)
        let error = thrown { try socket.bind(directory.ipc("missing/socket")) }
        #expect(error?.operation == "bind")
        #expect(error?.message.contains(directory.path) == true)
        #expect(thrown { try socket.connect("nonsense") }?.code == EINVAL)
    }

    @Test func `a bound endpoint is known by name, wildcards filled in`() throws {
        let socket = try ZeroMQSocket(.pub, in: context)
        try socket.bind("tcp://127.0.0.1:*")
        #expect(socket.lastEndpoint.hasPrefix("tcp://127.0.0.1:"))
        #expect(!socket.lastEndpoint.hasSuffix("*"))
        try socket.unbind(socket.lastEndpoint)
    }

    @Test func `a request gets its reply, and out of turn is an error`() throws {
        let server = try ZeroMQSocket(.rep, in: context)
        try server.bind("inproc://service")
        let client = try ZeroMQSocket(.req, in: context)
        try client.connect("inproc://service")
        #expect(try client.send(bytes("question")))
        #expect(thrown { _ = try client.send(bytes("again")) }?.operation == "send")
        #expect(try next(server) == [bytes("question")])
        #expect(try server.send(bytes("answer")))
        #expect(try next(client) == [bytes("answer")])
    }

    @Test func `a pair without a peer has no room, a disconnected one neither`() throws {
        let left = try ZeroMQSocket(.pair, in: context)
        #expect(try !left.send(bytes("nobody")))
        #expect(try left.receiveBytes() == nil)
        let right = try ZeroMQSocket(.pair, in: context)
        try right.bind("inproc://pair")
        try left.connect("inproc://pair")
        #expect(try left.send(bytes("somebody")))
        #expect(try next(right) == [bytes("somebody")])
        try left.disconnect("inproc://pair")
        #expect(try !left.send(bytes("nobody")))
    }

    @Test func `parts where a single one is expected are an error that takes them all`() throws {
        let left = try ZeroMQSocket(.pair, in: context)
        let right = try ZeroMQSocket(.pair, in: context)
        try right.bind("inproc://parts")
        try left.connect("inproc://parts")
        #expect(try left.send(parts: [[1], [2], [3]]))
        #expect(try left.send([4]))
        #expect(thrown { _ = try right.receiveBytes() }?.code == EMSGSIZE)
        #expect(try right.receiveBytes() == [4])
    }

    @Test func `a message is received into the same value again and again`() throws {
        let left = try ZeroMQSocket(.pair, in: context)
        let right = try ZeroMQSocket(.pair, in: context)
        try right.bind("inproc://again")
        try left.connect("inproc://again")
        var message = ZeroMQMessage()
        for size in [0, 1, 33, 34, 5000, 2] {
            let body = [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size)
            #expect(try left.send(body))
            #expect(try right.receive(into: &message))
            #expect(message.count == size)
            #expect(message.bytes == body)
            #expect(message.hasMore == false)
        }
        #expect(try !right.receive(into: &message))
    }

    @Test(arguments: ZeroMQSocket.Kind.allCases)
    func `only who has something to say lingers`(kind: ZeroMQSocket.Kind) {
        let hasWords = kind != .sub && kind != .xsub
        #expect(SocketOptions().linger(of: kind) == (hasWords ? .seconds(1) : .zero))
        var options = SocketOptions()
        options.linger = .seconds(2)
        #expect(options.linger(of: kind) == .seconds(2))
    }

    @Test func `last words reach a peer that comes later, and subscriptions for one that never comes hold nothing up`() throws {
        let subscribing = try ZeroMQContext()
        let subscriber = try ZeroMQSocket(.sub, in: subscribing)
        try subscriber.connect(directory.ipc("nobody"))
        try subscriber.subscribe(bytes("A"))
        subscriber.close()
        subscribing.terminate()

        let speaking = try ZeroMQContext()
        // Longer than any watchdog: the end comes from the delivery, or not at all.
        var patient = SocketOptions()
        patient.linger = .seconds(3600)
        let speaker = try ZeroMQSocket(.dealer, in: speaking, options: patient)
        try speaker.connect(directory.ipc("later"))
        #expect(try speaker.send(bytes("refused")))
        speaker.close()
        let ending = try BlockingThread(name: "ending") { speaking.terminate() }
        let listener = try ZeroMQSocket(.router, in: context)
        try listener.bind(directory.ipc("later"))
        #expect(try next(listener).last == bytes("refused"))
        ending.join()
    }

    @Test func `an option out of range is refused by name`() throws {
        var options = SocketOptions()
        options.routingID = []
        #expect(thrown { _ = try ZeroMQSocket(.dealer, in: context, options: options) }?.message.contains("routingID") == true)
        options.routingID = nil
        options.linger = .seconds(Int64.max)
        #expect(thrown { _ = try ZeroMQSocket(.dealer, in: context, options: options) }?.message.contains("linger") == true)
        options.linger = .zero
        options.receiveHighWaterMark = -1
        #expect(
            thrown { _ = try ZeroMQSocket(.dealer, in: context, options: options) }?.message
                .contains("receiveHighWaterMark is refused: -1") == true)
    }

    @Test func `a stranger's process is refused over ipc`() throws {
        var options = SocketOptions()
        options.ipcUserIDs = [geteuid() &+ 1]
        let router = try ZeroMQSocket(.router, in: context, options: options)
        try router.bind(directory.ipc("closed"))
        let control = try ZeroMQSocket(.router, in: context)
        try control.bind(directory.ipc("open"))
        var impatient = SocketOptions()
        impatient.linger = .zero
        let dealer = try ZeroMQSocket(.dealer, in: context, options: impatient)
        try dealer.connect(directory.ipc("closed"))
        #expect(try dealer.send(bytes("let me in"), wait: true))
        let allowed = try ZeroMQSocket(.dealer, in: context)
        try allowed.connect(directory.ipc("open"))
        for number in 0..<100 {
            #expect(try allowed.send([UInt8(number)], wait: true))
            #expect(try next(control).last == [UInt8(number)])
        }
        #expect(try router.receiveParts() == nil)
    }
}
