import ReluxZeroMQ
import Synchronization

extension ZeroMQTransport {
    /// The sending thread. `@unchecked Sendable`: made on one thread, handed to its own before that one starts, used there only.
    final class OutLoop: @unchecked Sendable {
        private let transport: ZeroMQTransport
        private unowned let client: any BusTransportClient
        private let xpub: ZeroMQSocket
        private let pub: ZeroMQSocket

        init(
            transport: ZeroMQTransport, client: any BusTransportClient, xpub: consuming ZeroMQSocket,
            pub: consuming ZeroMQSocket
        ) {
            self.transport = transport
            self.client = client
            self.xpub = xpub
            self.pub = pub
        }

        func run() {
            var poller = Poller()
            let xpubIndex = poller.add(xpub)
            poller.add(fileDescriptor: transport.outWake.fileDescriptor)
            while true {
                let isStopping = transport.isStopping.withLock { $0 }
                let outgoing = client.pull()
                send(outgoing.messages)
                readSubscriptions()
                guard outgoing.messages.isEmpty else { continue }
                if isStopping { return }
                do {
                    _ = try poller.wait(milliseconds: outgoing.nextPull.map(Self.milliseconds) ?? -1)
                } catch {
                    return
                }
                _ = transport.outWake.drain()
                if poller.ready(at: xpubIndex) != [] { readSubscriptions() }
            }
        }

        private static func milliseconds(_ duration: Duration) -> Int {
            Int(min(60_000, (duration / .milliseconds(1)).rounded(.up)))
        }

        private func send(_ messages: [Outgoing.Message]) {
            var left = transport.patience
            for message in messages {
                if !message.tapOnly { publish(message.bytes, &left) }
                // The tap's socket drops for whoever is slow; nothing waits for it.
                _ = try? pub.send(message.bytes)
            }
        }

        /// Waits for room as long as the batch's patience lasts; then the frame is dropped for those that have none.
        private func publish(_ bytes: [UInt8], _ left: inout Duration) {
            do {
                if try xpub.send(bytes) { return }
                let clock = ContinuousClock()
                let start = clock.now
                var room = Poller()
                let index = room.add(xpub, for: .writable)
                while left > start.duration(to: clock.now) {
                    _ = try room.wait(milliseconds: 1)
                    if room.ready(at: index) != [], try xpub.send(bytes) {
                        left -= start.duration(to: clock.now)
                        return
                    }
                }
                left = .zero
                try xpub.setNoDrop(false)
                _ = try xpub.send(bytes)
                try xpub.setNoDrop(true)
                client.droppedForSlowSubscriber()
            } catch {
                client.droppedForSlowSubscriber()
            }
        }

        private func readSubscriptions() {
            while let frame = try? xpub.receiveBytes() {
                guard frame.first == 1 else { continue }
                client.subscribed(Array(frame.dropFirst()))
            }
        }
    }
}
