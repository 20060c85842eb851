import Glibc
import ReluxZeroMQ
import Testing

@Suite struct PeerConnectionsTests {
    @Test func `connections to a socket are counted by the process that has made them, and can be ended`() throws {
        let directory = try TemporaryDirectory()
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
}
