import ReluxBus
import ReluxTestKit
import Synchronization

extension InMemoryHub {
    enum Step {
        case announce(InMemoryTransport, [[UInt8]])
        case pull(InMemoryTransport, String)
        case receive(InMemoryTransport, [[UInt8]])
    }

    func run() {
        while let step = next() {
            switch step {
            case .announce(let transport, let subscriptions): transport.announce(subscriptions)
            case .receive(let transport, let frames): transport.receive(frames)
            case .pull(let transport, let endpoint):
                let isLossy = send(transport.pull(), from: endpoint)
                if isLossy { transport.droppedForSlowSubscriber() }
            }
        }
    }

    /// Subscriptions before sends, as they would be read; nil ends the pump.
    private func next() -> Step? {
        state.withLock { state in
            for (endpoint, subscriptions) in state.announced.sorted(by: { $0.key < $1.key }) {
                guard let transport = state.transports[endpoint], !state.frozen.contains(endpoint) else { continue }
                state.announced[endpoint] = nil
                return .announce(transport, subscriptions)
            }
            for endpoint in state.woken.sorted() where !state.frozen.contains(endpoint) {
                state.woken.remove(endpoint)
                guard let transport = state.transports[endpoint] else { continue }
                return .pull(transport, endpoint)
            }
            for pair in state.frames.keys.sorted(by: { ($0.to, $0.from) < ($1.to, $1.from) }) {
                guard !state.frozen.contains(pair.to), let transport = state.transports[pair.to] else { continue }
                return .receive(transport, state.frames.removeValue(forKey: pair) ?? [])
            }
            state.isPumping = false
            return nil
        }
    }

    /// Queues the frames for whom they match; true when one had to be dropped for a full queue.
    private func send(_ outgoing: Outgoing, from endpoint: String) -> Bool {
        state.withLock { state in
            // The endpoint is asked again while it has something to take, as a sending thread would ask.
            if !outgoing.isIdle { state.woken.insert(endpoint) }
            var isLossy = false
            for message in outgoing.messages where !message.tapOnly {
                for (peer, connected) in state.connections where connected.contains(endpoint) {
                    guard state.subscriptions[peer]?.contains(where: message.bytes.starts) == true else { continue }
                    let pair = Pair(from: endpoint, to: peer)
                    guard !state.cut.contains(pair) else { continue }
                    guard state.frames[pair, default: []].count < Self.queueLimit else {
                        isLossy = true
                        continue
                    }
                    state.queue(message.bytes, on: pair)
                }
            }
            return isLossy
        }
    }
}

extension InMemoryHub.State {
    mutating func queue(_ frame: [UInt8], on pair: InMemoryHub.Pair) {
        if random.chance(of: faults.dropped) { return }
        frames[pair, default: []].append(frame)
        if random.chance(of: faults.doubled) { frames[pair, default: []].append(frame) }
        if random.chance(of: faults.overtaken), let count = frames[pair]?.count, count > 1 {
            frames[pair]?.swapAt(count - 1, count - 2)
        }
    }
}
