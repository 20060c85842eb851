package import Relux

/// What of a batch one journal takes with one append. Pure.
///
/// Design notes. Each module has a journal of its own, so a process that dies may have written some of a batch's journals and not the
/// others. What a publisher says of others' settlements (ACKED) is written when those are in their journals, and what a module says of
/// its own that were taken (CURSOR) when those are; the other way round a life could begin that waits for what is never said again.
package struct JournalPart: Sendable, Hashable {
    package var module: ModuleID
    package var records: [BusCore.Unwritten]
    /// nil when there is only one.
    private var step: Int?
    /// Nothing of the batch follows for this module.
    package var isLast: Bool

    /// In the order in which they are written.
    package static func parts(of batch: [BusCore.Unwritten]) -> [JournalPart] {
        // Nearly always: nothing is looked up, and nothing copied.
        if let module = batch.first?.module, batch.allSatisfy({ $0.module == module }) {
            return [JournalPart(module: module, records: batch, step: nil, isLast: true)]
        }
        var modules: [ModuleID: [BusCore.Unwritten]] = [:]
        for entry in batch { modules[entry.module, default: []].append(entry) }
        let sorted = modules.sorted { $0.key < $1.key }
        return (0...2).flatMap { step in
            sorted.compactMap { module, records in
                let part = records.filter { Self.step(of: $0) == step }
                if part.isEmpty { return nil }
                let isLast = !records.contains { Self.step(of: $0) > step }
                return JournalPart(module: module, records: part, step: step, isLast: isLast)
            }
        }
    }

    /// The other modules whose records of the batch this part follows from.
    package var foundations: Set<ModuleID> {
        // The rest of a batch that was taken in part may belong to one module and still follow from the part that was taken.
        if step == 0 { return [] }
        var modules: Set<ModuleID> = []
        for entry in records {
            switch entry.record {
            case .acked(let acked): modules.insert(acked.recipient)
            case .cursor(let cursor): modules.formUnion([cursor.topic.settledPublisher].compactMap(\.self))
            default: continue
            }
        }
        modules.remove(module)
        return modules
    }

    /// Its records, coded: a run of each topic and frame size, in the order of ``JournalOrder``.
    ///
    /// - Throws: a refusal that is not temporary when a record is over its limit.
    package func runs() throws(JournalRefusal) -> [SaidRun] { try Self.runs(of: records, module) }

    /// The same for the records that reach somebody, where there is no journal.
    package static func reaching(_ records: [BusCore.Unwritten]) throws(JournalRefusal) -> [SaidRun] {
        var runs: [SaidRun] = []
        for part in parts(of: records.filter { $0.reach != .nobody }) { runs += try part.runs() }
        return runs
    }

    /// Takes what was written out of the batch.
    package func remove(from batch: inout [BusCore.Unwritten]) {
        guard let step else { return batch = [] }
        batch.removeAll { $0.module == module && Self.step(of: $0) == step }
    }

    private static func step(of entry: BusCore.Unwritten) -> Int {
        switch entry.record {
        case .acked: 1
        case .cursor: 2
        default: 0
        }
    }
}
