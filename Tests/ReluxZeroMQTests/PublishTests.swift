import Glibc
import ReluxTestKit
import ReluxZeroMQ
import Testing

@Suite struct PublishTests {
    let directory: TemporaryDirectory
    let context: ZeroMQContext

    init() throws {
        directory = TemporaryDirectory(isMade: true)
        context = try ZeroMQContext()
    }

    private func small() -> SocketOptions {
        var options = SocketOptions()
        options.sendHighWaterMark = 2
        options.receiveHighWaterMark = 2
        options.linger = .zero
        return options
    }

    @Test(arguments: Transport.allCases)
    func `an XPUB sees every subscription and its end`(transport: Transport) throws {
        let publisher = try ZeroMQSocket(.xpub, in: context)
        try publisher.bind(transport.endpoint(directory))
        let subscriber = try ZeroMQSocket(.sub, in: context)
        try subscriber.connect(transport.endpoint(directory))
        try subscriber.subscribe(bytes("A"))
        #expect(try next(publisher) == [[1] + bytes("A")])
        let other = try ZeroMQSocket(.xsub, in: context)
        try other.connect(transport.endpoint(directory))
        try other.subscribe(bytes("A"))
        #expect(try next(publisher) == [[1] + bytes("A")])
        try subscriber.unsubscribe(bytes("A"))
        #expect(try next(publisher) == [[0] + bytes("A")])
        other.close()
        #expect(try next(publisher) == [[0] + bytes("A")])
    }

    @Test func `five thousand subscriptions all arrive`() throws {
        let publisher = try ZeroMQSocket(.xpub, in: context)
        try publisher.bind(directory.ipc("socket"))
        let subscriber = try ZeroMQSocket(.sub, in: context)
        try subscriber.connect(directory.ipc("socket"))
        for number in 0..<5000 { try subscriber.subscribe(bytes("topic \(number)")) }
        var seen = Set<[UInt8]>()
        while seen.count < 5000 { seen.formUnion(try next(publisher)) }
        #expect(seen.contains([1] + bytes("topic 4999")))
    }

    @Test(arguments: Transport.allCases)
    func `a full pipe makes send return false and nothing that was taken is lost`(transport: Transport) throws {
        let publisher = try ZeroMQSocket(.xpub, in: context, options: small())
        try publisher.bind(transport.endpoint(directory))
        let subscriber = try ZeroMQSocket(.sub, in: context, options: small())
        try subscriber.subscribe([])
        try subscriber.connect(transport.endpoint(directory))
        #expect(try next(publisher) == [[1]])

        let body = [UInt8](repeating: 7, count: 4096)
        var taken = 0
        while try publisher.send(bytes("\(taken) ") + body) {
            taken += 1
            try #require(taken < 100_000)
        }
        for number in 0..<taken { #expect(try next(subscriber) == [bytes("\(number) ") + body]) }
        var poller = Poller()
        poller.add(publisher, for: .writable)
        #expect(try poller.wait(milliseconds: 20_000) == 1)
        #expect(try publisher.send(bytes("last")))
        // Over ipc the I/O thread may have made room after the refusal, so what was refused never arrives, only what was taken.
        #expect(try next(subscriber) == [bytes("last")])
    }

    @Test func `without noDrop a full subscriber misses what is sent until it has drained, others miss nothing`() throws {
        let publisher = try ZeroMQSocket(.xpub, in: context, options: small())
        try publisher.bind("inproc://drop")
        let slow = try ZeroMQSocket(.sub, in: context, options: small())
        try slow.connect("inproc://drop")
        try slow.subscribe([])
        #expect(try next(publisher) == [[1]])
        var taken = 0
        while try publisher.send(bytes("\(taken)")) { taken += 1 }
        let fast = try ZeroMQSocket(.sub, in: context, options: small())
        try fast.connect("inproc://drop")
        try fast.subscribe([])
        #expect(try next(publisher) == [[1]])

        #expect(try !publisher.send(bytes("refused")))
        try publisher.setNoDrop(false)
        #expect(try publisher.send(bytes("lossy")))
        try publisher.setNoDrop(true)
        #expect(try next(fast) == [bytes("lossy")])
        // A subscriber that missed a message is passed over from then on, so that it stalls nobody a second time.
        #expect(try publisher.send(bytes("passed over")))
        #expect(try next(fast) == [bytes("passed over")])

        for number in 0..<taken { #expect(try next(slow) == [bytes("\(number)")]) }
        #expect(try slow.receiveBytes() == nil)
        #expect(try fast.receiveBytes() == nil)
        // Looking at its events makes the publisher take note of the room that the subscriber has made.
        var poller = Poller()
        poller.add(publisher, for: .writable)
        #expect(try poller.wait(milliseconds: 20_000) == 1)
        #expect(try publisher.send(bytes("both")))
        #expect(try next(slow) == [bytes("both")])
        #expect(try next(fast) == [bytes("both")])
    }

    @Test func `a PUB without subscribers takes messages and loses them`() throws {
        let publisher = try ZeroMQSocket(.pub, in: context)
        try publisher.bind(directory.ipc("socket"))
        #expect(try publisher.send(bytes("nobody")))
    }

    @Test func `one body goes out through two sockets without a copy`() throws {
        let reliable = try ZeroMQSocket(.xpub, in: context)
        let lossy = try ZeroMQSocket(.xpub, in: context)
        try reliable.bind("inproc://reliable")
        try lossy.bind("inproc://lossy")
        let subscriber = try ZeroMQSocket(.sub, in: context)
        try subscriber.subscribe([])
        try subscriber.connect("inproc://reliable")
        let tap = try ZeroMQSocket(.sub, in: context)
        try tap.subscribe([])
        try tap.connect("inproc://lossy")
        #expect(try next(reliable) == [[1]])
        #expect(try next(lossy) == [[1]])

        let body = [UInt8](repeating: 9, count: 1000)
        var message = try ZeroMQMessage(body)
        var twin = message.share()
        #expect(try reliable.send(&message))
        #expect(try lossy.send(&twin))
        #expect(message.count == 0)
        #expect(try next(subscriber) == [body])
        #expect(try next(tap) == [body])
    }

    @Test func `a message that found no room is kept`() throws {
        let publisher = try ZeroMQSocket(.xpub, in: context, options: small())
        try publisher.bind("inproc://kept")
        let subscriber = try ZeroMQSocket(.sub, in: context, options: small())
        try subscriber.connect("inproc://kept")
        try subscriber.subscribe([])
        #expect(try next(publisher) == [[1]])
        while try publisher.send([0]) {}
        var message = try ZeroMQMessage(bytes("kept"))
        #expect(try !publisher.send(&message))
        #expect(message.bytes == bytes("kept"))
    }

    @Test func `a topic that libzmq would lose is refused`() throws {
        let subscriber = try ZeroMQSocket(.sub, in: context)
        let longest = [UInt8](repeating: 65, count: ZeroMQSocket.maximumTopicBytes)
        try subscriber.subscribe(longest)
        let error = thrown { try subscriber.subscribe(longest + [65]) }
        #expect(error?.code == EINVAL)
        #expect(error?.message.contains("201 bytes") == true)
    }

    @Test func `only an XPUB has noDrop, only SUB and XSUB have subscriptions`() throws {
        let publisher = try ZeroMQSocket(.pub, in: context)
        #expect(thrown { try publisher.setNoDrop(true) }?.code == EINVAL)
        #expect(thrown { try publisher.subscribe([]) }?.code == EINVAL)
    }
}
