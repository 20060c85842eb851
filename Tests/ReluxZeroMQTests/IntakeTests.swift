import Glibc
import ReluxTestKit
@testable import ReluxZeroMQ
import Testing

/// The bytes that a process may send to a socket, where they come in.
@Suite struct IntakeTests {
    private static func address(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return address
    }

    private static func with(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws {
        let address = address(path)
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(result == 0, "\(path): \(String(cString: strerror(errno)))")
    }

    /// Runs `body` with a socket that listens at the path, which is gone afterwards.
    private static func listening(at path: String, _ body: (Int32) throws -> Void) throws {
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(listener)
            unlink(path)
        }
        try with(path) { bind(listener, $0, $1) }
        try #require(listen(listener, 8) == 0)
        try body(listener)
    }

    private static func connection(_ path: String, _ listener: Int32) throws -> (out: Int32, into: Int32) {
        let out = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try with(path) { connect(out, $0, $1) }
        // The one that libzmq finds first; Swift does not see its declaration.
        let accept4 = unsafeBitCast(
            try #require(dlsym(nil, "accept4")),
            to: (@convention(c) (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32) -> Int32).self)
        let into = accept4(listener, nil, nil, 0)
        try #require(into >= 0)
        return (out, into)
    }

    /// How many bytes come through before the connection is ended, at most `most`.
    private static func taken(_ connection: (out: Int32, into: Int32), most: Int) -> Int {
        let bytes = [UInt8](repeating: 1, count: 1000)
        var room = [UInt8](repeating: 0, count: 4096)
        var taken = 0
        while taken < most {
            guard send(connection.out, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else { break }
            let count = recv(connection.into, &room, room.count, 0)
            guard count > 0 else { break }
            taken += count
        }
        return taken
    }

    @Test func `the connections of one process share what it may send, and the next byte ends one`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let path = directory.file("intake")
        try Self.listening(at: path) { listener in
            PeerConnections.limitIntake(100_000, perSecond: 1, at: path)
            let (first, second) = (try Self.connection(path, listener), try Self.connection(path, listener))
            #expect(Self.taken(first, most: 60_000) == 60_000)
            #expect(Self.taken(second, most: 60_000) == 40_000)
            #expect(PeerConnections.cutForIntake(at: path) == 1)
            #expect(send(second.out, [1], 1, Int32(MSG_NOSIGNAL)) == -1, "it is ended for its sender too")
            #expect(Self.taken(first, most: 10_000) == 0)
            for descriptor in [first.out, first.into, second.out, second.into] { close(descriptor) }

            // Its number may be another socket's by now.
            var pair: [Int32] = [0, 0]
            for _ in 0..<8 {
                try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
                #expect(Self.taken((pair[0], pair[1]), most: 200_000) == 200_000)
            }
            let other = "\(path)-other"
            try Self.listening(at: other) { listener in
                let connection = try Self.connection(other, listener)
                #expect(Self.taken(connection, most: 200_000) == 200_000)
            }
            PeerConnections.endIntakeLimit(at: path)
            let unmeasured = try Self.connection(path, listener)
            #expect(Self.taken(unmeasured, most: 200_000) == 200_000, "nothing is measured any more")
            #expect(PeerConnections.cutForIntake(at: path) == 0)
        }
    }

    @Test func `what a process may send comes back with the time, and no more than there was`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let path = directory.file("intake")
        try Self.listening(at: path) { listener in
            PeerConnections.limitIntake(10_000, perSecond: 1_000_000_000, at: path)
            defer { PeerConnections.endIntakeLimit(at: path) }
            let connection = try Self.connection(path, listener)
            for _ in 0..<20 {
                // Ten microseconds bring all of it back.
                usleep(100)
                #expect(Self.taken(connection, most: 8_000) == 8_000)
            }
        }
    }
}
