import Glibc
import ReluxTestKit
import ReluxZeroMQ
import Testing

@Suite struct PeerConnectionsTests {
    @Test func `connections to a socket are counted by the process that has made them, and can be ended`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let (context, elsewhere) = (try ZeroMQContext(), try ZeroMQContext())
        let (path, other) = (directory.file("socket"), directory.file("other"))
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind("ipc://\(path)")
        let stranger = try ZeroMQSocket(.router, in: context)
        try stranger.bind("ipc://\(other)")
        let first = try ZeroMQSocket(.dealer, in: elsewhere)
        let second = try ZeroMQSocket(.dealer, in: elsewhere)
        try first.connect("ipc://\(path)")
        try second.connect("ipc://\(path)")
        _ = try first.send(bytes("here"))
        _ = try second.send(bytes("here"))
        _ = (try next(router), try next(router))
        #expect(PeerConnections.byProcess(at: path) == [getpid(): 2])
        #expect(PeerConnections.byProcess(at: other).isEmpty)
        #expect(PeerConnections.end(of: getpid(), at: path) == 2)
    }

    @Test func `as many connections are let in as there is room, and those behind them are turned away until there is more`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let (context, path) = (try ZeroMQContext(), directory.file("socket"))
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind("ipc://\(path)")
        let (before, cameIn) = (PeerConnections.turnedAway, PeerConnections.cameIn)
        PeerConnections.letIn(2, at: path)
        var open: [Int32] = []
        defer { for descriptor in open { close(descriptor) } }
        for _ in 0..<3 { open.append(try connection(to: path)) }
        // libzmq greets whoever it has taken in.
        #expect(hears(open[0]) && hears(open[1]) && !hears(open[2]))
        #expect(PeerConnections.turnedAway == before + 1)
        PeerConnections.letIn(1, at: path)
        open.append(try connection(to: path))
        #expect(hears(open[3]))
        PeerConnections.letIn(0, at: "")
        open.append(try connection(to: path))
        #expect(hears(open[4]), "only the socket that was named")
        #expect(PeerConnections.cameIn == cameIn + 3)
    }

    private func connection(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(status == 0)
        return descriptor
    }

    /// Whether the other end says something before it hangs up.
    private func hears(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) == 1
    }
}
