import Glibc
import Relux
import ReluxControl
import ReluxZeroMQ

/// The cost of badly behaved clients for a running cluster's broker, and for a client that behaves.
///
/// Many connections at once, each leaving the answers to five questions unread; then 400 messages of 1.7 MiB from eight of them, as
/// fast as they go out. Meanwhile another client asks for the status, again and again.
enum ClientsBench {
    private static let questions = 5
    private static let largeMessages = 400
    private static let largeBytes = 1_700_000
    /// The most that the broker may take, in KiB; in release.
    private static let peakLimit = 200 << 10

    static func run(_ directory: String, _ count: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var talk = try BrokerTalk(directory)
        let broker = try talk.status().brokerPid
        let before = try peakKilobytes(broker)

        let run = RunDirectory(path: directory)
        let context = try ZeroMQContext(maximumSockets: count + 16)
        let question = try CBOR.encode(BrokerInbound.client(ClientRequest(id: "unread", body: .status)))
        let sockets = Sockets()
        var options = SocketOptions()
        // Unread answers stay at the broker's end.
        options.receiveHighWaterMark = 1
        options.linger = .zero
        for _ in 0..<count {
            let socket = try ZeroMQSocket(.dealer, in: context, options: options)
            try socket.connect(run.brokerEndpoint)
            for _ in 0..<questions { _ = try socket.send(question) }
            sockets.add(socket)
        }
        let idle = try asked(&talk, 200)

        let large = try CBOR.encode(
            BrokerInbound.client(
                ClientRequest(
                    id: "large",
                    body: .emit(
                        topic: "Navigation.Business.Effect", payload: ByteString([UInt8](repeating: 0x7a, count: largeBytes)),
                        deadlineMilliseconds: 0, label: ""))))
        for number in 0..<largeMessages { _ = try sockets.send(large, number % 8) }
        let busy = try asked(&talk, 200)

        var line = Line("relux.clients")
        line.add("connections", count)
        line.add("unread", count * questions)
        line.add("large", largeMessages)
        for (name, times) in [("unread", idle), ("large", busy)] {
            line.add("\(name)_ms_p50", times.microseconds(0.5) / 1000)
            line.add("\(name)_ms_p99", times.microseconds(0.99) / 1000)
        }
        line.add("broker_before_kib", before)
        let peak = try peakKilobytes(broker)
        line.add("broker_peak_kib", peak)
        line.printed()
        guard peak <= peakLimit else { throw BenchError("the broker has taken \(peak) KiB for them, the limit is \(peakLimit) KiB") }
    }

    /// How long answers take.
    private static func asked(_ talk: inout BrokerTalk, _ count: Int) throws -> Percentiles {
        var times: [Duration] = []
        for _ in 0..<count {
            let start = Monotonic.now()
            _ = try talk.status()
            times.append(Monotonic.now() - start)
        }
        return Percentiles(times)
    }

    /// The most that it has had since its start, as the kernel counts it.
    private static func peakKilobytes(_ pid: Int32) throws -> Int {
        guard let file = fopen("/proc/\(pid)/status", "r") else {
            throw BenchError("the memory of process \(pid) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            if words.count >= 2, words[0] == "VmHWM:", let size = Int(words[1]) { return size }
        }
        throw BenchError("process \(pid) has no VmHWM")
    }

    /// Sockets cannot be copied, so an array cannot hold them; each has a box.
    private final class Sockets {
        private final class Box {
            let socket: ZeroMQSocket
            init(_ socket: consuming ZeroMQSocket) { self.socket = socket }
        }
        private var boxes: [Box] = []
        func add(_ socket: consuming ZeroMQSocket) { boxes.append(Box(socket)) }
        func send(_ bytes: [UInt8], _ index: Int) throws -> Bool { try boxes[index % boxes.count].socket.send(bytes) }
    }
}
