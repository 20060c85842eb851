import JournalFaults
@testable import ReluxJournal
import ReluxWire
import Testing

@Suite struct ReaderTests {
    private static func small() -> JournalOptions {
        var options = JournalOptions()
        options.firstSegment = 4 << 10
        options.segmentLimit = 64 << 10
        return options
    }

    @Test func `no journal is an error that says when there will be one`() throws {
        let error = #expect(throws: JournalError.self) { try Sample().reader() }
        #expect(error?.code == .missing)
    }

    @Test func `a reader hears each batch once, through new segments and new writers`() throws {
        let sample = Sample()
        var journal = try sample.writer(options: Self.small())
        let reader = try sample.reader()
        var maker = RunMaker()
        var (appended, heard): ([[JournalRun]], [[JournalRun]]) = ([], [])
        for index in 0..<200 {
            appended.append([try maker.effects(3, payload: 90)])
            _ = try journal.append(appended.last!)
            if index % 7 == 0 { heard += try reader.next().map(\.runs).filter { !$0.isEmpty } }
            if index % 50 == 49 {
                index == 99 ? try journal.seal() : journal.close()
                journal = try sample.writer(epoch: UInt64(index), options: Self.small())
            }
        }
        while case let more = try reader.next(byteBudget: 1), !more.isEmpty {
            #expect(more.count == 1)
            heard += more.map(\.runs).filter { !$0.isEmpty }
        }
        #expect(heard == appended)
    }

    @Test func `a reader of what is there comes to its end under a writer that goes on`() throws {
        let sample = Sample()
        let journal = try sample.writer(options: Self.small())
        var maker = RunMaker()
        func append(_ count: Int) throws { for _ in 0..<count { _ = try journal.append([try maker.effects(3, payload: 90)]) } }
        try append(300)
        let reader = try sample.reader()
        let end = try reader.end()
        var (heard, rounds) = (0, 0)
        while let batches = try reader.next(before: end), rounds < 1_000 {
            heard += batches.count { !$0.runs.isEmpty }
            rounds += 1
            try append(10 * batches.count)
        }
        #expect(heard >= 300 && rounds < 1_000, "\(heard) in \(rounds)")
        // A later end includes the batches that were written meanwhile.
        let later = try reader.end()
        #expect(later > end)
        #expect(try reader.next(before: later) != nil)
    }

    @Test func `half a batch is not yet, whatever half`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let reader = try sample.reader()
        _ = try reader.next()
        let start = journal.segment.end
        let runs = [try maker.effects(2)]
        _ = try journal.append(runs)
        let whole = sample.disk.bytes(Sample.segment(1))!
        for cut in start..<journal.segment.end {
            var torn = whole
            torn.replaceSubrange(cut..., with: repeatElement(0, count: torn.count - cut))
            // The last bytes may be zeros themselves.
            guard torn != whole else { continue }
            sample.disk.set(Sample.segment(1), torn)
            #expect(try reader.next().isEmpty)
            #expect(try sample.reader().next().count == 1)
        }
        sample.disk.set(Sample.segment(1), whole)
        #expect(try reader.next().map(\.runs) == [runs])
    }

    @Test func `the end of a write that is seen before its start is not yet, and no damage`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let reader = try sample.reader()
        _ = try reader.next()
        let start = journal.segment.end
        let runs = [try maker.effects(4)]
        _ = try journal.append(runs)
        // Once as it reads on, once more as it looks closely.
        sample.disk.hide(start..<(start + 40), fromReads: 2)
        #expect(try reader.next().isEmpty)
        #expect(try reader.next().map(\.runs) == [runs])
    }

    @Test func `each sequence and position is found, with as much around it as its run has`() async throws {
        let sample = Sample()
        let journal = try sample.writer(options: Self.small())
        var maker = RunMaker()
        for _ in 0..<150 { _ = try journal.append(try maker.batch()) }
        let batches = try sample.batches()
        let reader = try sample.reader()
        for topic in [Sample.effects, Sample.settlements, "Auth.Business.Audit"] {
            let head = maker.numbers.head(of: topic)
            for sequence in 1...head {
                await Task.yield()
                #expect(try reader.seek(topic, sequence: sequence))
                let batch = try #require(try reader.next(byteBudget: 1).first)
                #expect(batch.runs.contains { $0.topic == topic && $0.sequences!.contains(sequence) })
                let answer = try reader.select(topic, sequence...sequence, byteBudget: 1)
                #expect(answer.runs.count == 1 && answer.gone.isEmpty && answer.next == nil)
                #expect(answer.runs[0].run.sequences!.contains(sequence))
            }
            #expect(try !reader.seek(topic, sequence: head + 1))
            #expect(try reader.next().isEmpty)
            let all = try reader.select(topic, 1...(head + 10), byteBudget: .max)
            #expect(all.runs.map(\.run) == batches.flatMap(\.runs).filter { $0.topic == topic && $0.sequences != nil })
            #expect(all.gone.isEmpty)
        }
        for position in 1...maker.numbers.position {
            #expect(try reader.seek(position: position))
            #expect(try reader.next(byteBudget: 1)[0].runs.contains { $0.positions?.contains(position) == true })
        }
        #expect(try reader.numbers().heads == maker.numbers.heads)
    }

    @Test func `an answer stops at its budget and says where to ask on`() throws {
        let sample = Sample()
        let journal = try sample.writer(options: Self.small())
        var maker = RunMaker()
        for _ in 0..<100 { _ = try journal.append([try maker.effects(2), try maker.settlements()]) }
        let reader = try sample.reader()
        var (next, runs): (UInt64?, [JournalRun]) = (1, [])
        var answers = 0
        while let from = next {
            let answer = try reader.select(Sample.effects, from...200, byteBudget: 500)
            runs += answer.runs.map(\.run)
            next = answer.next
            answers += 1
        }
        #expect(answers > 10)
        #expect(runs.map { $0.sequences! } == stride(from: 1, to: 200, by: 2).map { UInt64($0)...UInt64($0 + 1) })
    }

    @Test func `what is trimmed or was never given out is gone, what is to come is not`() throws {
        let sample = Sample()
        var journal = try sample.writer(options: Self.small())
        var maker = RunMaker()
        for _ in 0..<100 { _ = try journal.append([try maker.effects(2, payload: 100)]) }
        let reader = try sample.reader()
        #expect(try reader.low(of: Sample.effects) == 1)
        try journal.trim(needed: [Sample.effects: 90], retention: JournalRetention(byteCount: 0))
        let low = try reader.low(of: Sample.effects)
        #expect(low > 1 && low <= 90)
        var answer = try reader.select(Sample.effects, 1...200, byteBudget: .max)
        #expect(answer.gone == [1...(low - 1)])
        #expect(answer.runs.first?.run.sequences?.lowerBound == low)
        journal.close()
        sample.disk.losePower { true }
        let found = Sample(disk: sample.disk, boot: Sample.nextBoot, seed: 5)
        journal = try found.writer(epoch: 2)
        let jump = JournalNumbers.jump
        maker.numbers = journal.numbers
        _ = try journal.append([try maker.effects(2)])
        answer = try reader.select(Sample.effects, 150...(jump + 500), byteBudget: .max)
        #expect(answer.gone == [201...(jump + 200)])
        #expect(answer.runs.last?.run.sequences == (jump + 201)...(jump + 202))
        #expect(answer.runs.last?.epoch == Epoch(2))
    }

    @Test func `a reader that a trim has overtaken is told so, and goes on from the oldest`() throws {
        let sample = Sample()
        let journal = try sample.writer(options: Self.small())
        var maker = RunMaker()
        let reader = try sample.reader()
        for _ in 0..<300 { _ = try journal.append([try maker.effects(2, payload: 200)]) }
        try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0))
        // The segment that is open is read to its end.
        let error = #expect(throws: JournalError.self) { while try !reader.next().isEmpty {} }
        #expect(error?.code == .removed)
        try reader.seekToStart()
        var last: [JournalBatch] = []
        while case let more = try reader.next(), !more.isEmpty { last = more }
        #expect(last.last?.runs.last?.sequences?.upperBound == 600)
    }

    @Test func `damage inside a segment is told by file and byte, by whoever reads it`() throws {
        let sample = Sample()
        let journal = try sample.writer(options: Self.small())
        var maker = RunMaker()
        for _ in 0..<100 { _ = try journal.append([try maker.effects(2, payload: 100)]) }
        let reader = try sample.reader()
        #expect(try reader.seek(Sample.effects, sequence: 8))
        let place = reader.place
        var bytes = sample.disk.bytes(Sample.segment(Int(place.segment)))!
        bytes[place.offset + 60] ^= 1
        sample.disk.set(Sample.segment(Int(place.segment)), bytes)
        for body in [
            { (reader: JournalReader) throws in while try !reader.next().isEmpty {} },
            { (reader: JournalReader) throws in _ = try reader.select(Sample.effects, 8...8, byteBudget: 1) },
        ] {
            let error = #expect(throws: JournalError.self) { try body(try sample.reader()) }
            #expect(error?.code == .damaged)
            #expect(error?.file == Sample.segment(Int(place.segment)))
            #expect(error?.position == UInt64(place.offset))
            #expect(error?.remedy.contains("relux journal repair Auth") == true)
            // As `relux journal verify` says it.
            let report = try JournalReport(directory: sample.path, module: "Auth", environment: sample.environment)
            #expect(report.faults.first?.reason == error?.reason && error?.reason == "the checksum of the batch does not match")
        }
    }
}
