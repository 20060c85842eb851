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
        // A batch has few topics, and mostly the next record is of the same one. In the order of ``JournalOrder``, and of their first records.
        var lanes: [Lane] = []
        var place = 0
        for index in records.indices {
            let topic = records[index].topic
            if lanes.isEmpty || lanes[place].builder.topic != topic {
                if let known = lanes.firstIndex(where: { $0.builder.topic == topic }) {
                    place = known
                } else {
                    let lane = Lane(records[index])
                    place = lanes.lastIndex { $0.order <= lane.order }.map { $0 + 1 } ?? 0
                    lanes.insert(lane, at: place)
                }
            }
            do throws(WireError) {
                try lanes[place].append(records[index])
            } catch {
                throw JournalRefusal(module: module, description: "a record of \(topic): \(error)", isTemporary: false)
            }
        }
        for place in lanes.indices { lanes[place].finish(module) }
        // Most batches have one topic: its runs are all there is.
        var runs = lanes.first?.full ?? []
        for lane in lanes.dropFirst() { runs += lane.full }
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
