import Relux
@testable import ReluxLedger
@testable import SimulationKit
import Testing

/// The audit beside simulated hosts that write, crash and lose frames meanwhile.
@Suite(.serialized) struct AuditSimulationTests {
    /// Reads one journal after the other while the simulation goes on.
    private struct Auditor {
        private var journals: [ModuleID: AuditedJournal] = [:]
        private var read: [ModuleID: Int] = [:]
        private var look = AuditLook()
        private var last: AuditLook?
        private(set) var audits: [Audit] = []

        mutating func read(_ module: ModuleID, on disk: SimulatedDisk) {
            let batches = disk.batches(of: module)
            var journal = journals[module] ?? AuditedJournal(Ledger(module))
            for index in (read[module] ?? 0)...batches.count {
                for epoch in disk.journals[module]?.opened[index] ?? [] { journal.ledger.begin(epoch) }
                for entry in index < batches.count ? batches[index] : [] {
                    journal.observe(entry.record)
                    journal.ledger.fold(entry.topic, entry.record)
                }
            }
            journals[module] = journal
            read[module] = batches.count
            look.journals[module] = journal
            guard look.journals.count == Simulation.names.count else { return }
            if let last { audits.append(Audit(first: last, second: look, places: nil)) }
            last = look
            look = AuditLook()
        }

        mutating func end(on disk: SimulatedDisk) -> Audit {
            for _ in 0..<2 {
                look = AuditLook()
                for module in Simulation.names { read(module, on: disk) }
            }
            let look = last ?? AuditLook()
            let places = Dictionary(Simulation.names.map { ($0, Audit.Place.running) }, uniquingKeysWith: { $1 })
            return Audit(first: look, second: look, places: places)
        }
    }

    /// Findings at the end, and on the way those that no change of membership explains.
    private func findings(seed: UInt64, _ options: Simulation.Options = .init()) -> [Audit.Finding] {
        // A loss of power, or an older copy, takes records back that the auditor has read.
        var options = options
        (options.diskFaults, options.copies) = (false, false)
        var simulation = Simulation(seed: seed, options: options)
        var auditor = Auditor()
        while simulation.step() {
            let steps = simulation.tally.steps
            if steps.isMultiple(of: 7) {
                auditor.read(Simulation.names[steps / 7 % Simulation.names.count], on: simulation.disk)
            }
        }
        let end = auditor.end(on: simulation.disk)
        // A publisher that never came back could not write down that a recipient was removed meanwhile.
        let gone = simulation.gone
        return auditor.audits.flatMap(\.findings).filter { $0.kind != .unanswered }
            + end.findings.filter { $0.kind != .unanswered || !gone.contains($0.key.publisher) }
    }

    @Test func `the books balance at every moment, whatever the network and the processes do`() async {
        for seed in UInt64(1)...8 {
            await Task.yield()
            let found = findings(seed: seed)
            #expect(found.isEmpty, "seed \(seed): \(found.prefix(3))")
        }
    }

    @Test(arguments: [Sabotage.publishBeforeAppend, .forgetCursor])
    func `the audit finds what is wrong with a protocol`(_ sabotage: Sabotage) async {
        for seed in UInt64(1)...60 {
            await Task.yield()
            if !findings(seed: seed, .init(sabotage: sabotage)).isEmpty { return }
        }
        Issue.record("60 seeds with \(sabotage) balanced")
    }
}
