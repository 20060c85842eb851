import ReluxZeroMQ
import Synchronization

extension ZeroMQTransport {
    /// The sending thread. `@unchecked Sendable`: made on one thread, handed to its own before that one starts, used there only.
    final class OutLoop: @unchecked Sendable {
        private let transport: ZeroMQTransport
        private unowned let client: any BusTransportClient
        private let xpub: ZeroMQSocket
        private let pub: ZeroMQSocket
        private let clock = ContinuousClock()
        /// Waiting that slow subscribers may still cost; it grows again by a hundredth of the time that passes.
        private var patience: Duration
        private var patienceAt: ContinuousClock.Instant

        init(
            transport: ZeroMQTransport, client: any BusTransportClient, xpub: consuming ZeroMQSocket,
            pub: consuming ZeroMQSocket
        ) {
            self.transport = transport
            self.client = client
            self.xpub = xpub
            self.pub = pub
            patience = transport.patience
            patienceAt = clock.now
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
                guard outgoing.isIdle else { continue }
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
            for message in messages {
                if !message.tapOnly { publish(message.bytes) }
                // The tap's socket drops for whoever is slow; nothing waits for it.
                _ = try? pub.send(message.bytes)
            }
        }

        /// Waits for room as long as the patience lasts; then the frame is dropped for those that have none.
        private func publish(_ bytes: [UInt8]) {
            do {
                if try xpub.send(bytes) { return }
                if try waitForRoom(bytes) { return }
                try xpub.setNoDrop(false)
                defer { try? xpub.setNoDrop(true) }
                _ = try xpub.send(bytes)
                client.droppedForSlowSubscriber()
            } catch {
                client.droppedForSlowSubscriber()
            }
        }

        private func waitForRoom(_ bytes: [UInt8]) throws -> Bool {
            let start = clock.now
            patience = min(transport.patience, patience + patienceAt.duration(to: start) / 100)
            defer {
                patienceAt = clock.now
                patience -= start.duration(to: patienceAt)
            }
            var room = Poller()
            room.add(xpub, for: .writable)
            while patience > start.duration(to: clock.now) {
                _ = try room.wait(milliseconds: 1)
                if try xpub.send(bytes) { return true }
            }
            return false
        }

        private func readSubscriptions() {
            while let frame = try? xpub.receiveBytes() {
                guard frame.first == 1 else { continue }
                client.subscribed(Array(frame.dropFirst()))
            }
        }
    }
}
