package import Relux
package import ReluxJournal

/// Consecutive records of one stream, coded once: their bytes are the same in the journal and in the frame that is made of them.
package struct SaidRun: Sendable, Hashable {
    package var module: ModuleID
    package var epoch: Epoch
    package var reach: BusCore.Unwritten.Reach
    package var run: JournalRun

    package var topic: Topic { run.topic }

    /// The frame that is sent of the run; a run that reaches nobody is not sent.
    package var frame: [UInt8] { run.frame(publisher: module, epoch: epoch) }
}

extension JournalPart {
    /// The runs of one topic of a batch. Where its records begin to reach others than before, or another life says them, another run begins.
    private struct Lane {
        let order: JournalOrder
        var builder: JournalRunBuilder
        var full: [SaidRun] = []
        var (reach, epoch): (BusCore.Unwritten.Reach, Epoch)

        init(_ first: BusCore.Unwritten) {
            order = JournalOrder(first.topic)
            builder = JournalRunBuilder(topic: first.topic)
            (reach, epoch) = (first.reach, first.epoch)
        }

        mutating func append(_ entry: BusCore.Unwritten) throws(WireError) {
            if reach != entry.reach || epoch != entry.epoch {
                finish(entry.module)
                (reach, epoch) = (entry.reach, entry.epoch)
            }
            let record = entry.record
            add(try builder.append(record, sequence: record.ownSequence, position: record.ownPosition), entry.module)
        }

        mutating func finish(_ module: ModuleID) { add(builder.finish(), module) }

        private mutating func add(_ run: JournalRun?, _ module: ModuleID) {
            if let run { full.append(SaidRun(module: module, epoch: epoch, reach: reach, run: run)) }
        }
    }

    static func runs(of records: [BusCore.Unwritten], _ module: ModuleID) throws(JournalRefusal) -> [SaidRun] {
        // A batch has few topics, and mostly the next record is of the same one.
        var lanes: [Lane] = []
        var place = 0
        for index in records.indices {
            let topic = records[index].topic
            if lanes.isEmpty || lanes[place].builder.topic != topic {
                place = lanes.firstIndex { $0.builder.topic == topic } ?? lanes.count
                if place == lanes.count { lanes.append(Lane(records[index])) }
            }
            do throws(WireError) {
                try lanes[place].append(records[index])
            } catch {
                throw JournalRefusal(module: module, description: "a record of \(topic): \(error)", isTemporary: false)
            }
        }
        var runs: [SaidRun] = []
        runs.reserveCapacity(lanes.count)
        let places = lanes.count == 1 ? [0] : lanes.indices.sorted { (lanes[$0].order, $0) < (lanes[$1].order, $1) }
        for place in places {
            lanes[place].finish(module)
            runs += lanes[place].full
        }
        return runs
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
