import Foundation
import ReluxControl
import ReluxWire

/// Hand-overs of Counter as a story asks for them.
struct HandOvers: Sendable {
    let cluster: Cluster

    /// Upgrades Counter; returns the broker's lines when it is done.
    @discardableResult
    func upgrade(to version: String, dryRun: Bool = false) async throws -> [String] {
        try await ask(.upgrade(module: "Counter", directory: try CounterVersions.directory(version, in: cluster), dryRun: dryRun))
    }

    @discardableResult
    func rollback(dryRun: Bool = false) async throws -> [String] { try await ask(.rollback(module: "Counter", dryRun: dryRun)) }

    /// - Parameter host: nil for a process of its own.
    @discardableResult
    func move(to host: HostID?, dryRun: Bool = false) async throws -> [String] {
        try await ask(.move(module: "Counter", to: host, dryRun: dryRun))
    }

    private func ask(_ request: ClientRequest.Body) async throws -> [String] {
        guard case .done(let lines) = try await cluster.client.ask(request) else { throw HarnessError("a strange answer to \(request)") }
        return lines
    }

    /// The reason why the broker refuses it, or could not do it; nil when it was done.
    func failure(of body: () async throws -> [String]) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Waits until nothing is handed over any more and Counter is ready.
    @discardableResult
    func over() async throws -> ClusterStatus.Module {
        let status = try await cluster.client.status(when: "the end of the hand-over") { status in
            status.modules.contains { $0.id == "Counter" && $0.state.phase == .ready && $0.handover == nil }
        }
        guard let module = status.modules.first(where: { $0.id == "Counter" }) else { throw HarnessError("no Counter") }
        return module
    }

    /// The books of the whole cluster balance; returns what `relux audit` has printed.
    func audit() async throws -> Outcome {
        let outcome = try await cluster.cli("audit")
        if outcome.status != 0 { throw HarnessError("the audit finds fault\n\(outcome)") }
        return outcome
    }

    /// Milliseconds, as the broker has measured them from its order to give the module up to the successor's word that it is ready.
    static func pause(in lines: [String]) -> Double? {
        lines.lazy.compactMap { line in
            guard let start = line.range(of: "handed over in "), let end = line[start.upperBound...].firstIndex(of: " ") else { return nil }
            return Double(line[start.upperBound..<end])
        }.first
    }

    /// Milliseconds between the last handler that each process began and the first one of its successor.
    static func pauses(in diary: Diary) throws -> [Double] {
        var last: Diary.Line?
        var pauses: [Double] = []
        for line in try diary.lines() where line.what == "start" {
            if let last, last.pid != line.pid { pauses.append(Double(line.nanoseconds - last.nanoseconds) / 1e6) }
            last = line
        }
        return pauses
    }

    static func figures(_ milliseconds: [Double]) -> String {
        let sorted = milliseconds.sorted()
        guard let longest = sorted.last else { return "none" }
        func quantile(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
        return String(format: "%d, p50 %.1f ms, p99 %.1f ms, longest %.1f ms", sorted.count, quantile(0.5), quantile(0.99), longest)
    }
}
