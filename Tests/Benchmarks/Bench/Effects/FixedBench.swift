import Glibc
import Relux
import ReluxBus
import Synchronization

/// One way in lots of a fixed size, each side one step after the other: the same instructions in every run, whatever the threads of a real bus make
/// of it. The two processes write their frames into pipes; everything else is as ``OneWayBench`` has it, but for a clock that stands still.
enum FixedBench {
    static let lot = 64
    private static let clock = Relux.NodeClock(now: { .seconds(1) }, sleepUntil: { if $0 > .seconds(1) { try await Task.sleep(for: .seconds(3600)) } })
    /// Steps until both have heard each other's marker.
    private static let greetings = 8

    static func run(_ count: Int) async throws {
        let directory = try SocketDirectory()
        try Pipes.make(in: directory.path)
        let peer = try Peer(["fixed-sink", directory.path, "\(count)"])
        let carrier = try StepCarrier(Pipes(in: directory.path, isFirst: true))
        let source = try BusNode(BusNode.source, in: directory.path, flow: nil, journals: .live(), carrier: carrier, clock: clock)
        for _ in 0..<greetings { try carrier.step(0) }
        guard source.endpoint.isJoined, source.endpoint.isHeard else { throw BenchError("the second process was not heard") }
        let maker = try EffectMaker()
        let done = Tally()
        let dispatcher = source.node.dispatcher
        var sent = 0
        while sent < count {
            for _ in 0..<min(lot, count - sent) {
                let effect = maker.effect(UInt64(sent))
                dispatcher.performAsync(actions: { effect }, completion: { done.note(isFailure: $0.isFailure) })
                sent += 1
            }
            repeat { try carrier.step(sent) } while !done.reaches(sent)
        }
        var line = Line("relux.oneway.fixed")
        line.add("count", count)
        line.add("lost", done.failed)
        line.printed()
        try carrier.end()
        try peer.end()
        source.stop()
    }

    /// The other process.
    static func sink(_ directory: String, _ count: Int) throws {
        let carrier = try StepCarrier(Pipes(in: directory, isFirst: false))
        let flow = SinkFlow(expecting: count)
        let sink = try BusNode(BusNode.sink, in: directory, flow: flow, journals: .live(), carrier: carrier, clock: clock)
        try carrier.answer { expected in
            while flow.handled.load(ordering: .relaxed) < expected { usleep(500) }
            // The handler of the last of them has settled it by then; otherwise the next step takes that.
            usleep(3000)
        }
        sink.stop()
    }

    private final class Tally: Sendable {
        private let count = Atomic(0)
        private let failures = Atomic(0)

        var failed: Int { failures.load(ordering: .relaxed) }

        func note(isFailure: Bool) {
            if isFailure { failures.add(1, ordering: .relaxed) }
            count.add(1, ordering: .releasing)
        }

        /// Those who wait are told by another thread.
        func reaches(_ expected: Int) -> Bool {
            for _ in 0..<20 {
                if count.load(ordering: .acquiring) >= expected { return true }
                usleep(500)
            }
            return false
        }
    }
}

/// Carries frames and subscriptions to one other process when it is told to, and never by itself.
private final class StepCarrier: BusTransport {
    private let pipes: Pipes
    private let client = Mutex<(any BusTransportClient)?>(nil)
    private let subscriptions = Mutex<[[UInt8]]>([])

    init(_ pipes: consuming Pipes) { self.pipes = pipes }

    func start(serving endpoint: any BusTransportClient) { client.withLock { $0 = endpoint } }
    func wake() {}
    func connect(_ endpoint: String) {}
    func disconnect(_ endpoint: String) {}
    func subscribe(_ prefix: [UInt8]) { subscriptions.withLock { $0.append(prefix) } }
    func unsubscribe(_ prefix: [UInt8]) {}
    func stop() { client.withLock { $0 = nil } }

    /// All that there is goes out, and what the other side has for it comes in.
    ///
    /// - Parameter expected: effects that the other side has to have handled before it answers.
    func step(_ expected: Int) throws {
        try send(expected)
        guard try receive() != nil else { throw BenchError("the second process has ended") }
    }

    /// The other side need not answer any more.
    func end() throws { try pipes.write(.over, []) }

    /// Answers each step of the other side until that ends.
    func answer(_ handled: (Int) -> Void) throws {
        while let expected = try receive() {
            handled(expected)
            try send(0)
        }
    }

    private func send(_ expected: Int) throws {
        guard let client = client.withLock({ $0 }) else { return }
        var outgoing: Outgoing
        var frames: [[UInt8]] = []
        repeat {
            outgoing = client.pull()
            frames += outgoing.messages.filter { !$0.tapOnly }.map(\.bytes)
        } while !outgoing.isIdle
        let subscribed = subscriptions.withLock { subscriptions in
            defer { subscriptions = [] }
            return subscriptions
        }
        for prefix in subscribed { try pipes.write(.subscription, prefix) }
        for frame in frames { try pipes.write(.frame, frame) }
        try pipes.write(.end, withUnsafeBytes(of: UInt64(expected)) { Array($0) })
    }

    private func receive() throws -> Int? {
        while let (kind, bytes) = try pipes.read() {
            let client = client.withLock { $0 }
            switch kind {
            case .subscription: client?.subscribed(bytes)
            case .frame: client?.received(bytes)
            case .over: return nil
            case .end: return bytes.withUnsafeBytes { Int($0.loadUnaligned(as: UInt64.self)) }
            }
        }
        return nil
    }
}

/// Messages through two named pipes, one in each direction.
private struct Pipes: ~Copyable {
    enum Kind: UInt8 { case subscription, frame, end, over }
    private let input: Int32
    private let output: Int32

    static func make(in directory: String) throws {
        for name in ["down", "up"] where mkfifo("\(directory)/\(name)", 0o600) != 0 {
            throw BenchError("no pipe in \(directory): \(String(cString: strerror(errno)))")
        }
    }

    /// Returns when both sides are there.
    init(in directory: String, isFirst: Bool) throws {
        let down = open("\(directory)/down", isFirst ? O_WRONLY : O_RDONLY)
        let up = open("\(directory)/up", isFirst ? O_RDONLY : O_WRONLY)
        guard down >= 0, up >= 0 else { throw BenchError("the pipes in \(directory) cannot be opened: \(String(cString: strerror(errno)))") }
        (input, output) = isFirst ? (up, down) : (down, up)
    }

    deinit {
        close(input)
        close(output)
    }

    func write(_ kind: Kind, _ bytes: [UInt8]) throws {
        var message = withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) }
        message.append(kind.rawValue)
        message += bytes
        var sent = 0
        while sent < message.count {
            let count = message[sent...].withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            guard count > 0 else { throw BenchError("the second process takes nothing: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    /// nil when the other side has ended.
    func read() throws -> (Kind, [UInt8])? {
        guard let head = bytes(5), let kind = Kind(rawValue: head[4]) else { return nil }
        guard let body = bytes(head.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }) else { throw BenchError("a message is cut off") }
        return (kind, body)
    }

    private func bytes(_ count: Int) -> [UInt8]? {
        var all = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let read = all[got...].withUnsafeMutableBytes { Glibc.read(input, $0.baseAddress, $0.count) }
            guard read > 0 else { return nil }
            got += read
        }
        return all
    }
}
