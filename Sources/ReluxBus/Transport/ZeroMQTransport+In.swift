import ReluxZeroMQ
import Synchronization

extension ZeroMQTransport {
    /// The receiving thread. `@unchecked Sendable`: made on one thread, handed to its own before that one starts, used there only.
    final class InLoop: @unchecked Sendable {
        private let transport: ZeroMQTransport
        private unowned let client: any BusTransportClient
        private let sub: ZeroMQSocket
        private let dealer: DealerBox?
        private let clock = ContinuousClock()

        private final class DealerBox {
            let socket: ZeroMQSocket
            init(_ socket: consuming ZeroMQSocket) { self.socket = socket }
        }

        init(transport: ZeroMQTransport, client: any BusTransportClient, sub: consuming ZeroMQSocket) throws {
            self.transport = transport
            self.client = client
            self.sub = sub
            guard let control = transport.control else {
                dealer = nil
                return
            }
            var options = SocketOptions()
            options.routingID = control.identity
            let socket = try ZeroMQSocket(.dealer, in: transport.context, options: options)
            try socket.connect(control.endpoint)
            dealer = DealerBox(socket)
        }

        func run() {
            var poller = Poller()
            poller.add(sub)
            poller.add(fileDescriptor: transport.inWake.fileDescriptor)
            if let dealer { poller.add(dealer.socket) }
            var nextTick = clock.now
            var isStopping = false
            while !isStopping {
                // What was said before the stop still goes out.
                isStopping = transport.isStopping.withLock { $0 }
                var wait = isStopping ? 0 : -1
                if let control = transport.control {
                    if clock.now >= nextTick {
                        control.onTick()
                        nextTick = clock.now + control.interval
                    }
                    if !isStopping { wait = max(1, Int(clock.now.duration(to: nextTick) / .milliseconds(1))) }
                }
                do {
                    _ = try poller.wait(milliseconds: wait)
                } catch {
                    return
                }
                _ = transport.inWake.drain()
                obey()
                readFrames()
                readControl()
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

        /// A bounded number of frames, so that control messages get their turn under load.
        private func readFrames() {
            for _ in 0..<256 {
                guard let message = try? sub.receiveBytes() else { return }
                client.received(message)
            }
        }

        private func readControl() {
            guard let dealer, let control = transport.control else { return }
            while let message = try? dealer.socket.receiveBytes() { control.onMessage(message) }
        }
    }
}
