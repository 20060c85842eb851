package import Relux
import ReluxJournal

/// The part of a batch that one journal takes with one append: runs in the order of ``JournalOrder``.
package struct JournalPart: Sendable, Hashable {
    package var module: ModuleID
    package var runs: [SaidRun] = []
    /// The other modules whose records of the batch this part follows from.
    package var foundations: Set<ModuleID> = []
    /// Nothing of the batch follows for this module.
    package var isLast = false

    init(module: ModuleID) { self.module = module }

    package var recordCount: Int { runs.reduce(0) { $0 + $1.run.recordCount } }

    /// Records of one module that reach nobody.
    ///
    /// - Throws: a refusal that is not temporary when a record is over its limit.
    package static func parts(of module: ModuleID, _ records: [(topic: Topic, record: WireRecord)]) throws(JournalRefusal) -> [JournalPart] {
        var draft = JournalDraft()
        for (topic, record) in records { draft.append(record, on: topic, of: module) }
        return try draft.take().get()
    }
}

extension [JournalPart] {
    /// The runs that leave the process once they are written.
    package var reaching: [SaidRun] { flatMap(\.runs).filter { $0.reach != .nobody } }
}
