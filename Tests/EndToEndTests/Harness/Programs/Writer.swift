import Foundation
import ReluxControl
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ

/// One publisher without a module: says 1, 2, 3 … through the ingress, some open at a time, and keeps what was answered.
///
/// It asks again under the same request id when there was no answer for a second: brokers may die.
final class Writer: Sendable {
    struct Answer: Sendable {
        let position: UInt64
        let nanoseconds: Int
    }
    struct Seen: Sendable {
        var sent = 0
        var open: Set<Int> = []
        var answers: [Int: Answer] = [:]
        /// The answers that should never be: refused, failed, lost, dead-lettered.
        var faults: [String] = []
        var hasEnded = false
    }

    let name: String
    let recipient: String
    let seen = Watched(Seen())
    private let topic: Topic
    private let payload: @Sendable (Int) throws -> [UInt8]
    private let isStopping = Watched(false)
    private let isAbandoned = Watched(false)

    init(
        _ name: String, on cluster: Cluster, to recipient: String, _ topic: Topic, window: Int,
        _ payload: @escaping @Sendable (Int) throws -> [UInt8]
    ) {
        (self.name, self.recipient, self.topic, self.payload) = (name, recipient, topic, payload)
        let endpoint = cluster.run.brokerEndpoint
        Thread { [self] in
            do {
                try publish(to: endpoint, window: window)
            } catch {
                seen.update { $0.faults.append("\(error)") }
            }
            seen.update { $0.hasEnded = true }
        }.start()
    }

    /// Emits to Counter; every second handler pauses for up to `pause` microseconds.
    static func adding(_ name: String, on cluster: Cluster, window: Int = 16, pause: Int) -> Writer {
        Writer(name, on: cluster, to: "Counter", Counting.topic, window: window) { number in
            let pause = number % 2 == 0 ? number * 997 % pause : 0
            return try CBOR.encode(Counting.Effect.add(publisher: name, run: 0, number: number, pause: pause))
        }
    }

    /// Has a publisher module make one series after the other.
    static func series(_ name: String, on cluster: Cluster, window: Int = 3, count: Int, pause: Int) -> Writer {
        Writer(name, on: cluster, to: "\(name)Orchestration", Topic(stringLiteral: "\(name)Orchestration.Effect"), window: window) { run in
            try CBOR.encode(Counting.SeriesEffect.emit(run: run, count: count, pause: pause))
        }
    }

    /// Returns when this number of further ones has been answered.
    func answers(_ count: Int) async throws {
        let wanted = seen.value.answers.count + count
        try await seen.wait(for: "\(count) more answers to \(name)") { $0.answers.count >= wanted || $0.hasEnded || !$0.faults.isEmpty }
        try check()
    }

    /// Says nothing new.
    func finish() { isStopping.update { $0 = true } }

    /// Asks no more for what is open.
    func abandon() { isAbandoned.update { $0 = true } }

    /// Says nothing new and returns when all that is open has been answered.
    func stop() async throws {
        finish()
        try await seen.wait(for: "the last answers to \(name)", limit: watchdog * 2) { $0.hasEnded }
        try check()
    }

    private func check() throws {
        if let fault = seen.value.faults.first { throw HarnessError("\(name): \(fault)") }
    }

    private func publish(to endpoint: String, window: Int) throws {
        var options = SocketOptions()
        options.linger = .zero
        let socket = try ZeroMQSocket(.dealer, in: try ZeroMQContext(), options: options)
        try socket.connect(endpoint)
        var poller = Poller(capacity: 1)
        poller.add(socket)
        var asked: [Int: (bytes: [UInt8], at: ContinuousClock.Instant)] = [:]
        let clock = ContinuousClock()
        while !isAbandoned.value, !isStopping.value || !seen.value.open.isEmpty {
            while !isStopping.value, seen.value.open.count < window {
                let number = seen.update { seen in
                    seen.sent += 1
                    seen.open.insert(seen.sent)
                    return seen.sent
                }
                // A recipient that is quarantined meanwhile is to have handled it too.
                let body = ClientRequest.Body.emit(
                    topic: topic, payload: ByteString(try payload(number)), deadlineMilliseconds: 600_000, label: name, everyone: true)
                let bytes = try CBOR.encode(BrokerInbound.client(ClientRequest(id: "\(name)-\(number)", body: body)))
                _ = try socket.send(bytes)
                asked[number] = (bytes, clock.now)
            }
            for (number, entry) in asked where clock.now - entry.at > .seconds(1) {
                asked[number]?.at = clock.now
                _ = try socket.send(entry.bytes)
            }
            guard try poller.wait(milliseconds: 20) > 0 else { continue }
            while let part = try socket.receiveParts()?.last {
                guard case .client(let response) = try CBOR.decode(BrokerOutbound.self, from: part),
                    let number = response.id.split(separator: "-").last.flatMap({ Int($0) })
                else { continue }
                // A cluster that comes up says so; it is asked again.
                if case .refused("ingress-closed", _, _) = response.body { continue }
                // To a repeated question there may be two answers.
                if asked.removeValue(forKey: number) != nil { note(number, response.body) }
            }
        }
    }

    private func note(_ number: Int, _ body: ClientResponse.Body) {
        let now = Diary.now()
        seen.update { seen in
            seen.open.remove(number)
            guard case .emitted(let answer) = body else { return seen.faults.append("\(number): \(body)") }
            let statuses = answer.outcomes.map { "\($0.recipient):\($0.status)" }
            guard statuses == ["\(recipient):succeeded"] else {
                return seen.faults.append("\(number) as \(answer.effect): \(statuses) \(answer.outcomes.map(\.message))")
            }
            seen.answers[number] = Answer(position: answer.effect.position, nanoseconds: now)
        }
    }
}
