package import Relux
import ReluxJournal

/// The next batch while it grows: each record is coded when it is said, into the run that the journal takes and that frames are made of. Pure.
///
/// Design notes. Each module has a journal of its own, so a process that dies may have written some of a batch's journals and not the
/// others. What a publisher says of others' settlements (ACKED) is written when those are in their journals, and what a module says of
/// its own that were taken (CURSOR) when those are; the other way round a life could begin that waits for what is never said again. A batch of one
/// module is one append: nothing of it comes without the rest.
package struct JournalDraft: Sendable {
    /// The records of one module on one topic. Where they begin to reach others than before, or another life says them, another run begins.
    private struct Lane: Sendable {
        let module: ModuleID
        let step: Int
        let order: JournalOrder
        var builder: JournalRunBuilder
        var full: [SaidRun] = []
        var (reach, epoch): (SaidRun.Reach, Epoch)
        var foundations: Set<ModuleID> = []
        private var foundation: ModuleID?

        init(_ module: ModuleID, _ topic: Topic, _ reach: SaidRun.Reach, _ epoch: Epoch) {
            self.module = module
            step = topic == AckedRecord.topic ? 1 : topic == CursorRecord.topic ? 2 : 0
            order = JournalOrder(topic)
            builder = JournalRunBuilder(topic: topic)
            (self.reach, self.epoch) = (reach, epoch)
        }

        mutating func append(_ record: WireRecord, _ reach: SaidRun.Reach, _ epoch: Epoch) throws(WireError) {
            if self.reach != reach || self.epoch != epoch {
                finish()
                (self.reach, self.epoch) = (reach, epoch)
            }
            if step > 0 { found(on: record) }
            add(try builder.append(record, sequence: record.ownSequence, position: record.ownPosition))
        }

        mutating func finish() { add(builder.finish()) }

        private mutating func add(_ run: JournalRun?) {
            if let run { full.append(SaidRun(module: module, epoch: epoch, reach: reach, run: run)) }
        }

        private mutating func found(on record: WireRecord) {
            let other: ModuleID? =
                switch record {
                case .acked(let acked): acked.recipient
                case .cursor(let cursor): cursor.topic.settledPublisher
                default: nil
                }
            guard let other, other != module, other != foundation else { return }
            foundation = other
            foundations.insert(other)
        }
    }

    /// A batch has few, and mostly the next record is of the same one.
    private var lanes: [Lane] = []
    private var last = 0
    private var refusal: JournalRefusal?

    package init() {}

    package var isEmpty: Bool { lanes.isEmpty }

    /// - Parameter epoch: the life that says it; matters only where somebody is reached.
    package mutating func append(
        _ record: WireRecord, on topic: Topic, of module: ModuleID, reaching reach: SaidRun.Reach = .nobody, epoch: Epoch = Epoch(0)
    ) {
        if last >= lanes.count || lanes[last].builder.topic != topic || lanes[last].module != module {
            last = lanes.firstIndex { $0.builder.topic == topic && $0.module == module } ?? lanes.count
            if last == lanes.count { lanes.append(Lane(module, topic, reach, epoch)) }
        }
        do throws(WireError) {
            try lanes[last].append(record, reach, epoch)
        } catch {
            if refusal == nil { refusal = JournalRefusal(module: module, description: "a record of \(topic): \(error)", isTemporary: false) }
        }
    }

    /// What the module has said is not said.
    mutating func remove(_ module: ModuleID) { lanes.removeAll { $0.module == module } }

    /// All of it, in the order in which it is written; the next batch begins.
    ///
    /// - Returns: a refusal that is not temporary when a record is over its limit. The ledgers have it, so nothing of the batch may be written.
    package mutating func take() -> Result<[JournalPart], JournalRefusal> {
        defer {
            lanes.removeAll(keepingCapacity: true)
            refusal = nil
        }
        if let refusal { return .failure(refusal) }
        guard let module = lanes.first?.module else { return .success([]) }
        for place in lanes.indices { lanes[place].finish() }
        // Nearly always a batch has one topic of one module.
        if lanes.count == 1 { return .success([part(of: lanes[...], isLast: true)]) }
        if lanes.allSatisfy({ $0.module == module }) { return .success([part(of: sorted { $0.order < $1.order }[...], isLast: true)]) }
        var rest = sorted { ($0.step, $0.module, $0.order) < ($1.step, $1.module, $1.order) }[...]
        var parts: [JournalPart] = []
        while let first = rest.first {
            let lanes = rest.prefix { $0.module == first.module && $0.step == first.step }
            rest = rest.dropFirst(lanes.count)
            parts.append(part(of: lanes, isLast: !rest.contains { $0.module == first.module }))
        }
        return .success(parts)
    }

    /// Lanes that come equal stay in the order in which they were begun.
    private func sorted(_ precedes: (Lane, Lane) -> Bool) -> [Lane] {
        lanes.enumerated().sorted { precedes($0.element, $1.element) || (!precedes($1.element, $0.element) && $0.offset < $1.offset) }.map(\.element)
    }

    private func part(of lanes: ArraySlice<Lane>, isLast: Bool) -> JournalPart {
        let first = lanes[lanes.startIndex]
        var part = JournalPart(module: first.module, runs: first.full, foundations: first.foundations, isLast: isLast)
        for lane in lanes.dropFirst() {
            part.runs += lane.full
            part.foundations.formUnion(lane.foundations)
        }
        return part
    }
}

extension WireRecord {
    /// nil for records that have no place of their own in a stream.
    fileprivate var ownSequence: UInt64? {
        switch self {
        case .effect(let record): record.sequence
        case .settled(let record): record.sequence
        default: nil
        }
    }

    fileprivate var ownPosition: UInt64? { if case .effect(let record) = self { record.position } else { nil } }
}
