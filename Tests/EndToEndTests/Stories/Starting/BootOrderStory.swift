import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

@testable import ReluxCLI

extension EndToEnd {
    @Suite struct BootOrder {
        @Test(arguments: Placement.allCases)
        func `modules come up phase by phase, an orchestrator never before its domains`(_ placement: Placement) async throws {
            try await Cluster.play(placement, waitsUntilReady: false) { cluster in
                let client = cluster.client
                // Each is what the broker saw at one moment, so that it can be held to the order by itself.
                let watching = Task {
                    try await offPool { _ = try poll(for: "a supervisor") { client.run.runningSupervisor() } }
                    return try await client.talk { client in
                        var seen: [ClusterStatus] = []
                        _ = try poll(for: "the whole cluster", last: { seen.last.map(Client.text) ?? "" }) { () -> Bool? in
                            guard case .status(let status)? = try? client.ask(.status, timeout: .seconds(2)) else { return nil }
                            seen.append(status)
                            return status.phase == .open ? true : nil
                        }
                        return seen
                    }
                }
                let outcome = try await cluster.up()
                let seen = try await watching.value
                for status in seen { try check(status) }
                #expect(outcome.description.contains("\(Placement.modules.count)/\(Placement.modules.count) ready"))
                let last = try #require(seen.last)
                #expect(last.modules.map(\.id.rawValue).sorted() == Placement.modules.sorted())
                #expect(last.modules.allSatisfy { $0.state.phase == .ready })
                let sharing = placement == .sharedDomains ? Placement.domains.count - 1 : 0
                #expect(Set(last.modules.map(\.pid)).count == Placement.modules.count - sharing)
            }
        }

        private func check(_ status: ClusterStatus) throws {
            let phases = Dictionary(uniqueKeysWithValues: status.modules.map { ($0.id.rawValue, $0.state.phase) })
            func isReady(_ name: String) -> Bool { phases[name] == .ready }
            func hasBegun(_ name: String) -> Bool { ![nil, .declared, .verified].contains(phases[name]) }
            if Placement.domains.contains(where: hasBegun) {
                #expect(Placement.infrastructure.allSatisfy(isReady), "a domain began first: \(Client.text(status))")
            }
            if Placement.orchestrators.contains(where: hasBegun) {
                #expect(Placement.domains.allSatisfy(isReady), "an orchestrator began first: \(Client.text(status))")
            }
            for module in status.modules where module.state.phase == .ready {
                for interface in module.imports {
                    let owner = String(interface.dropLast("ReluxInt".count))
                    #expect(isReady(owner), "\(module.id) is ready before \(owner): \(Client.text(status))")
                }
            }
        }

        @Test func `an orchestrator waits, and says why, while a domain is not there`() async throws {
            let some = Placement.modules.filter { $0 != "Notes" }
            try await Cluster.play(modules: some, waitsUntilReady: false) { cluster in
                let up = try await cluster.cli("up", "--timeout", "5s")
                #expect(up.status != 0)
                let waiting = try await cluster.client.module("DataOrchestration")
                #expect(waiting.state.phase != .ready)
                try await cluster.client.module("SessionOrchestration", is: .ready)
                let why = try await cluster.cli("module", "why-not", "DataOrchestration")
                #expect(why.status == 6)
                #expect(why.stdout.contains("Notes"))
            }
        }
    }
}
