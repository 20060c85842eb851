import ReluxControl
import ReluxTestKit

@testable import ReluxCLI

/// Hand-overs of Counter to another build and back, one after the other, beside everything else that is done to its cluster.
final class ChaosUpgrades: Sendable, CustomStringConvertible {
    struct Seen: Sendable {
        var isOver = true
        /// Milliseconds for which nobody served, of those that were done.
        var pauses: [Double] = []
        var done = 0
        /// Those that were called off, by code: whoever dies in the middle leaves the old build serving.
        var calledOff: [String: Int] = [:]
    }

    let seen = Watched(Seen())
    private let handOvers: HandOvers

    init(_ cluster: Cluster) { handOvers = HandOvers(cluster: cluster) }

    /// Asks for the next one when the one before has come to its end; does not wait for this one's.
    func begin() async throws {
        try await end()
        seen.update { $0.isOver = false }
        // The next steps of the plan fall into it.
        Task.detached { [self] in
            do {
                let isSecond = try await handOvers.cluster.client.module("Counter").version == CounterVersions.second
                let lines = try await isSecond ? handOvers.rollback() : handOvers.upgrade(to: CounterVersions.second)
                seen.update { seen in
                    seen.done += 1
                    HandOvers.pause(in: lines).map { seen.pauses.append($0) }
                }
            } catch {
                let code = (error as? CLIError)?.code ?? "\(error)"
                seen.update { $0.calledOff[code, default: 0] += 1 }
            }
            seen.update { $0.isOver = true }
        }
    }

    /// Returns when none is on its way.
    func end() async throws { try await seen.wait(for: "the end of a hand-over", limit: watchdog * 3) { $0.isOver } }

    var description: String {
        let seen = seen.value
        let codes = seen.calledOff.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return "hand-overs: \(seen.done) done, nobody served for \(HandOvers.figures(seen.pauses)); called off: \(codes.isEmpty ? "none" : codes)"
    }
}
