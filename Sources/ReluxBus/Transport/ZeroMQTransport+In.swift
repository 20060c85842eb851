import Glibc
import ReluxZeroMQ
import Synchronization

extension ZeroMQTransport {
    /// The receiving thread. `@unchecked Sendable`: made on one thread, handed to its own before that one starts, used there only.
    final class InLoop: @unchecked Sendable {
        private let transport: ZeroMQTransport
        private unowned let client: any BusTransportClient
        private let sub: ZeroMQSocket
        private let subSignal: Int32
        private let dealer: DealerBox?
        private let clock = ContinuousClock()

        private final class DealerBox {
            let socket: ZeroMQSocket
            let signal: Int32
            let connections: ZeroMQSocket
            let connected: Int32
            init(_ socket: consuming ZeroMQSocket, _ connections: consuming ZeroMQSocket) throws {
                signal = try socket.signalFileDescriptor
                connected = try connections.signalFileDescriptor
                self.socket = socket
                self.connections = connections
            }
        }

        init(transport: ZeroMQTransport, client: any BusTransportClient, sub: consuming ZeroMQSocket) throws {
            self.transport = transport
            self.client = client
            subSignal = try sub.signalFileDescriptor
            self.sub = sub
            guard let control = transport.control else {
                dealer = nil
                return
            }
            var options = SocketOptions()
            options.routingID = control.identity
            let socket = try ZeroMQSocket(.dealer, in: transport.context, options: options)
            let connections = try socket.connections()
            try socket.connect(control.endpoint)
            dealer = try DealerBox(socket, connections)
        }

        /// Waits for the sockets' descriptors. One tells that there is something once, so its socket is read until there is nothing: when
        /// it has told so, and when the socket was used for anything else.
        func run() {
            var poller = Poller()
            let wake = poller.add(fileDescriptor: transport.inWake.fileDescriptor)
            let heard = poller.add(fileDescriptor: subSignal)
            let ordered = dealer.map { poller.add(fileDescriptor: $0.signal) }
            let connected = dealer.map { poller.add(fileDescriptor: $0.connected) }
            // Messages may have come before the first wait.
            var mayHaveMore = true
            var lastTick: ContinuousClock.Instant?
            var isStopping = false
            while !isStopping {
                // Messages that were said before the stop still go out.
                isStopping = transport.isStopping.withLock { $0 }
                var wait = isStopping ? 0 : -1
                if let control = transport.control {
                    let now = clock.now
                    if lastTick.map({ now - $0 >= control.interval() }) ?? true {
                        control.onTick()
                        lastTick = now
                    }
                    if let lastTick, !isStopping {
                        wait = max(1, Int((clock.now.duration(to: lastTick + control.interval()) / .milliseconds(1)).rounded(.up)))
                    }
                }
                let isWoken: Bool
                do {
                    _ = try poller.wait(milliseconds: mayHaveMore ? 0 : wait)
                    isWoken = mayHaveMore || !poller.ready(at: wake).isEmpty
                    if isWoken {
                        _ = transport.inWake.drain()
                        obey()
                    }
                    if isWoken || !poller.ready(at: heard).isEmpty { mayHaveMore = try !readFrames() }
                } catch {
                    return
                }
                // They get their turn under load.
                if let ordered, isWoken || !poller.ready(at: ordered).isEmpty { readControl() }
                if let connected, isWoken || !poller.ready(at: connected).isEmpty { readConnections() }
            }
        }

        private func obey() {
            let commands = transport.commands.withLock { commands in
                defer { commands = [] }
                return commands
            }
            for command in commands {
                // A refused command shows itself: nothing is heard, the marker stays unanswered and is reported by name.
                switch command {
                case .connect(let endpoint): try? sub.connect(endpoint)
                case .disconnect(let endpoint): try? sub.disconnect(endpoint)
                case .subscribe(let prefix): try? sub.subscribe(prefix)
                case .unsubscribe(let prefix): try? sub.unsubscribe(prefix)
                case .control(let message): if let dealer { _ = try? dealer.socket.send(message) }
                }
            }
        }

        /// A bounded number of frames; false when there may be more.
        ///
        /// - Throws: when the socket has come to its end.
        private func readFrames() throws(ZeroMQError) -> Bool {
            for _ in 0..<256 {
                do throws(ZeroMQError) {
                    guard let message = try sub.receiveBytes() else { return true }
                    client.received(message)
                } catch {
                    // A message of several parts is none of ours, and was dropped.
                    if error.code != EMSGSIZE { throw error }
                }
            }
            return false
        }

        private func readConnections() {
            guard let dealer, let control = transport.control else { return }
            var isNew = false
            while let part = try? dealer.connections.receiveParts(), !part.isEmpty { isNew = true }
            if isNew { control.onConnected() }
        }

        private func readControl() {
            guard let dealer, let control = transport.control else { return }
            while true {
                do throws(ZeroMQError) {
                    guard let message = try dealer.socket.receiveBytes() else { return }
                    control.onMessage(message)
                } catch {
                    if error.code != EMSGSIZE { return }
                }
            }
        }
    }
}
