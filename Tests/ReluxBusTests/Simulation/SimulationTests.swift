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

    @Test func `without repair the simulation finds what is lost`() {
        let failing = (UInt64(1)...10).filter { seed in
            var simulation = Simulation(seed: seed, options: .init(isRepairing: false))
            return !simulation.run().isEmpty
        }
        #expect(!failing.isEmpty)
    }
}
