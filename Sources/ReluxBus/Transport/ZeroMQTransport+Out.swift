import ReluxSystem
import ReluxZeroMQ
import Synchronization

extension ZeroMQTransport {
    /// Sends what is said: on the sending thread, or, when nobody holds the turn, on the thread that says it.
    ///
    /// Design notes. Whoever holds `turn` owns the sockets. The sending thread waits without it, for the descriptors that the sockets signal
    /// and for `outWake`. An inline turn never waits: for what finds no room, and for what follows it, the thread is woken.
    /// `@unchecked Sendable`: the sockets are used under `turn` only.
    final class OutLoop: @unchecked Sendable {
        private struct Turn: Sendable {
            /// Frames that an inline turn could not send; nothing goes before them.
            var backlog: [Outgoing.Message] = []
            /// A socket was used since its subscriptions were read, or has signalled: a send may take the signal.
            var mayHaveNews = true
            /// When they are read again while there is something to send.
            var readAgainAt: ContinuousClock.Instant
            /// When the sending thread looks again by itself; nil when it waits to be woken.
            var nextLook: ContinuousClock.Instant?
            /// Waiting that slow subscribers may still cost; it grows again by a hundredth of the time that passes.
            var patience: Duration
            var patienceAt: ContinuousClock.Instant
            var isOver = false
            var subscribed = SubscriptionBook()
            var tapped = SubscriptionBook()
            /// When the memory goes back that subscribers who were cut off have had; nil when there were none.
            var tidyAt: ContinuousClock.Instant?
        }
        private let transport: ZeroMQTransport
        private unowned let client: any BusTransportClient
        private let signals: [Int32]
        private let xpub: ZeroMQSocket
        private let pub: ZeroMQSocket
        private let intakes: [SubscriptionIntake]
        private let clock = ContinuousClock()
        private let turn: Mutex<Turn>
        /// Rises with each wish for an inline turn: whoever has had the turn looks whether somebody came meanwhile.
        private let wishes = Atomic(0)
        /// How many inline turns run in a row before the sending thread takes over.
        private static let inlineLimit = 4
        /// How often one inline turn pulls. Waking the sending thread costs more than some pulls, and what comes meanwhile comes
        /// to an end where effects are awaited; where they are not, it does not, and the thread is the right place.
        private static let inlinePulls = 16
        /// How often subscriptions are read while there is something to send; after the last inline turn the sending thread reads them, once the patience is over.
        private static let readInterval = Duration.milliseconds(2)
        private static let readPatience = Duration.milliseconds(5)
        /// After it libzmq has let go of what a connection that was ended has had.
        private static let tidyDelay = Duration.seconds(1)
        /// How much later than wished the sending thread may look.
        private static let slack = Duration.milliseconds(1)

        /// - Parameters:
        ///   - signals: the descriptors of both sockets.
        ///   - intakes: the limits of both sockets' subscribers.
        init(
            transport: ZeroMQTransport, client: any BusTransportClient, signals: [Int32], xpub: consuming ZeroMQSocket,
            pub: consuming ZeroMQSocket, intakes: [SubscriptionIntake]
        ) {
            self.transport = transport
            self.client = client
            self.signals = signals
            self.xpub = xpub
            self.pub = pub
            self.intakes = intakes
            turn = Mutex(Turn(readAgainAt: .now, patience: transport.patience, patienceAt: .now))
        }

        // MARK: The sending thread

        func run() {
            var poller = Poller()
            let sockets = signals.map { poller.add(fileDescriptor: $0) }
            let wake = poller.add(fileDescriptor: transport.outWake.fileDescriptor)
            defer { turn.withLock { $0.isOver = true } }
            while true {
                let isStopping = transport.isStopping.withLock { $0 }
                let wished = wishes.load(ordering: .sequentiallyConsistent)
                let (isIdle, nextLook) = turn.withLock { turn in
                    let left = turn.backlog
                    turn.backlog = []
                    send(left, &turn)
                    let outgoing = client.pull()
                    send(outgoing.messages, &turn)
                    let now = clock.now
                    if turn.mayHaveNews, outgoing.isIdle || now >= turn.readAgainAt { readSubscriptions(&turn, at: now) }
                    tidyUp(&turn, at: now)
                    // One look too many costs less than a wake-up for each who says something inline.
                    turn.nextLook = [outgoing.nextPull.map { now + $0 }, turn.nextLook.flatMap { $0 > now ? $0 : nil }, turn.tidyAt].compactMap(\.self).min()
                    return (outgoing.isIdle, turn.nextLook)
                }
                guard isIdle else { continue }
                if isStopping { return }
                if wishes.load(ordering: .sequentiallyConsistent) != wished { continue }
                do {
                    _ = try poller.wait(milliseconds: nextLook.map { Self.milliseconds($0 - clock.now) } ?? -1)
                } catch {
                    return
                }
                if !poller.ready(at: wake).isEmpty { _ = transport.outWake.drain() }
                if sockets.contains(where: { !poller.ready(at: $0).isEmpty }) { turn.withLock { $0.mayHaveNews = true } }
            }
        }

        private static func milliseconds(_ duration: Duration) -> Int {
            Int(max(0, min(60_000, (duration / .milliseconds(1)).rounded(.up))))
        }

        private func send(_ messages: [Outgoing.Message], _ turn: inout Turn) {
            for message in messages {
                turn.mayHaveNews = true
                if !message.tapOnly { publish(message, &turn) }
                // The tap's socket drops for whoever is slow; nothing waits for it.
                _ = try? pub.send(message.bytes)
            }
        }

        /// Waits for room as long as the patience lasts; then the frame is dropped for those that have none.
        private func publish(_ message: Outgoing.Message, _ turn: inout Turn) {
            let bytes = message.bytes
            do {
                if try xpub.send(bytes) { return }
                if !message.isHint, try waitForRoom(bytes, &turn) { return }
                try xpub.setNoDrop(false)
                defer { try? xpub.setNoDrop(true) }
                _ = try xpub.send(bytes)
                client.droppedForSlowSubscriber()
            } catch {
                client.droppedForSlowSubscriber()
            }
        }

        private func waitForRoom(_ bytes: [UInt8], _ turn: inout Turn) throws -> Bool {
            let start = clock.now
            turn.patience = min(transport.patience, turn.patience + turn.patienceAt.duration(to: start) / 100)
            defer {
                turn.patienceAt = clock.now
                turn.patience -= start.duration(to: turn.patienceAt)
            }
            var room = Poller()
            room.add(xpub, for: .writable)
            while turn.patience > start.duration(to: clock.now) {
                _ = try room.wait(milliseconds: 1)
                if try xpub.send(bytes) { return true }
            }
            return false
        }

        /// The socket's file is gone from its path: whoever comes from now on finds it again. Peers connect and subscribe again by themselves, and
        /// ask for what they have missed meanwhile.
        func bindAgain(_ endpoint: String, isTap: Bool) throws(ZeroMQError) {
            defer { transport.wake() }
            try turn.withLock { (turn) throws(ZeroMQError) in
                guard !turn.isOver else { return }
                // It may use up the signal that the sending thread waits for.
                turn.mayHaveNews = true
                if isTap {
                    try? pub.unbind(endpoint)
                    try pub.bind(endpoint)
                } else {
                    try? xpub.unbind(endpoint)
                    try xpub.bind(endpoint)
                }
            }
        }

        private func readSubscriptions(_ turn: inout Turn, at now: ContinuousClock.Instant) {
            (turn.mayHaveNews, turn.readAgainAt) = (false, now + Self.readInterval)
            while let (frame, peer) = try? xpub.receiveSubscription() {
                if turn.subscribed.heard(frame, from: peer) { cut(peer, at: transport.endpoint, &turn) }
                guard frame.first == 1 else { continue }
                client.subscribed(Array(frame.dropFirst()))
            }
            while let (frame, peer) = try? pub.receiveSubscription() {
                if turn.tapped.heard(frame, from: peer) { cut(peer, at: transport.tapEndpoint, &turn) }
            }
        }

        private func tidyUp(_ turn: inout Turn, at now: ContinuousClock.Instant) {
            let cut = intakes.reduce(0) { $0 + $1.newlyCut() }
            for _ in 0..<cut { client.cutSubscriber() }
            if cut > 0 { turn.tidyAt = now + Self.tidyDelay }
            guard let due = turn.tidyAt, due <= now else { return }
            turn.tidyAt = nil
            FreeMemory.giveBack()
        }

        /// Its connections to us end; it may come again.
        private func cut(_ peer: String?, at endpoint: String, _ turn: inout Turn) {
            client.cutSubscriber()
            turn.tidyAt = clock.now + Self.tidyDelay
            guard endpoint.hasPrefix("ipc://"), let process = peer?.split(separator: ":").last.flatMap({ Int32($0) }) else { return }
            PeerConnections.end(of: process, at: String(endpoint.dropFirst("ipc://".count)))
        }

        // MARK: Inline

        /// Sends what is queued, on this thread if nobody is at it; else whoever is at it does.
        ///
        /// - Returns: false when the sending thread has to be woken for it.
        func sendInline() -> Bool {
            wishes.add(1, ordering: .sequentiallyConsistent)
            for _ in 0..<Self.inlineLimit {
                let wished = wishes.load(ordering: .sequentiallyConsistent)
                guard let isDone = turn.withLockIfAvailable({ takeTurn(&$0) }) else { return true }
                guard isDone else { return false }
                if wishes.load(ordering: .sequentiallyConsistent) == wished { return true }
            }
            return false
        }

        /// False when the sending thread has to go on.
        private func takeTurn(_ turn: inout Turn) -> Bool {
            guard turn.backlog.isEmpty, !turn.isOver else { return false }
            // The last pull finds nothing, and the next one who says something may send inline too; or company has come.
            for _ in 0..<Self.inlinePulls {
                guard let outgoing = client.pullInline() else { return false }
                guard sendWithoutWaiting(outgoing.messages, &turn) else { return false }
                guard outgoing.isIdle else { continue }
                look(after: readsSoon(outgoing.nextPull, &turn), &turn)
                return true
            }
            return false
        }

        private func sendWithoutWaiting(_ messages: [Outgoing.Message], _ turn: inout Turn) -> Bool {
            for (index, message) in messages.enumerated() {
                turn.mayHaveNews = true
                if !message.tapOnly, (try? xpub.send(message.bytes)) != true {
                    turn.backlog = Array(messages[index...])
                    return false
                }
                _ = try? pub.send(message.bytes)
            }
            return true
        }

        /// A send may have taken the signal that the sending thread waits for: subscriptions are read then, but not for each who says something.
        ///
        /// - Returns: when the sending thread has to look.
        private func readsSoon(_ nextPull: Duration?, _ turn: inout Turn) -> Duration? {
            guard turn.mayHaveNews else { return nextPull }
            let now = clock.now
            if now >= turn.readAgainAt {
                readSubscriptions(&turn, at: now)
                return nextPull
            }
            return min(Self.readPatience, nextPull ?? Self.readPatience)
        }

        /// The sending thread sleeps without knowing of this.
        private func look(after delay: Duration?, _ turn: inout Turn) {
            guard let delay else { return }
            let time = clock.now + delay
            // The same moment, told twice, differs by what lies between telling and reading the clock.
            if let next = turn.nextLook, next <= time + Self.slack { return }
            turn.nextLook = time
            transport.wake()
        }
    }
}
