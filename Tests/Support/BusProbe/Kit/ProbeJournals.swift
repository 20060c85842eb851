package import Relux
import ReluxControl
import ReluxJournal
package import ReluxLedger
import Synchronization

/// The journals of a host of scripted members.
package protocol ProbeJournals: Journaling {
    /// The ledger that the module's earlier lives have written.
    func open(_ module: ModuleID, epoch: Epoch) throws -> Ledger
    /// Nothing is written any more, as if the process had been killed.
    func fence()
    func closeAll()
}

/// The journals that survive hosts of this process.
package final class MemoryDisk: Sendable {
    private let runs = Mutex<[ModuleID: [JournalRun]]>([:])

    package init() {}

    func append(_ parts: [JournalPart]) {
        runs.withLock { runs in
            for part in parts { runs[part.module, default: []] += part.runs.map(\.run) }
        }
    }

    package func ledger(of module: ModuleID) throws -> Ledger {
        var ledger = Ledger(module)
        for run in runs.withLock({ $0[module] ?? [] }) { try ledger.take(run) }
        return ledger
    }
}

/// Journals of one life of a host, on a disk that is only memory.
package final class MemoryJournals: ProbeJournals {
    private let disk: MemoryDisk
    private let isFenced = Mutex(false)

    package init(on disk: MemoryDisk) { self.disk = disk }

    package func open(_ module: ModuleID, epoch: Epoch) throws -> Ledger {
        var ledger = try disk.ledger(of: module)
        ledger.begin(epoch)
        return ledger
    }
    package func wantsLedger(of module: ModuleID) -> Bool { false }

    package func append(
        _ parts: inout [JournalPart], ledgers: [ModuleID: Ledger], pressing: Set<ModuleID>, written: inout [SaidRun]
    ) throws(JournalRefusal) {
        let isDone = isFenced.withLock { isFenced in
            if !isFenced { disk.append(parts) }
            return !isFenced
        }
        guard isDone else {
            throw JournalRefusal(module: parts.first?.module ?? "none", description: "the host is dead", isTemporary: true)
        }
        written += parts.reaching
        parts = []
    }

    /// Nothing survives the loss of power here.
    package func sync(_ module: ModuleID) {}
    package func close(_ module: ModuleID) {}
    package func closeAll() {}
    package func fence() { isFenced.withLock { $0 = true } }
}

/// The journals that production has, in a directory that all lives of all hosts share.
package final class FileJournals: ProbeJournals {
    private let journals: ModuleJournals
    private let directory: String

    package init(in directory: String) throws {
        self.directory = directory
        journals = ModuleJournals(environment: try .live()) { refusal in
            StandardError.write("relux-bus-probe: journal of \(refusal.module): \(refusal.description)")
        }
    }

    package func open(_ module: ModuleID, epoch: Epoch) throws -> Ledger {
        try journals.open(module, at: "\(directory)/\(module.rawValue)", epoch: epoch).ledger
    }

    /// As it is in the files, whoever writes them.
    package static func ledger(of module: ModuleID, in directory: String) throws -> Ledger {
        try LedgerReader(directory: "\(directory)/\(module.rawValue)", module: module, environment: try .live()).ledger()
    }

    package func wantsLedger(of module: ModuleID) -> Bool { journals.wantsLedger(of: module) }

    package func append(
        _ parts: inout [JournalPart], ledgers: [ModuleID: Ledger], pressing: Set<ModuleID>, written: inout [SaidRun]
    ) throws(JournalRefusal) {
        try journals.append(&parts, ledgers: ledgers, pressing: pressing, written: &written)
    }

    package func sync(_ module: ModuleID) throws(JournalRefusal) { try journals.sync(module) }

    package func close(_ module: ModuleID) { journals.close(module) }
    package func prepareHandOver(_ module: ModuleID, _ ledger: Ledger) { journals.prepareHandOver(module, ledger) }
    package func handOver(_ module: ModuleID, _ ledger: Ledger) { journals.handOver(module, ledger) }
    package func closeAll() { journals.closeAll() }
    /// Files are given back when they are closed: a process that is to be killed has to be one.
    package func fence() { journals.closeAll() }
}
