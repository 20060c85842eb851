package import ReluxControl
import ReluxWire
package import ReluxZeroMQ

/// One subscriber on the tap sockets of all hosts; a slow tap loses frames and slows nobody.
///
/// It belongs to the thread that made it, like its socket.
package struct TapSession: ~Copyable {
    /// Frames that wait here before the publishers' lossy sockets drop the next.
    private static let frameLimit = 100_000

    private let socket: ZeroMQSocket
    private var poller = Poller(capacity: 1)
    private var reader: TapReader
    private var connected: Set<String> = []

    /// - Parameter settlements: hear the recipients too, not only the publishers.
    /// - Throws: ``TapError`` when the process has no socket left.
    package init(context: ZeroMQContext, patterns: [TapPattern], settlements: Bool) throws(TapError) {
        do throws(ZeroMQError) {
            socket = try Self.socket(context, patterns.isEmpty ? [.everything] : patterns, settlements)
        } catch {
            throw TapError(.socket, "the tap has no socket: \(error)")
        }
        reader = TapReader(patterns: patterns)
        poller.add(socket)
    }

    private static func socket(
        _ context: ZeroMQContext, _ patterns: [TapPattern], _ settlements: Bool
    ) throws(ZeroMQError) -> ZeroMQSocket {
        var options = SocketOptions()
        options.linger = .zero
        options.receiveHighWaterMark = Self.frameLimit
        let socket = try ZeroMQSocket(.sub, in: context, options: options)
        for prefix in Set(patterns.map(\.prefix)) { try socket.subscribe(Array(prefix.utf8)) }
        try socket.subscribe(Array(RefusedRecord.topic.rawValue.utf8))
        if settlements { try socket.subscribe(Array("~settled.".utf8)) }
        return socket
    }

    package var counters: TapReader.Counters { reader.counters }

    /// In which order the fields of what comes by are shown.
    package var order: FieldOrder {
        get { reader.order }
        set { reader.order = newValue }
    }

    /// Connects to the hosts that are new and leaves those that are gone.
    /// - Returns: whether any was new.
    @discardableResult
    package mutating func follow(_ hosts: [ClusterPicture.Host]) throws(TapError) -> Bool {
        let wanted = Set(hosts.map(\.tapEndpoint).filter { !$0.isEmpty })
        let fresh = wanted.subtracting(connected)
        do {
            for endpoint in fresh { try socket.connect(endpoint) }
            for endpoint in connected.subtracting(wanted) { try socket.disconnect(endpoint) }
        } catch {
            throw TapError(.socket, "the tap cannot connect: \(error)")
        }
        connected = wanted
        return !fresh.isEmpty
    }

    /// The events that have come by; waits up to the given time for the first of them.
    package mutating func receive(milliseconds: Int) throws(TapError) -> [TapEvent] {
        do {
            guard try poller.wait(milliseconds: milliseconds) > 0 else { return [] }
            var events: [TapEvent] = []
            // A batch, so that a flood cannot keep the caller from printing.
            for _ in 0..<256 {
                guard let frame = try socket.receiveBytes() else { break }
                events += reader.read(frame)
            }
            return events
        } catch {
            throw TapError(.socket, "the tap's socket failed: \(error)")
        }
    }
}
