import Foundation
import ReluxControl

@testable import ReluxCLI

extension Cluster {
    /// The facts about somebody for whom a story waits in vain: states and reasons, processes, the last words of the logs.
    ///
    /// In one line, the most telling first, for a report that shows no more.
    func whereabouts(of target: String) async -> String {
        let name = target.hasSuffix(".*") ? String(target.dropLast(2)) : target
        let said = await told()
        let processes = ProcessTable.cluster(in: run.path).map { "\($0.host ?? $0.executable) \($0.pid)" }.sorted().joined(separator: ", ")
        let notes = lastLines(of: "supervisor", 400).filter { $0.contains("relux.host=\(name)") || $0.contains("relux.host=broker") }.suffix(4)
        let own = lastLines(of: name == Faults.broker ? "broker" : name == Faults.supervisor ? "supervisor" : name, 3)
        return "[\(said); processes: \(processes.isEmpty ? "none" : processes); supervisor: \(Self.short(Array(notes))); \(name): \(Self.short(own))]"
    }

    private func told() async -> String {
        let run = run
        do {
            return try await offPool {
                let client = try BrokerClient(run: run, patience: .seconds(5))
                guard case .status(let status) = try client.ask(.status, timeout: .seconds(5)) else { return "a strange answer to status" }
                return Client.text(status)
            }
        } catch {
            return "no status: \(error)"
        }
    }

    private func lastLines(of log: String, _ count: Int) -> [String] {
        let data = FileManager.default.contents(atPath: run.log(of: log)) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(count).map(String.init)
    }

    /// Without what all lines have.
    private static func short(_ lines: [String]) -> String {
        lines.map { line in
            line.replacingOccurrences(of: " [ReluxSupervisor]", with: "").split(separator: " ")
                .filter { !$0.hasPrefix("relux.report=") && !$0.hasPrefix("20") && $0 != "relux.supervisor:" }.joined(separator: " ")
        }.joined(separator: " | ")
    }
}
