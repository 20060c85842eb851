import Foundation
import ReluxControl
import Testing

extension EndToEnd {
    @Suite struct DownUnderLoad {
        @Test(arguments: Placement.allCases)
        func `down under load ends all in reverse order and leaves nothing`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let load = Load(on: cluster, try Load.mixed(), publishers: 4, window: 32, seed: 51)
                try await load.answers(300)
                try await cluster.end()
                load.abandon()
                #expect(cluster.processes.isEmpty)
                let log = try String(contentsOfFile: cluster.run.log(of: "supervisor"), encoding: .utf8)
                let lines = log.split(separator: "\n")
                func hosts(_ event: String) -> [String] {
                    lines.filter { $0.hasSuffix(event) }.compactMap { line in
                        line.split(separator: " ").first { $0.hasPrefix("relux.host=") }.map { String($0.dropFirst(11)) }
                    }
                }
                #expect(hosts("process ended") == hosts("process started").reversed(), "\(log)")
                #expect(!log.contains("process died"), "\(log)")
                #expect(!log.contains("SIGKILL"), "\(log)")
                try await cluster.up()
            }
        }
    }
}
