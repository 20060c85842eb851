import Glibc
package import Logging
package import ReluxControl
import ReluxSystem
import ReluxWire
package import ReluxZeroMQ
import Synchronization

/// The link over a DEALER socket: one CBOR value per message, a fresh socket and thread per life of the broker.
///
/// A fresh socket, because what a DEALER has queued for a broker that died would reach the next one after its `hello`.
package final class ZeroMQBrokerLink: BrokerLink {
    private let context: ZeroMQContext
    private let logger: Logger
    private let conversation = Mutex<Conversation?>(nil)

    package init(context: ZeroMQContext, logger: Logger) {
        self.context = context
        self.logger = logger
    }

    package func connect(_ endpoint: String, deliver: @escaping @Sendable (BrokerOutbound) -> Void) {
        disconnect()
        do {
            let fresh = try Conversation(endpoint: endpoint, context: context, logger: logger, deliver: deliver)
            try fresh.start()
            conversation.withLock { $0 = fresh }
        } catch {
            logger.error("the link to the broker could not be started", metadata: ["error": "\(error)"])
        }
    }

    package func send(_ message: BrokerInbound) {
        do {
            let bytes = try CBOR.encode(message)
            conversation.withLock { $0 }?.enqueue(bytes)
        } catch {
            logger.error("message to the broker not encoded", metadata: ["error": "\(error)"])
        }
    }

    package func disconnect() {
        let last = conversation.withLock { conversation in
            defer { conversation = nil }
            return conversation
        }
        last?.end()
    }
}

/// One socket with its thread; the thread owns the socket, others only touch the outbox.
private final class Conversation: Sendable {
    private struct Outbox {
        var messages: [[UInt8]] = []
        var ended = false
    }

    private let endpoint: String
    private let context: ZeroMQContext
    private let logger: Logger
    private let deliver: @Sendable (BrokerOutbound) -> Void
    private let wakeUp: WakeUp
    private let identity = Array("supervisor/\(getpid())-\(UInt64.random(in: .min ... .max))".utf8)
    private let outbox = Mutex(Outbox())

    init(
        endpoint: String, context: ZeroMQContext, logger: Logger, deliver: @escaping @Sendable (BrokerOutbound) -> Void
    ) throws(ZeroMQError) {
        self.endpoint = endpoint
        self.context = context
        self.logger = logger
        self.deliver = deliver
        wakeUp = try WakeUp()
    }

    func start() throws(BlockingThreadError) {
        // The thread keeps itself going until `end`; nobody joins it.
        _ = try BlockingThread(name: "broker-link") { [self] in
            do {
                try run()
            } catch {
                logger.error("conversation with the broker ended", metadata: ["error": "\(error)"])
            }
        }
    }

    func enqueue(_ bytes: [UInt8]) {
        outbox.withLock { $0.messages.append(bytes) }
        wakeUp.signal()
    }

    func end() {
        outbox.withLock { $0.ended = true }
        wakeUp.signal()
    }

    private func run() throws(ZeroMQError) {
        var options = SocketOptions()
        options.linger = .zero
        // The same after a connection that broke: a broker that binds its socket again ends all that it had.
        options.routingID = identity
        let socket = try ZeroMQSocket(.dealer, in: context, options: options)
        try socket.connect(endpoint)
        var poller = Poller(capacity: 2)
        poller.add(socket)
        poller.add(fileDescriptor: wakeUp.fileDescriptor)
        var unsent: [[UInt8]] = []
        while true {
            // A full pipe to a broker that does not read: try again soon, its messages are few.
            _ = try poller.wait(milliseconds: unsent.isEmpty ? -1 : 10)
            wakeUp.drain()
            let (fresh, ended) = outbox.withLock { outbox in
                defer { outbox.messages = [] }
                return (outbox.messages, outbox.ended)
            }
            if ended { return }
            unsent += fresh
            while let first = unsent.first, try socket.send(first) { unsent.removeFirst() }
            while let bytes = try receive(from: socket) { hand(over: bytes) }
        }
    }

    private func receive(from socket: borrowing ZeroMQSocket) throws(ZeroMQError) -> [UInt8]? {
        try socket.receiveParts()?.last
    }

    private func hand(over bytes: [UInt8]) {
        do {
            deliver(try CBOR.decode(BrokerOutbound.self, from: bytes))
        } catch {
            logger.warning(
                "message of the broker dropped", metadata: ["relux.bytes": "\(bytes.count)", "error": "\(error)"])
        }
    }
}
