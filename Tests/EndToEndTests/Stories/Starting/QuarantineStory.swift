import ReluxControl
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct ChaosQuarantine {
        @Test func `a module that dies more often than the default allows is quarantined, and all others go on serving`() async throws {
            let seed = ChaosRun.seed()
            ChaosRun.isTold(of: seed)
            let beta = "BetaOrchestration"
            // Enough for the others to feel it, not enough for their own quarantine.
            let plan = FaultPlan(
                seed: seed,
                [
                    .init(kind: .kill, target: "Counter", count: 2), .init(kind: .freeze, target: "Counter", count: 3),
                    .init(kind: .kill, target: "AlphaOrchestration", count: 2), .init(kind: .kill, target: Faults.broker, count: 3),
                ])
            try await DurablePlugins.play(DurablePlugins.publishers, settings: []) { cluster, diary in
                let run = try await ChaosRun(cluster, diary, plan)
                let driver = run.series[1]
                for _ in 1...6 {
                    // The two that were open have been run again by then: a death with one of those would be charged to it.
                    try await driver.answers(3)
                    try await run.faults.kill(beta, try await run.faults.life(of: beta))
                }
                let quarantined = try await cluster.client.module(beta, is: .quarantined)
                #expect(quarantined.state.why.contains("5 restarts within 60s"), "\(quarantined.state)")

                try await run.play()
                for one in [run.series[0]] + run.writers { try await one.answers(20) }
                let status = try await cluster.client.status()
                #expect(status.modules.filter { $0.id.rawValue != beta }.allSatisfy { $0.state.phase == .ready }, "\(Client.text(status))")
                #expect(try await cluster.client.module(beta).state.phase == .quarantined)

                // Effects that wait for it are not lost either.
                let restart = try await cluster.cli("module", "restart", beta)
                #expect(restart.status == 0, "\(restart)")
                let books = try await run.books()
                run.printTable(books, ["default supervision"])
                #expect(books.isBalanced, "seed \(seed): \(books)")
                #expect(try await Counting.totals(cluster) == books.totals, "seed \(seed)")
            }
        }
    }
}
