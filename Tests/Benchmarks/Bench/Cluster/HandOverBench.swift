import Relux
import ReluxControl
import Synchronization

/// How long a module of a running cluster does not answer while another process takes it over, under load: what an upgrade costs.
///
/// The module moves between two processes; but for the code that is loaded an upgrade is the same.
enum HandOverBench {
    private static let module: ModuleID = "Navigation"
    private static let topic: Topic = "Navigation.Business.Effect"

    /// The results of a client that sends one effect after the other.
    private struct Tally: Sendable {
        var answered = 0
        var lost = 0
        /// The longest time of an effect that began since the last look.
        var longest = Duration.zero
        var isOver = false
    }

    private final class Seen: Sendable {
        private let tally = Mutex(Tally())
        func withLock<R: Sendable>(_ body: (inout Tally) -> R) -> R { tally.withLock { body(&$0) } }
    }

    static func run(_ directory: String, _ count: Int) async throws {
        let seen = Seen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try send(directory, seen) }
            defer { seen.withLock { $0.isOver = true } }
            var pauses: [Duration] = []
            var waits: [Duration] = []
            var talk = try BrokerTalk(directory)
            for number in 0..<count {
                let answered = seen.withLock { $0.answered }
                while seen.withLock({ $0.answered }) < answered + 20 { try await Task.sleep(for: .milliseconds(1)) }
                seen.withLock { $0.longest = .zero }
                let answer = try talk.ask(.move(module: module, to: HostID(rawValue: "bench-\(number % 2)"), dryRun: false))
                guard case .done(let lines) = answer, let pause = pause(in: lines) else {
                    throw BenchError("\(module) was not handed over: \(answer)")
                }
                let after = seen.withLock { $0.answered }
                while seen.withLock({ $0.answered }) < after + 2 { try await Task.sleep(for: .milliseconds(1)) }
                pauses.append(pause)
                waits.append(seen.withLock { $0.longest })
            }
            seen.withLock { $0.isOver = true }
            try await group.waitForAll()
            var line = Line("relux.handover")
            line.add("count", count)
            for (name, times) in [("pause", Percentiles(pauses)), ("wait", Percentiles(waits))] {
                line.add("\(name)_ms_p50", times.microseconds(0.5) / 1000)
                line.add("\(name)_ms_p99", times.microseconds(0.99) / 1000)
            }
            line.add("effects", seen.withLock { $0.answered })
            line.add("lost", seen.withLock { $0.lost })
            line.printed()
        }
    }

    /// Blocks a thread of the pool; there is another one.
    private static func send(_ directory: String, _ seen: Seen) throws {
        var talk = try BrokerTalk(directory)
        let payload = ByteString(try CBOR.encode(["pop": [String: String]()]))
        while !seen.withLock({ $0.isOver }) {
            let start = Monotonic.now()
            let answer = try talk.ask(.emit(topic: topic, payload: payload, deadlineMilliseconds: 0, label: "bench"))
            let took = Monotonic.now() - start
            guard case .emitted(let emitted) = answer else { throw BenchError("an effect was not accepted: \(answer)") }
            seen.withLock { seen in
                seen.answered += 1
                if !emitted.succeeded { seen.lost += 1 }
                seen.longest = max(seen.longest, took)
            }
        }
    }

    /// As the broker has measured it, from its order to give the module up to the successor's word that it is ready.
    private static func pause(in lines: [String]) -> Duration? {
        for line in lines {
            let words = line.split(separator: " ")
            for (index, word) in words.enumerated() where word == "in" && index >= 2 && words[index - 1] == "over" && index + 1 < words.count {
                if let milliseconds = Int(words[index + 1]) { return .milliseconds(milliseconds) }
            }
        }
        return nil
    }
}
