package import Relux
package import ReluxBus
import ReluxJournal
package import ReluxLedger

/// A record as a module has said it, before it was coded or when it was read back.
package struct Said: Sendable, Hashable {
    package var module: ModuleID
    package var topic: Topic
    package var record: WireRecord
    package var reach = SaidRun.Reach.nobody
    package var epoch = Epoch(0)

    package init(module: ModuleID, topic: Topic, record: WireRecord) {
        self.module = module
        self.topic = topic
        self.record = record
    }

    fileprivate init(_ record: WireRecord, in run: SaidRun) {
        self.init(module: run.module, topic: run.topic, record: record)
        (reach, epoch) = (run.reach, run.epoch)
    }

    /// As it is on the disk: whom it reaches is not written.
    var written: Said { Said(module: module, topic: topic, record: record) }
}

extension JournalPart {
    package static func parts(of batch: [Said]) throws(JournalRefusal) -> [JournalPart] {
        var draft = JournalDraft()
        for said in batch { draft.append(said) }
        return try draft.take().get()
    }

    /// Its records, read back out of the runs.
    package func said() throws(WireError) -> [Said] {
        var all: [Said] = []
        for run in runs { all += try WireRecord.decodeAll(run.run.records).map { Said($0, in: run) } }
        return all
    }
}

extension JournalDraft {
    package mutating func append(_ said: Said) {
        append(said.record, on: said.topic, of: said.module, reaching: said.reach, epoch: said.epoch)
    }
}

extension BusCore {
    /// The records that go into the journals now, read back. A test that says what cannot be coded ends here.
    package mutating func takeSaid() -> [Said] {
        do {
            return try takeDraft().get().flatMap { try $0.said() }
        } catch {
            fatalError("what was said cannot be coded, or read back: \(error)")
        }
    }
}

extension Journaling {
    package func append(_ batch: [Said], ledgers: [ModuleID: Ledger] = [:]) throws {
        var parts = try JournalPart.parts(of: batch)
        try append(&parts, ledgers: ledgers)
    }
}

extension Ledger {
    /// Takes one record, as if a run of the journal had it alone; one over the limit of a record has no bytes.
    package mutating func fold(_ topic: Topic, _ record: WireRecord) {
        apply(topic, record)
        keep([Said(module: module, topic: topic, record: record)])
    }

    /// The bytes of a batch that is in the books, in runs as a journal has them.
    package mutating func keep(_ batch: [Said]) {
        var builders: [Topic: JournalRunBuilder] = [:]
        for entry in batch where entry.record.sequence > 0 {
            var builder = builders[entry.topic] ?? JournalRunBuilder(topic: entry.topic)
            if let full = try? builder.append(entry.record, sequence: entry.record.sequence) { keep(full) }
            builders[entry.topic] = builder
        }
        for var builder in builders.values { if let run = builder.finish() { keep(run) } }
    }
}
