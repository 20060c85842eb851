import Glibc
import ReluxTestKit
import ReluxZeroMQ
import Testing

@Suite struct BoundPlacesTests {
    let directory: TemporaryDirectory
    let context: ZeroMQContext

    init() throws {
        directory = TemporaryDirectory(isMade: true)
        context = try ZeroMQContext()
    }

    private func lost(_ places: inout BoundPlaces) throws -> [String] { try places.lost() }

    @Test func `a socket whose file was deleted is bound again, and whoever comes finds it`() throws {
        let endpoint = directory.ipc("socket")
        var places = try BoundPlaces([endpoint, "inproc://elsewhere"])
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind(endpoint)
        places.noteBound(endpoint)
        let early = try ZeroMQSocket(.dealer, in: context)
        try early.connect(endpoint)
        _ = try early.send(bytes("one"))
        #expect(try next(router).last == bytes("one"))
        #expect(try lost(&places) == [])

        unlink(directory.file("socket"))
        unlink(directory.file("socket.lock"))
        #expect(try lost(&places) == [endpoint])
        #expect(SocketLock.isHeld(directory.file("socket")))
        let late = try ZeroMQSocket(.dealer, in: context)
        try late.connect(endpoint)
        _ = try late.send(bytes("two"))
        var poller = Poller()
        poller.add(router)
        var gone = [endpoint]
        // libzmq takes the file of what is unbound away when it gets to it, and that may be the new one: then the next look binds once more, as owners do.
        for _ in 1...100 {
            for endpoint in gone {
                try router.unbind(endpoint)
                try router.bind(endpoint)
                places.noteBound(endpoint)
            }
            if try poller.wait(milliseconds: 200) > 0 { break }
            gone = try lost(&places)
        }
        #expect(try router.receiveParts()?.last == bytes("two"))
        #expect(try lost(&places) == [])
        // The peer that was connected comes again. Its old connection takes what it says in the meantime, so it repeats itself, as peers do.
        for _ in 1...100 {
            _ = try early.send(bytes("three"))
            if try poller.wait(milliseconds: 200) > 0 { break }
        }
        #expect(try router.receiveParts()?.last == bytes("three"))
    }

    @Test(arguments: [false, true]) func `what lies in a socket's place is set aside, and the socket is bound again`(isDirectory: Bool) throws {
        let endpoint = directory.ipc("socket")
        let path = directory.file("socket")
        var places = try BoundPlaces([endpoint])
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind(endpoint)
        places.noteBound(endpoint)
        unlink(path)
        if isDirectory { mkdir(path, 0o700) } else { close(open(path, O_CREAT | O_WRONLY, 0o600)) }
        #expect(try lost(&places) == [endpoint])
        var found = stat()
        #expect(lstat(path, &found) != 0 && lstat("\(path).replaced-\(getpid())", &found) == 0)
        try router.unbind(endpoint)
        try router.bind(endpoint)
        #expect(lstat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFSOCK)
    }

    @Test func `who comes second is refused and touches nothing`() throws {
        let endpoint = directory.ipc("socket")
        var places = try BoundPlaces([endpoint])
        let router = try ZeroMQSocket(.router, in: context)
        try router.bind(endpoint)
        places.noteBound(endpoint)
        #expect(thrown { _ = try BoundPlaces([endpoint]) }?.isInUse == true)
        #expect(try lost(&places) == [])
        let dealer = try ZeroMQSocket(.dealer, in: context)
        try dealer.connect(endpoint)
        _ = try dealer.send(bytes("one"))
        #expect(try next(router).last == bytes("one"))
    }
}
