import Glibc
import ReluxSystem
import ReluxZeroMQ
import Testing

@Suite struct PollerTests {
    @Test func `a signal from another thread wakes the poller, drained signals do not`() throws {
        let wakeUp = try WakeUp()
        var poller = Poller()
        let index = poller.add(fileDescriptor: wakeUp.fileDescriptor)
        #expect(try poller.wait(milliseconds: 0) == 0)
        let thread = try BlockingThread(name: "signals") {
            for _ in 0..<100 { wakeUp.signal() }
        }
        #expect(try poller.wait(milliseconds: 20_000) == 1)
        #expect(poller.ready(at: index) == .readable)
        thread.join()
        #expect(wakeUp.drain())
        #expect(!wakeUp.drain())
        #expect(try poller.wait(milliseconds: 0) == 0)
        #expect(poller.ready(at: index) == [])
    }

    @Test func `it tells sockets and descriptors apart by index`() throws {
        let context = try ZeroMQContext()
        let left = try ZeroMQSocket(.pair, in: context)
        let right = try ZeroMQSocket(.pair, in: context)
        try left.bind("inproc://poll")
        try right.connect("inproc://poll")
        let wakeUp = try WakeUp()
        var poller = Poller()
        let socket = poller.add(right)
        let signal = poller.add(fileDescriptor: wakeUp.fileDescriptor)
        #expect(try left.send(bytes("x")))
        #expect(try poller.wait(milliseconds: 20_000) == 1)
        #expect(poller.ready(at: socket) == .readable)
        #expect(poller.ready(at: signal) == [])
        wakeUp.signal()
        #expect(try poller.wait(milliseconds: 20_000) == 2)
        poller.setInterest([], at: socket)
        #expect(try poller.wait(milliseconds: 20_000) == 1)
        poller.removeAll()
        #expect(try poller.wait(milliseconds: 0) == 0)
    }

    @Test func `a time limit ends the wait, and not before`() throws {
        let wakeUp = try WakeUp()
        var poller = Poller()
        poller.add(fileDescriptor: wakeUp.fileDescriptor)
        let start = ContinuousClock.now
        #expect(try poller.wait(milliseconds: 30) == 0)
        #expect(ContinuousClock.now - start >= .milliseconds(29))
    }
}
