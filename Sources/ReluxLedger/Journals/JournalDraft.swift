package import Relux
package import ReluxJournal

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
        let topic: Topic
        let step: Int
        let order: JournalOrder
        /// Nothing of this batch is in it.
        var isEmpty = true
        var foundations: [ModuleID] = []
        private var builder: JournalRunBuilder
        private var full: [SaidRun] = []
        private var (reach, epoch) = (SaidRun.Reach.nobody, Epoch(0))

        init(_ module: ModuleID, _ topic: Topic) {
            (self.module, self.topic) = (module, topic)
            step = topic == AckedRecord.topic ? 1 : topic == CursorRecord.topic ? 2 : 0
            order = JournalOrder(topic)
            builder = JournalRunBuilder(topic: topic)
        }

        /// Whether its runs are written before those of the other one, in a batch of several modules.
        func precedes(_ other: Lane) -> Bool {
            if step != other.step { return step < other.step }
            if module != other.module { return module < other.module }
            return order < other.order
        }

        mutating func append(_ record: WireRecord, _ reach: SaidRun.Reach, _ epoch: Epoch) throws(WireError) {
            if self.reach != reach || self.epoch != epoch {
                add(builder.finish())
                (self.reach, self.epoch) = (reach, epoch)
            }
            if step > 0 { found(on: record) }
            add(try builder.append(record, sequence: record.ownSequence, position: record.ownPosition))
        }

        /// The runs so far; the next record begins another one.
        mutating func runs() -> [JournalRun] {
            add(builder.finish())
            return full.map(\.run)
        }

        mutating func take(into runs: inout [SaidRun]) {
            if !full.isEmpty {
                runs += full
                full = []
            }
            if let run = builder.finish() { runs.append(SaidRun(module: module, epoch: epoch, reach: reach, run: run)) }
            foundations = []
            isEmpty = true
        }

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
            if let other, other != module, !foundations.contains(other) { foundations.append(other) }
        }
    }

    /// They stay from batch to batch. Mostly the next record goes into the same one as the last.
    private var lanes: [Lane] = []
    private var last = 0
    /// The lanes that are not empty, in the order in which they are written.
    private var spoken: [Int] = []
    private var refusals: [JournalRefusal] = []
    /// Behind a batch with more of them none stays.
    private static let laneLimit = 64

    package init() {}

    package var isEmpty: Bool { spoken.isEmpty }
    var laneCount: Int { lanes.count }

    /// - Parameter epoch: the life that says it; matters only where somebody is reached.
    package mutating func append(
        _ record: WireRecord, on topic: Topic, of module: ModuleID, reaching reach: SaidRun.Reach = .nobody, epoch: Epoch = Epoch(0)
    ) {
        if last >= lanes.count || lanes[last].topic != topic || lanes[last].module != module {
            last = place(of: topic, of: module) ?? lanes.count
            if last == lanes.count { lanes.append(Lane(module, topic)) }
        }
        if lanes[last].isEmpty { begin(last) }
        do throws(WireError) {
            try lanes[last].append(record, reach, epoch)
        } catch {
            refusals.append(JournalRefusal(module: module, description: "a record of \(topic): \(error)", isTemporary: false))
        }
    }

    /// Nothing of one module's batch waits for others: ``JournalOrder`` alone decides. Few lanes, mostly in order.
    private mutating func orderOne() {
        for end in spoken.indices.dropFirst() {
            var place = end
            while place > 0, lanes[spoken[place]].order < lanes[spoken[place - 1]].order {
                spoken.swapAt(place, place - 1)
                place -= 1
            }
        }
    }

    private mutating func begin(_ lane: Int) {
        lanes[lane].isEmpty = false
        var place = spoken.count
        while place > 0, lanes[lane].precedes(lanes[spoken[place - 1]]) { place -= 1 }
        spoken.insert(lane, at: place)
    }

    /// The runs of the module on the topic since the last batch.
    package mutating func runs(on topic: Topic, of module: ModuleID) -> [JournalRun] {
        place(of: topic, of: module).map { lanes[$0].runs() } ?? []
    }

    /// By index: a closure would get a copy of each lane.
    private func place(of topic: Topic, of module: ModuleID) -> Int? {
        var place = 0
        while place < lanes.count {
            if lanes[place].topic == topic, lanes[place].module == module { return place }
            place += 1
        }
        return nil
    }

    /// Takes back all that the module has said since the last batch.
    package mutating func remove(_ module: ModuleID) {
        var runs: [SaidRun] = []
        for lane in spoken where lanes[lane].module == module { lanes[lane].take(into: &runs) }
        spoken.removeAll { lanes[$0].isEmpty }
        refusals.removeAll { $0.module == module }
    }

    /// All of it, in the order in which it is written; the next batch begins.
    ///
    /// - Returns: a refusal that is not temporary when a record is over its limit. The ledgers have it, so nothing of the batch may be written.
    package mutating func take() -> Result<[JournalPart], JournalRefusal> {
        guard !spoken.isEmpty else { return .success([]) }
        let module = lanes[spoken[0]].module
        let isOfOne = spoken.allSatisfy { lanes[$0].module == module }
        if isOfOne { orderOne() }
        var parts: [JournalPart] = []
        var step = 0
        for lane in spoken {
            if parts.isEmpty || !isOfOne && (lanes[lane].step != step || lanes[lane].module != parts[parts.count - 1].module) {
                parts.append(JournalPart(module: lanes[lane].module))
                step = lanes[lane].step
            }
            for other in lanes[lane].foundations { parts[parts.count - 1].foundations.insert(other) }
            lanes[lane].take(into: &parts[parts.count - 1].runs)
        }
        for index in parts.indices {
            parts[index].isLast = !parts[(index + 1)...].contains { $0.module == parts[index].module }
        }
        spoken.removeAll(keepingCapacity: true)
        if lanes.count > Self.laneLimit { lanes = [] }
        defer { refusals = [] }
        return refusals.first.map { .failure($0) } ?? .success(parts)
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
