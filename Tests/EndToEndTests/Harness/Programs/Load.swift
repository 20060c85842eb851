import Foundation
import Glibc
import NotesReluxInt
import ProfileReluxInt
import Relux
import ReluxControl
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ
import SettingsReluxInt

/// Several publishers that keep effects in flight through a cluster's ingress until they are told to stop.
///
/// Each has a socket of its own and a seed, awaits what it emits, and asks again under the same request id when there was no
/// answer for a second, as a client of a broker that may die has to.
final class Load: Sendable {
    struct Tally: Sendable, CustomStringConvertible {
        var sent = 0
        var answered = 0
        /// `Notes:succeeded` and the like, of all outcomes.
        var outcomes: [String: Int] = [:]
        /// The refusals of the broker, by code.
        var refused: [String: Int] = [:]
        /// Effects that had no answer long after their deadline.
        var hung: [String] = []
        var running = 0
        var failure = ""

        func count(_ recipient: String, _ status: String) -> Int { outcomes["\(recipient):\(status)"] ?? 0 }
        var description: String {
            "sent \(sent) answered \(answered) outcomes \(outcomes) refused \(refused) hung \(hung) \(failure)"
        }
    }

    struct Kind: Sendable {
        var topic: Topic
        var payload: ByteString
        var name: String
        init<E: Relux.Effect>(_ effect: E) throws {
            topic = E.wireTopic
            payload = ByteString(try CBOR.encode(effect))
            name = "\(effect)"
        }
        /// An effect of a type that is not linked here, as its coding lays it out.
        init(topic: Topic, payload: [String: [String: String]]) throws {
            self.topic = topic
            self.payload = ByteString(try CBOR.encode(payload))
            name = "\(topic).\(payload)"
        }
        /// The same, of a twin that this target has.
        init(topic: Topic, _ effect: some Encodable & Sendable) throws {
            self.topic = topic
            payload = ByteString(try CBOR.encode(effect))
            name = "\(topic) \(effect)"
        }
        /// A case without fields of such a type.
        init(topic: Topic, case name: String) throws {
            self.topic = topic
            payload = ByteString(try CBOR.encode([name: [String: Int]()]))
            self.name = "\(topic).\(name)"
        }
    }

    /// Domains, and an orchestrator that asks Auth and is answered.
    static func mixed() throws -> [Kind] {
        [
            try Kind(Notes.Business.Effect.search(query: "bread")),
            try Kind(Profile.Business.Effect.fetchProfile(userId: "u1")),
            try Kind(Settings.Business.Effect.loadSettings(userId: "u1")),
            try Kind(topic: "SessionOrchestration.Effect", case: "refreshSession"),
        ]
    }

    let tally = Watched(Tally())
    private let isStopping = Watched(false)
    private let isAbandoned = Watched(false)
    private let deadline: Duration
    private let everyone: Bool
    private let pace: Duration

    /// Starts at once; `window` effects of each publisher are open at a time, `limit` are sent in all. `everyone`: who is known to be absent is waited
    /// for too. `pace`: the least time between two effects of a publisher. Without one, load takes all that is left of the processors.
    init(
        on cluster: Cluster, _ kinds: [Kind], publishers: Int = 3, window: Int = 16, seed: UInt64,
        deadline: Duration = .seconds(10), limit: Int = .max, everyone: Bool = false, pace: Duration = .zero
    ) {
        self.pace = pace
        self.deadline = deadline
        self.everyone = everyone
        let endpoint = cluster.run.brokerEndpoint
        for number in 0..<publishers {
            tally.update { $0.running += 1 }
            Thread { [self] in
                do {
                    try publish(
                        kinds, to: endpoint, window: window, limit: limit, random: SeededRandom(seed: seed &+ UInt64(number)))
                } catch {
                    tally.update { $0.failure = "\(error)" }
                }
                tally.update { $0.running -= 1 }
            }.start()
        }
    }

    /// Returns when this number of further effects has been answered.
    func answers(_ count: Int) async throws {
        let wanted = tally.value.answered + count
        try await tally.wait(for: "\(count) more answers") { $0.answered >= wanted || !$0.failure.isEmpty }
    }

    /// Sends nothing new, waits until all is answered, and returns what there was.
    @discardableResult
    func stop() async throws -> Tally {
        isStopping.update { $0 = true }
        try await tally.wait(for: "the end of the load", limit: deadline + watchdog) { $0.running == 0 }
        return tally.value
    }

    /// Ends without waiting for answers: there is nobody left to give them.
    func abandon() { isAbandoned.update { $0 = true } }

    private struct Open {
        var bytes: [UInt8]
        var name: String
        var at: ContinuousClock.Instant
        var lastSent: ContinuousClock.Instant
    }

    private func publish(_ kinds: [Kind], to endpoint: String, window: Int, limit: Int, random: SeededRandom) throws {
        var random = random
        var options = SocketOptions()
        options.linger = .zero
        let socket = try ZeroMQSocket(.dealer, in: try ZeroMQContext(), options: options)
        try socket.connect(endpoint)
        var poller = Poller(capacity: 1)
        poller.add(socket)
        var open: [String: Open] = [:]
        var left = limit
        let clock = ContinuousClock()
        var next = clock.now
        while !isAbandoned.value, !isStopping.value || !open.isEmpty {
            while !isStopping.value, open.count < window, left > 0, clock.now >= next, let kind = kinds.randomElement(using: &random) {
                left -= 1
                next = clock.now + pace
                let id = UUID().uuidString
                let request = ClientRequest.Body.emit(
                    topic: kind.topic, payload: kind.payload,
                    deadlineMilliseconds: UInt64(deadline / .milliseconds(1)), label: "load", everyone: everyone)
                let bytes = try CBOR.encode(BrokerInbound.client(ClientRequest(id: id, body: request)))
                _ = try socket.send(bytes)
                open[id] = Open(bytes: bytes, name: kind.name, at: clock.now, lastSent: clock.now)
                tally.update { $0.sent += 1 }
            }
            if try poller.wait(milliseconds: pace == .zero ? 50 : 5) > 0 {
                while let part = try socket.receiveParts()?.last {
                    guard case .client(let response) = try CBOR.decode(BrokerOutbound.self, from: part),
                        open.removeValue(forKey: response.id) != nil
                    else { continue }
                    note(response.body)
                }
            }
            for (id, entry) in open {
                if clock.now - entry.at > deadline + .seconds(30) {
                    open[id] = nil
                    tally.update { $0.hung.append(entry.name) }
                } else if clock.now - entry.lastSent > .seconds(1) {
                    open[id]?.lastSent = clock.now
                    _ = try socket.send(entry.bytes)
                }
            }
        }
    }

    private func note(_ answer: ClientResponse.Body) {
        tally.update { tally in
            tally.answered += 1
            switch answer {
            case .emitted(let answer):
                for outcome in answer.outcomes { tally.outcomes["\(outcome.recipient):\(outcome.status)", default: 0] += 1 }
                if answer.unhandled { tally.outcomes["unhandled", default: 0] += 1 }
            case .refused(let code, _, _): tally.refused[code, default: 0] += 1
            default: tally.refused["strange", default: 0] += 1
            }
        }
    }
}
