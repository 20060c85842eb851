import Testing

@Suite struct SimulationTests {
    @Test func `whatever a bad network does, every effect ends once and nothing is kept`() {
        for seed in UInt64(1)...100 {
            var simulation = Simulation(seed: seed)
            let faults = simulation.run()
            #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
        }
    }

    @Test func `a perfect network needs no repair`() {
        for seed in UInt64(1)...20 {
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
