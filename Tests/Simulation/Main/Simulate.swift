import SimulationKit

/// The simulator as a program; see Tests/Simulation/run.
@main struct Simulate {
    static func main() async {
        do {
            Running.tellOnTrap()
            var program = Simulate(try Arguments(CommandLine.arguments.dropFirst()))
            try await program.run()
        } catch {
            report("relux-sim: \(error)")
            end(2)
        }
    }

    private let arguments: Arguments
    private var passed = 0
    private var failed = 0

    private init(_ arguments: Arguments) { self.arguments = arguments }

    private mutating func run() async throws {
        switch arguments.mode {
        case .replay(let seed): return replay(seed)
        case .digest(let seeds): return print(seeds.reduce(into: UInt64(0)) { $0 = $0 &* 31 &+ outcome(of: $1).digest })
        case .check: break
        }
        let (last, isTooFar) = arguments.from.addingReportingOverflow(arguments.fixed - 1)
        let seeds = arguments.from...(isTooFar ? .max : last)
        let fixed = await judge(seeds, until: arguments.limit.map { .now + .seconds($0) })
        count(fixed, "\(fixed.count) fixed seeds, from \(arguments.from) on")
        if UInt64(fixed.count) < arguments.fixed {
            failed += 1
            print("failed   \(fixed.count) of \(arguments.fixed) fixed seeds in \(arguments.limit ?? 0) s; --limit gives them longer")
        }
        if arguments.seconds > 0 {
            let first = UInt64.random(in: 1 << 32...(1 << 62))
            let drawn = await judge(first...(first + 1 << 40), until: .now + .seconds(arguments.seconds))
            count(drawn, "\(drawn.count) random seeds from \(first) on, in \(arguments.seconds) s")
        }
        for sabotage in Sabotage.allCases { await control(sabotage) }
        print("\(passed) passed, \(failed) failed")
        end(failed == 0 ? 0 : 1)
    }

    private mutating func count(_ found: Findings, _ what: String) {
        let tally = found.tally
        let seen = """
            \(tally.handled) effects handled, \(tally.deaths) deaths, \(tally.powerLosses) losses of power, \(tally.putBack) older copies, \(tally.freezes) stops, \
            \(tally.handOvers) hand-overs, \(tally.absences) turns with somebody absent, \(tally.resultsLost) results lost
            """
        print("\(found.failures.isEmpty ? "passed  " : "failed  ") \(what): \(seen)")
        if found.failures.isEmpty { passed += 1 } else { failed += 1 }
        if found.failures.count > 5 { print("         \(found.failures.count) seeds broke a promise; the first of them:") }
        for failure in found.failures.prefix(5) { tell(failure) }
    }

    private func tell(_ failure: Findings.Failure) {
        print("         seed \(failure.seed): \(failure.faults.first.map { "\($0.prefix(300))" } ?? "")")
        print("         all of it: Tests/Simulation/run --seed \(failure.seed)")
    }

    /// The fixed seeds have to find each saboteur, or four times as many do: one of 500 seeds shows the rarest.
    private mutating func control(_ sabotage: Sabotage) async {
        let last = arguments.fixed * 4
        for start in stride(from: UInt64(1), through: last, by: 64) {
            let found = await judge(start...min(last, start + 63), until: nil, sabotage: sabotage)
            guard let failure = found.failures.first else { continue }
            passed += 1
            return print("passed   \(sabotage) is found by seed \(failure.seed): \(failure.faults.first?.prefix(100) ?? "")")
        }
        failed += 1
        print("failed   \(sabotage) is found by none of the first \(last) seeds")
    }

    // MARK: Seeds

    private struct Findings: Sendable {
        struct Failure: Sendable {
            var seed: UInt64
            var faults: [String]
        }
        var count = 0
        var tally = Simulation.Tally()
        var failures: [Failure] = []
    }

    /// Runs the seeds on all processors, as many as there are before the deadline.
    private func judge(
        _ seeds: ClosedRange<UInt64>, until deadline: ContinuousClock.Instant?, sabotage: Sabotage? = nil
    ) async -> Findings {
        let jobs = UInt64(arguments.jobs)
        let options = Simulation.Options(sabotage: sabotage)
        return await withTaskGroup(of: Findings.self) { group in
            for job in 0..<jobs {
                group.addTask {
                    var found = Findings()
                    for seed in stride(from: seeds.lowerBound + job, through: seeds.upperBound, by: Int(jobs)) {
                        if let deadline, ContinuousClock.now >= deadline { break }
                        Running.note(seed, of: Int(job))
                        var simulation = Simulation(seed: seed, options: options)
                        let faults = simulation.run()
                        found.count += 1
                        found.tally += simulation.tally
                        if !faults.isEmpty { found.failures.append(.init(seed: seed, faults: faults)) }
                        // A long run says so at once, too.
                        if sabotage == nil, let fault = faults.first { report("relux-sim: seed \(seed): \(fault.prefix(300))") }
                        // A saboteur is found once.
                        if sabotage != nil, !faults.isEmpty { break }
                    }
                    return found
                }
            }
            var all = Findings()
            for await found in group {
                all.count += found.count
                all.tally += found.tally
                all.failures += found.failures
            }
            all.failures.sort { $0.seed < $1.seed }
            return all
        }
    }

    private func outcome(of seed: UInt64) -> (faults: [String], digest: UInt64) {
        var simulation = Simulation(seed: seed, options: .init(sabotage: arguments.sabotage))
        if arguments.isTraced { simulation.trace = { print($0) } }
        let faults = simulation.run()
        return (faults, simulation.digest)
    }

    private func replay(_ seed: UInt64) {
        let (faults, digest) = outcome(of: seed)
        for fault in faults { print(fault) }
        print("seed \(seed): \(faults.isEmpty ? "all promises were kept" : "\(faults.count) promises were broken"); digest \(digest)")
        end(faults.isEmpty ? 0 : 1)
    }
}
