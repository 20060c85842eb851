import Glibc
import ReluxTestKit
import ReluxZeroMQ
import Testing

@Suite struct SocketLockTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = TemporaryDirectory(isMade: true)
        path = directory.file("socket")
    }

    @Test func `a second taker is refused with the owner's process id`() throws {
        let lock = try SocketLock(socketPath: path)
        let error = thrown { _ = try SocketLock(socketPath: path) }
        #expect(error?.code == EADDRINUSE)
        #expect(error?.message.contains("process \(getpid())") == true)
        #expect(error?.message.contains(path) == true)
        lock.release()
        _ = try SocketLock(socketPath: path)
    }

    @Test func `whether somebody has the path is told without taking it`() throws {
        #expect(!SocketLock.isHeld(path))
        let lock = try SocketLock(socketPath: path)
        #expect(SocketLock.isHeld(path))
        #expect(SocketLock.isHeld(path))
        lock.release()
        #expect(!SocketLock.isHeld(path))
        // A lock's file that a dead owner has left says nothing.
        #expect(try run("/usr/bin/touch", path + ".lock") == 0)
        #expect(!SocketLock.isHeld(path))
        _ = try SocketLock(socketPath: path)
    }

    @Test func `another process is refused until the owner lets go`() throws {
        let lock = try SocketLock(socketPath: path)
        let lockPath = lock.lockPath
        #expect(try run("/usr/bin/flock", "-n", lockPath, "/bin/true") != 0)
        lock.release()
        #expect(try run("/usr/bin/flock", "-n", lockPath, "/bin/true") == 0)
    }

    @Test func `what a dead owner left behind is removed`() throws {
        try createFile(path + ".lock", "999999\n")
        let descriptor = try boundSocket()
        close(descriptor)
        #expect(exists(path))
        let lock = try SocketLock(socketPath: path)
        #expect(!exists(path))
        lock.release()
        #expect(!exists(path + ".lock"))
    }

    @Test func `letting go removes the socket and the lock`() throws {
        let context = try ZeroMQContext()
        let lock = try SocketLock(socketPath: path)
        let socket = try ZeroMQSocket(.pub, in: context)
        try socket.bind("ipc://\(path)")
        #expect(exists(path))
        socket.close()
        lock.release()
        #expect(!exists(path))
        #expect(!exists(path + ".lock"))
    }

    @Test(arguments: [false, true]) func `what is no socket is set aside`(isDirectory: Bool) throws {
        for number in ["", "-1"] {
            if isDirectory {
                mkdir(path, 0o700)
                try createFile("\(path)/content", "precious")
            } else {
                try createFile(path, "precious\(number)")
            }
            let lock = try SocketLock(socketPath: path)
            #expect(!exists(path) && exists("\(path).replaced-\(getpid())\(number)"))
            lock.release()
            #expect(exists("\(path).replaced-\(getpid())\(number)"))
        }
    }

    @Test func `a missing directory is an error`() {
        #expect(thrown { _ = try SocketLock(socketPath: directory.file("missing/socket")) }?.code == ENOENT)
    }

    private func boundSocket() throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        return descriptor
    }

    private func run(_ arguments: String...) throws -> Int32 {
        var pid = pid_t()
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        try #require(posix_spawn(&pid, arguments[0], nil, nil, &pointers, environ) == 0)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
