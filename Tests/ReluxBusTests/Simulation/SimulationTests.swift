import Testing

@Suite(.serialized) struct SimulationTests {
    @Test func `whatever a bad network does, every effect ends once and nothing is kept`() async {
        for seed in UInt64(1)...100 {
            // A seed computes for a while, and the other tests of this process need the two threads as well.
            await Task.yield()
            var simulation = Simulation(seed: seed)
            let faults = simulation.run()
            #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
        }
    }

    @Test func `a perfect network needs no repair`() async {
        for seed in UInt64(1)...20 {
            await Task.yield()
            var simulation = Simulation(
                seed: seed, options: .init(dropped: 0, doubled: 0, reordered: 0, crashes: false))
            let faults = simulation.run()
            #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
        }
    }

    @Test(arguments: Simulation.Sabotage.allCases)
    func `the simulation finds what is wrong with a protocol`(_ sabotage: Simulation.Sabotage) async {
        for seed in UInt64(1)...60 {
            await Task.yield()
            var simulation = Simulation(seed: seed, options: .init(sabotage: sabotage))
            if !simulation.run().isEmpty { return }
        }
        Issue.record("60 seeds with \(sabotage) passed")
    }
}
