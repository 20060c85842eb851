import Dispatch
import Glibc
import ReluxSystem
import ReluxTestKit
import ReluxZeroMQ
import Synchronization
import Testing

@testable import ReluxBus

@Suite struct SubscriptionTests {
    private func hear(_ book: inout SubscriptionBook, _ frame: [UInt8], from peer: String?) -> Bool { book.heard(frame, from: peer) }

    @Test func `what a peer has subscribed is counted until it ends it, and over the limit it is cut`() {
        var book = SubscriptionBook()
        let topic = [UInt8](repeating: 7, count: 100)
        let most = SubscriptionBook.byteLimit / (topic.count + SubscriptionBook.overhead)
        for _ in 0..<3 * most {
            #expect(!hear(&book, [1] + topic, from: "a"))
            #expect(!hear(&book, [0] + topic, from: "a"))
        }
        for _ in 0..<most {
            #expect(!hear(&book, [1] + topic, from: "a"))
            #expect(!hear(&book, [1] + topic, from: "b"))
        }
        #expect(hear(&book, [1] + topic, from: "a"))
        #expect(!hear(&book, [1] + topic, from: "a"), "it begins anew")
        #expect(hear(&book, [1] + topic, from: "b"))
    }

    @Test func `the end of a connection counts for nobody who stays`() {
        var book = SubscriptionBook()
        let topic = [UInt8](repeating: 7, count: 100)
        let most = SubscriptionBook.byteLimit / (topic.count + SubscriptionBook.overhead)
        for _ in 0..<3 {
            for _ in 0..<most { #expect(!hear(&book, [1] + topic, from: "a")) }
            #expect(!hear(&book, [0] + topic, from: nil))
        }
    }

    @Test func `a process that subscribes without an end is cut off before it costs much, and others hear on`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let listener = Listener()
        for path in ["\(folder.path)/live", "\(folder.path)/tap"] {
            let context = try ZeroMQContext()
            let transport = try ZeroMQTransport(context: context, endpoint: "ipc://\(folder.path)/live", tapEndpoint: "ipc://\(folder.path)/tap")
            try transport.start(serving: listener)
            defer { transport.stop() }
            let flood = try RawSubscriber(path)
            let sent = flood.subscribe(40_000, bytes: 200)
            #expect(sent < 40_000, "\(path): the connection was not ended")
            flood.close()
            #expect(listener.hears(cutBy: transport), "\(path): it is not counted")

            let other = try ZeroMQSocket(.sub, in: context)
            try other.connect("ipc://\(path)")
            try other.subscribe([9])
            var poller = Poller()
            poller.add(other)
            var isHeard = false
            while !isHeard {
                listener.state.withLock { $0.said = [9, 9] }
                transport.wake()
                isHeard = try poller.wait(milliseconds: 20) > 0
            }
        }
        // A byte costs libzmq some fifty, so this is what it had to hold at most; all that was sent would be more than ten times as much.
        let most = listener.state.withLock { $0.subscribed }
        #expect(most < 3 * SubscriptionBook.byteLimit / 200, "\(most) subscriptions were taken in")
    }

    @Test func `a transport whose second thread is refused runs nothing, and starts when asked again`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let listener = Listener()
        let context = try ZeroMQContext()
        let transport = try ZeroMQTransport(context: context, endpoint: "ipc://\(folder.path)/live", tapEndpoint: "ipc://\(folder.path)/tap")
        let refused = BlockingThreadError(name: "relux-in", code: EAGAIN)
        let hasEnded = Ends()
        #expect(throws: refused) {
            try transport.start(serving: listener) { (name, body) throws(BlockingThreadError) in
                if name == refused.name { throw refused }
                return try BlockingThread(name: name) {
                    body()
                    hasEnded.uncut.withLock { $0 += 1 }
                }
            }
        }
        #expect(hasEnded.uncut.withLock { $0 } == 1, "the first thread has ended before the error is thrown")
        try transport.start(serving: listener)
        defer { transport.stop() }
        let other = try ZeroMQSocket(.sub, in: context)
        try other.connect("ipc://\(folder.path)/live")
        try other.subscribe([9])
        while listener.state.withLock({ $0.subscribed }) == 0 { usleep(1000) }
    }

    @Test func `several that subscribe without an end at once are cut off before they cost much`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let listener = Listener()
        let transport = try ZeroMQTransport(context: try ZeroMQContext(), endpoint: "ipc://\(folder.path)/live", tapEndpoint: "ipc://\(folder.path)/tap")
        try transport.start(serving: listener)
        defer { transport.stop() }
        let ends = Ends()
        let floods = try (0..<8).map { number in
            let flood = try RawSubscriber("\(folder.path)/live")
            return try BlockingThread(name: "flood-\(number)") {
                if flood.subscribe(10_000, bytes: 500, from: number * 10_000) == 10_000 { ends.uncut.withLock { $0 += 1 } }
                flood.close()
            }
        }
        for flood in floods { flood.join() }
        #expect(ends.uncut.withLock { $0 } == 0, "connections were not ended")
        #expect(listener.hears(cutBy: transport), "nothing is counted")
        let most = listener.state.withLock { $0.subscribed }
        #expect(most < 3 * SubscriptionBook.byteLimit / 500, "\(most) subscriptions were taken in")
    }
}

/// How connections have ended that subscribe without an end.
private final class Ends: Sendable {
    let uncut = Mutex(0)
}

/// Says what it is given, and counts.
private final class Listener: BusTransportClient {
    struct State: Sendable {
        var subscribed = 0
        var said: [UInt8]?
    }
    let state = Mutex(State())
    /// Signalled for each subscriber that was cut off.
    let hasCut = DispatchSemaphore(value: 0)

    /// Waits for the next that is cut off: the sending thread counts it with the next that it does. A watchdog of a minute.
    func hears(cutBy transport: ZeroMQTransport) -> Bool {
        (0..<3000).contains { _ in
            transport.wake()
            return hasCut.wait(timeout: .now() + .milliseconds(20)) == .success
        }
    }

    func pull() -> Outgoing {
        state.withLock { state in
            var outgoing = Outgoing()
            if let said = state.said.take() { outgoing.messages = [.init(bytes: said, tapOnly: false)] }
            return outgoing
        }
    }
    func received(_ message: [UInt8]) {}
    func subscribed(_ subscription: [UInt8]) { state.withLock { $0.subscribed += 1 } }
    func droppedForSlowSubscriber() {}
    func cutSubscriber() { hasCut.signal() }
}

/// A subscriber without libzmq, which would keep as much as it asks for: ZMTP 3.0 with the mechanism NULL, rfc.zeromq.org/spec/23.
private struct RawSubscriber {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(result == 0)
        let greeting: [UInt8] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 16 + 32)
        let ready: [UInt8] = [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 3] + Array("SUB".utf8)
        try #require(write(greeting) && write([4, UInt8(ready.count)] + ready))
        // Nothing may be said before the other side's READY: 64 bytes of greeting, then the command with its length.
        var heard: [UInt8] = []
        while heard.count < 66 || heard.count < 66 + Int(heard[65]) {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            try #require(count > 0)
            heard += bytes.prefix(count)
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// How many went out before the other side ended it.
    func subscribe(_ count: Int, bytes: Int, from first: Int = 0) -> Int {
        for index in 0..<count {
            let number = first + index
            var topic = [UInt8](repeating: 0, count: bytes)
            for place in topic.indices { topic[place] = UInt8(truncatingIfNeeded: (number &+ 1) &* (place &* 7 &+ 13) >> 3) }
            let length = bytes + 1
            let head: [UInt8] = length < 256 ? [0, UInt8(length)] : [2, 0, 0, 0, 0, 0, 0, UInt8(length >> 8), UInt8(length & 255)]
            guard write(head + [1] + topic) else { return index }
        }
        return count
    }

    func close() { _ = Glibc.close(descriptor) }
}
