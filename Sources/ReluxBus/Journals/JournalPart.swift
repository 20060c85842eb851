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
        var modules: [ModuleID: [BusCore.Unwritten]] = [:]
        for entry in batch { modules[entry.module, default: []].append(entry) }
        if let (module, records) = modules.first, modules.count == 1 {
            return [JournalPart(module: module, records: records, step: nil, isLast: true)]
        }
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

    /// Other modules whose records of the batch these follow from.
    package var foundations: Set<ModuleID> {
        guard let step, step > 0 else { return [] }
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

    /// Takes what was written out of the batch.
    package func remove(from batch: inout [BusCore.Unwritten]) {
        batch.removeAll { $0.module == module && (step == nil || Self.step(of: $0) == step) }
    }

    private static func step(of entry: BusCore.Unwritten) -> Int {
        switch entry.record {
        case .acked: 1
        case .cursor: 2
        default: 0
        }
    }
}
