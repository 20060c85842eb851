import JournalFaults
@testable import ReluxJournal
import ReluxWire
import Testing

/// A journal of six segments, damaged in turn.
@Suite struct RepairTests {
    private struct Subject {
        let sample = Sample()
        var appended: [[JournalRun]] = []
        /// The batches of each segment.
        var bySegment: [Int: [[JournalRun]]] = [:]
        var last = 0

        init(states: Bool = false) throws {
            var options = JournalOptions()
            options.firstSegment = 4 << 10
            options.segmentLimit = 4 << 10
            let journal = try sample.writer(options: options)
            var maker = RunMaker()
            while journal.segment.header.number < 6 || journal.segment.end < 3000 {
                let runs = [try maker.effects(2, payload: 60), try maker.settlements()]
                let place = try journal.append(runs, state: states && appended.count == 15 ? [15] : nil).place
                appended.append(runs)
                bySegment[Int(place.segment), default: []].append(runs)
            }
            last = Int(journal.segment.header.number)
            journal.close()
        }

        func damage(_ segment: Int, at offset: Int) {
            var bytes = sample.disk.bytes(Sample.segment(segment))!
            bytes[offset] ^= 0x10
            sample.disk.set(Sample.segment(segment), bytes)
        }

        func repair() throws -> JournalRepair {
            try JournalRepair(directory: sample.path, module: "Auth", environment: sample.environment)
        }

        /// Everything is sound again: opens, reads to its end, and goes on with numbers never given out.
        func check(_ expected: [[JournalRun]]) throws {
            let report = try JournalReport(directory: sample.path, module: "Auth", environment: sample.environment)
            #expect(report.faults.isEmpty, "\(report.faults)")
            #expect(try sample.runs() == expected)
            let journal = try sample.writer(epoch: 2)
            #expect(journal.numbers.head(of: Sample.effects) >= UInt64(2 * expected.count) + JournalNumbers.jump)
            let run = JournalRun(
                topic: Sample.effects, recordCount: 1, sequences: (journal.numbers.head(of: Sample.effects) + 1)...(journal.numbers.head(of: Sample.effects) + 1),
                records: [1, 99])
            _ = try journal.append([run])
            #expect(try sample.runs() == expected + [[run]])
            journal.close()
        }
    }

    @Test func `a sound journal has nothing to repair`() throws {
        #expect(try Subject().repair().steps.isEmpty)
    }

    @Test func `one batch is lost by name, all others stay`() throws {
        for segment in 1...6 {
            let subject = try Subject()
            let reader = try subject.sample.reader()
            let victim = subject.bySegment[segment]![2]
            #expect(try reader.seek(Sample.effects, sequence: victim[0].sequences!.lowerBound))
            let place = reader.place
            #expect(Int(place.segment) == segment)
            subject.damage(segment, at: place.offset + 50)
            let repair = try subject.repair()
            let step = try #require(repair.steps.first)
            #expect(repair.steps.count == 1)
            #expect(step.action == .mended && step.file == Sample.segment(segment) && step.position == UInt64(place.offset))
            #expect(step.keptBatches == subject.bySegment[segment]!.count - 3)
            #expect(step.lost.map(\.topic) == [Sample.effects, Sample.settlements])
            #expect(step.lost.map(\.sequences) == victim.map { $0.sequences! })
            #expect(step.lostPositions == victim[0].positions)
            let copies = try repair.run()
            #expect(copies.count == 1 && copies[0].hasPrefix("/Auth/quarantine/"))
            let expected = subject.appended.filter { $0 != victim }
            try subject.check(expected)
            let answer = try subject.sample.reader().select(Sample.effects, 1...UInt64(2 * subject.appended.count), byteBudget: .max)
            #expect(answer.gone == [victim[0].sequences!])
        }
    }

    @Test func `a segment without a header, a CHECKPOINT or a file is replaced by a HOLE`() throws {
        for segment in 1...6 {
            for fault in 0..<3 {
                let subject = try Subject(states: true)
                switch fault {
                case 0: subject.damage(segment, at: 20)
                case 1: subject.damage(segment, at: 270)
                default:
                    // A first or last segment that is missing was never there.
                    if segment == 1 || segment == subject.last { continue }
                    subject.sample.disk.set(Sample.segment(segment), nil)
                }
                let repair = try subject.repair()
                #expect(repair.steps.map(\.action) == [segment == 1 || segment == subject.last ? .removed : .replaced])
                _ = try repair.run()
                try subject.check((1...6).filter { $0 != segment }.flatMap { subject.bySegment[$0] ?? [] })
            }
        }
    }

    @Test func `several damages are mended at once`() throws {
        let subject = try Subject()
        subject.damage(2, at: 30)
        subject.damage(3, at: 30)
        subject.damage(4, at: 1000)
        subject.damage(4, at: 2500)
        subject.damage(6, at: 30)
        let report = try JournalReport(directory: subject.sample.path, module: "Auth", environment: subject.sample.environment)
        #expect(report.faults.map(\.file) == [2, 3, 4, 6].map(Sample.segment))
        _ = try subject.repair().run()
        let runs = try subject.sample.runs()
        #expect(runs.starts(with: subject.bySegment[1]!))
        #expect(runs.count >= subject.bySegment[1]!.count + subject.bySegment[4]!.count - 2 + subject.bySegment[5]!.count)
        let again = try JournalReport(directory: subject.sample.path, module: "Auth", environment: subject.sample.environment)
        #expect(again.faults.isEmpty)
        #expect(again.quarantined.count == 4)
    }

    @Test func `a repair that is killed or refused at any step is done again`() async throws {
        var step = 0
        while true {
            step += 1
            await Task.yield()
            let subject = try Subject()
            subject.damage(2, at: 1000)
            subject.damage(4, at: 20)
            subject.damage(6, at: 20)
            let repair = try subject.repair()
            let changes = subject.sample.disk.changes
            subject.sample.disk.fail(at: step, step % 2 == 0 ? .kill(100) : .fail(28))
            let isDone = (try? repair.run()) != nil && subject.sample.disk.changes - changes < step
            subject.sample.disk.killProcess()
            if !isDone { _ = try subject.repair().run() }
            let report = try JournalReport(directory: subject.sample.path, module: "Auth", environment: subject.sample.environment)
            #expect(report.faults.isEmpty, "step \(step): \(report.faults)")
            let expected = subject.bySegment[1]! + subject.bySegment[2]! + subject.bySegment[3]! + subject.bySegment[5]!
            #expect(try subject.sample.runs().count == expected.count - 1, "step \(step)")
            if isDone { break }
        }
        #expect(step > 10)
    }

    @Test func `a state that is lost with its segment is told, and what is left is replayed`() throws {
        for isMissing in [false, true] {
            let subject = try Subject(states: true)
            let trimming = try subject.sample.writer(epoch: 2)
            let base = Int(trimming.base)
            try trimming.trim(needed: [:], retention: JournalRetention(byteCount: 0))
            trimming.close()
            #expect(subject.sample.disk.bytes(Sample.segment(base - 1)) == nil)
            if isMissing { subject.sample.disk.set(Sample.segment(base), nil) } else { subject.damage(base, at: 30) }
            let error = #expect(throws: JournalError.self) { try subject.sample.writer(epoch: 3) }
            #expect(error?.code == .damaged && error?.file == Sample.segment(base))
            let repair = try subject.repair()
            #expect(repair.steps.map(\.file) == [Sample.segment(base)])
            _ = try repair.run()
            let journal = try subject.sample.writer(epoch: 3)
            #expect(journal.recovery.state.isEmpty && !journal.recovery.isNew)
            let left = (base + 1...6).flatMap { subject.bySegment[$0] ?? [] }
            #expect(try subject.sample.runs(from: journal.recovery.replayFrom) == left)
        }
    }

    @Test func `a repair needs the lock, and loss of power is none`() throws {
        let subject = try Subject()
        subject.damage(3, at: 1000)
        let journal = try subject.sample.writer(epoch: 2)
        let error = #expect(throws: JournalError.self) { try subject.repair() }
        #expect(error?.code == .locked)
        journal.close()
        let sample = Sample()
        var maker = RunMaker()
        let other = try sample.writer()
        for _ in 0..<5 { _ = try other.append([try maker.effects()]) }
        sample.disk.losePower { true }
        var bytes = sample.disk.bytes(Sample.segment(1))!
        bytes[bytes.firstIndex(of: 0x52)! + 600] ^= 1
        sample.disk.set(Sample.segment(1), bytes)
        let found = Sample(disk: sample.disk, boot: Sample.nextBoot)
        #expect(try JournalRepair(directory: found.path, module: "Auth", environment: found.environment).steps.isEmpty)
        #expect(try found.writer(epoch: 2).recovery.hole?.reason == .power)
    }
}
