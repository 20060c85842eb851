import Glibc
import ReluxTestKit
import ReluxZeroMQ
import Testing

/// A peer leaves while nothing more can be taken in from it. With a heartbeat on the connection libzmq 4.3.4 ends the process then
/// (#3937, #4364, #4767): a failure is no failed expectation but an abort, `Assertion failed: !_io_error`.
@Suite struct LeavingPeerTests {
    let directory: TemporaryDirectory
    let context: ZeroMQContext
    let elsewhere: ZeroMQContext

    init() throws {
        directory = TemporaryDirectory(isMade: true)
        context = try ZeroMQContext()
        elsewhere = try ZeroMQContext()
    }

    /// As long as a heartbeat, had anybody set one, would take to come.
    private static func waitForTimers() throws {
        var nobody = Poller()
        let never = try WakeUp()
        nobody.add(fileDescriptor: never.fileDescriptor)
        #expect(try nobody.wait(milliseconds: 1200) == 0)
    }

    @Test func `a peer that said more than was read and left ends nobody`() throws {
        var options = SocketOptions()
        options.receiveHighWaterMark = 2
        let router = try ZeroMQSocket(.router, in: context, options: options)
        try router.bind(directory.ipc("socket"))
        let flood = try ZeroMQSocket(.dealer, in: elsewhere)
        try flood.connect(directory.ipc("socket"))
        for _ in 0..<100 { #expect(try flood.send(bytes("more"), wait: true)) }
        #expect(try next(router).last == bytes("more"))
        flood.close()
        elsewhere.terminate()
        try Self.waitForTimers()

        let neighbour = try ZeroMQSocket(.dealer, in: context)
        try neighbour.connect(directory.ipc("socket"))
        #expect(try neighbour.send(bytes("still there?"), wait: true))
        while try next(router).last != bytes("still there?") {}
    }

    @Test func `a socket that is closed with much to say, to a peer that leaves, ends nobody`() throws {
        var options = SocketOptions()
        options.receiveHighWaterMark = 2
        let peer = try ZeroMQSocket(.router, in: elsewhere, options: options)
        try peer.bind(directory.ipc("socket"))
        options.linger = .milliseconds(1500)
        options.routingID = bytes("leaving")
        let socket = try ZeroMQSocket(.dealer, in: context, options: options)
        try socket.connect(directory.ipc("socket"))
        for _ in 0..<1000 { #expect(try socket.send([UInt8](repeating: 0, count: 4096), wait: true)) }
        #expect(try next(peer).first == bytes("leaving"))
        socket.close()
        for _ in 0..<100 { _ = try peer.send(parts: [bytes("leaving"), bytes("too late")]) }
        peer.close()
        // Returns when the time to send what is left is over.
        context.terminate()
    }
}
