import JournalFaults
@testable import ReluxJournal
import ReluxWire
import Synchronization
import Testing

@Suite struct WriterTests {
    @Test func `what was appended is read as it was, by the same bytes`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        #expect(journal.recovery.isNew)
        var maker = RunMaker(journal.numbers)
        var appended: [[JournalRun]] = []
        for _ in 0..<20 {
            let runs = try maker.batch()
            let receipt = try journal.append(runs)
            #expect(!receipt.isOnDisk)
            appended.append(runs)
        }
        #expect(try sample.runs() == appended)
        #expect(journal.numbers.heads == maker.numbers.heads)
        #expect(journal.numbers.position == maker.numbers.position)
    }

    @Test func `a run becomes a frame without being coded again`() throws {
        var maker = RunMaker()
        let run = try maker.effects(3)
        let frame = try Frame(decoding: run.frame(publisher: "Auth", epoch: Epoch(3)))
        #expect(frame.topic == Sample.effects && frame.epoch == Epoch(3))
        #expect(frame.records.count == 3)
        #expect(try frame.encoded() == run.frame(publisher: "Auth", epoch: Epoch(3)))
    }

    @Test func `an append is one write, and one sync when it has to be on the disk`() throws {
        let sample = Sample()
        let journal = try sample.writer(options: JournalOptions())
        var maker = RunMaker()
        _ = try journal.append([try maker.effects()], durability: .machine)
        for durability in [JournalDurability.process, .machine] {
            let (writes, syncs) = (sample.disk.count(of: .write), sample.disk.count(of: .sync))
            let receipt = try journal.append([try maker.effects(100), try maker.settlements(100)], durability: durability)
            #expect(sample.disk.count(of: .write) - writes == 1)
            #expect(sample.disk.count(of: .sync) - syncs == (durability == .machine ? 1 : 0))
            #expect(receipt.isOnDisk == (durability == .machine))
        }
    }

    @Test func `a journal whose segment was taken away, and even made again, is noticed before anything is said`() throws {
        let (sample, file) = (Sample(), Sample.segment(1))
        let journal = try sample.writer()
        try journal.checkPlace()
        try sample.disk.rename(file, to: file + ".away")
        var error = #expect(throws: JournalError.self) { try journal.checkPlace() }
        #expect(error?.code == .removed && error?.file == file)
        sample.disk.close(try sample.disk.open(file, .create))
        error = #expect(throws: JournalError.self) { try journal.checkPlace() }
        #expect(error?.code == .removed)
        try sample.disk.rename(file + ".away", to: file)
        try journal.checkPlace()
    }

    @Test func `a lock that alone was taken away is made again, and nobody else gets it meanwhile`() throws {
        let (sample, lock) = (Sample(), "/Auth/\(JournalFormat.lockName)")
        let journal = try sample.writer(epoch: 3)
        func isHeld() throws -> Bool { try !sample.disk.lock(sample.disk.open(lock, .read)) }
        try sample.disk.rename(lock, to: lock + ".away")
        try journal.checkPlace()
        #expect(try isHeld())
        // Found by an append, before anybody has looked.
        try sample.disk.remove(lock)
        _ = try journal.append([])
        #expect(try isHeld())
        #expect(throws: JournalError.self) { _ = try sample.writer(epoch: 4) }
        // Whoever has come into its place has it.
        try sample.disk.rename(lock, to: lock + ".away")
        let next = try sample.writer(epoch: 4)
        #expect(throws: JournalError.self) { try journal.checkPlace() }
        #expect((#expect(throws: JournalError.self) { try journal.append([]) })?.code != nil)
        try next.checkPlace()
        _ = try next.append([])
    }

    @Test func `the next writer goes on where the last one ended`() throws {
        let sample = Sample()
        var maker = RunMaker()
        var appended: [[JournalRun]] = []
        for epoch in 1...5 as ClosedRange<UInt64> {
            let journal = try sample.writer(epoch: epoch)
            #expect(journal.numbers.heads == maker.numbers.heads)
            #expect(journal.recovery.isNew == (epoch == 1))
            #expect(journal.recovery.cutBytes == 0 && journal.recovery.hole == nil)
            appended.append([try maker.effects(2)])
            _ = try journal.append(appended.last!)
            journal.close()
        }
        #expect(try sample.runs() == appended)
        #expect(try sample.batches().map(\.number) == Array(1...10))
    }

    @Test func `segments double up to the limit, and the numbers go on through them`() throws {
        let sample = Sample()
        var options = JournalOptions()
        options.firstSegment = 4 << 10
        options.segmentLimit = 16 << 10
        let journal = try sample.writer(options: options)
        var maker = RunMaker()
        var appended: [[JournalRun]] = []
        for _ in 0..<60 {
            appended.append([try maker.effects(8, payload: 100)])
            _ = try journal.append(appended.last!)
        }
        let sizes = sample.disk.paths.filter { $0.hasSuffix(".seg") }.compactMap { path in
            try? SegmentHeader(decoding: sample.disk.bytes(path)![...]).capacity
        }
        #expect(sizes.count > 5)
        #expect(Array(sizes.prefix(4)) == [4096, 8192, 16384, 16384])
        #expect(try sample.runs() == appended)
        #expect(try sample.reader().numbers().heads == maker.numbers.heads)
    }

    @Test func `a batch larger than a segment gets one of its size`() throws {
        let sample = Sample()
        var options = JournalOptions()
        options.firstSegment = 4 << 10
        let journal = try sample.writer(options: options)
        var maker = RunMaker()
        let runs = [try maker.effects(1, payload: 300_000)]
        _ = try journal.append(runs)
        #expect(try sample.runs() == [runs])
    }

    @Test func `recovery gives the last state and the place to replay from`() throws {
        let sample = Sample()
        var maker = RunMaker()
        var journal = try sample.writer()
        _ = try journal.append([try maker.effects()])
        _ = try journal.append([try maker.effects()], state: Array("state 2".utf8))
        let third = [try maker.effects(4)]
        _ = try journal.append(third)
        journal.close()
        for epoch in 2...4 as ClosedRange<UInt64> {
            journal = try sample.writer(epoch: epoch)
            #expect(String(decoding: journal.recovery.state, as: UTF8.self) == "state 2")
            #expect(try sample.runs(from: journal.recovery.replayFrom) == [third])
            journal.close()
        }
    }

    @Test func `a checkpoint is due when much has come since the last one`() throws {
        let sample = Sample()
        var options = JournalOptions()
        options.firstSegment = 8 << 10
        let journal = try sample.writer(options: options)
        var maker = RunMaker()
        #expect(try !journal.append([maker.effects()]).isCheckpointDue)
        while try !journal.append([maker.effects(4)]).isCheckpointDue {}
        #expect(try !journal.append([maker.effects()], state: [1]).isCheckpointDue)
        journal.close()
        let next = try sample.writer(epoch: 2, options: options)
        #expect(try next.append([maker.effects()]).isCheckpointDue)
        #expect(try !next.append([maker.effects()], state: [2]).isCheckpointDue)
    }

    @Test func `numbers that do not rise are refused, and nothing is written`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let run = try maker.effects(3)
        _ = try journal.append([run])
        let before = sample.disk.bytes(Sample.segment(1))
        for wrong in [[run], [try maker.settlements(), run]] {
            let error = #expect(throws: JournalError.self) { try journal.append(wrong) }
            #expect(error?.code == .refused)
            #expect(error?.reason == "sequence 1 of Auth.Business.Effect does not rise above 3")
        }
        #expect(sample.disk.bytes(Sample.segment(1)) == before)
        #expect(throws: JournalError.self) {
            try journal.append([JournalRun(topic: "~journal", recordCount: 1, sequences: nil, records: [1, 32])])
        }
        #expect(throws: JournalError.self) {
            try journal.append([JournalRun(topic: "A", recordCount: 0, sequences: nil, records: [])])
        }
    }

    @Test func `a sealed journal is taken over by a higher epoch only`() throws {
        let sample = Sample()
        var maker = RunMaker()
        let first = try sample.writer(epoch: 4)
        let runs = [try maker.effects(2)]
        _ = try first.append(runs)
        try first.seal()
        let error = #expect(throws: JournalError.self) { try sample.writer(epoch: 4) }
        #expect(error?.code == .staleEpoch)
        #expect(error?.remedy == "go on with epoch 5")
        let next = try sample.writer(epoch: 5)
        #expect(next.recovery.wasSealed)
        #expect(next.numbers.heads == maker.numbers.heads)
        _ = try next.append([try maker.effects()])
        #expect(try sample.runs().count == 2)
        #expect(throws: JournalError.self) { try first.append([]) }
    }

    @Test func `a seal stands after another start of the machine, and nothing is declared lost`() throws {
        let sample = Sample()
        var maker = RunMaker()
        let journal = try sample.writer()
        _ = try journal.append([try maker.effects(2)])
        try journal.seal()
        sample.disk.losePower()
        let next = try Sample(disk: sample.disk, boot: Sample.nextBoot).writer(epoch: 2)
        #expect(next.recovery.hole == nil && next.recovery.wasSealed)
        #expect(next.numbers.heads == maker.numbers.heads)
    }

    @Test func `a deleted journal begins a new incarnation`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        for path in sample.disk.paths { sample.disk.set(path, nil) }
        let error = #expect(throws: JournalError.self) { try journal.append([]) }
        #expect(error?.code == .removed)
        let next = try sample.writer()
        #expect(next.recovery.isNew)
        #expect(next.recovery.incarnation != journal.recovery.incarnation)
    }

    @Test func `opening twice names the process that holds the lock`() throws {
        let sample = Sample()
        let journal = try sample.writer(epoch: 7)
        let error = #expect(throws: JournalError.self) { try sample.writer(epoch: 8) }
        #expect(error?.code == .locked)
        #expect(error?.description == "/Auth/lock: process 4711 (epoch 7) writes this journal; end that process first; a journal has one writer")
        journal.close()
        _ = try sample.writer(epoch: 8)
    }

    @Test func `a lower epoch than the one on disk is refused`() throws {
        let sample = Sample()
        try sample.writer(epoch: 9).close()
        let error = #expect(throws: JournalError.self) { try sample.writer(epoch: 8) }
        #expect(error?.code == .staleEpoch)
        #expect(error?.reason == "epoch 8 is below epoch 9, which has written here")
        #expect(error?.written == Epoch(9))
        _ = try sample.writer(epoch: 9)
    }

    @Test func `the same epoch opens its journal again in its own process only`() throws {
        let sample = Sample()
        var maker = RunMaker()
        let first = try sample.writer(epoch: 9)
        _ = try first.append([try maker.effects(2)])
        first.close()
        var other = sample
        other.environment.processID = 4712
        let error = #expect(throws: JournalError.self) { try other.writer(epoch: 9) }
        #expect(error?.code == .staleEpoch && error?.written == Epoch(9))
        #expect(error?.reason == "epoch 9 has written here in another process" && error?.remedy == "go on with epoch 10")
        try sample.writer(epoch: 9).close()
        _ = try other.writer(epoch: 10)
    }

    @Test func `a writer that trusts an earlier look is refused when its patience is over`() throws {
        var sample = Sample()
        let time = Clock()
        sample.environment.steadyMilliseconds = { time.now }
        var options = Sample.options
        options.lockPatience = 5
        var maker = RunMaker()
        let journal = try sample.writer(epoch: 2, options: options)
        _ = try journal.append([try maker.effects()])
        try JournalLock.fence(directory: sample.path, epoch: Epoch(3), environment: sample.environment)
        time.pass(4)
        _ = try journal.append([try maker.effects()])
        time.pass(1)
        let late = [try maker.effects()]
        let error = #expect(throws: JournalError.self) { try journal.append(late) }
        #expect(error?.code == .fenced)
    }

    private final class Clock: Sendable {
        private let milliseconds = Atomic<UInt64>(1_790_000_000_000)
        var now: UInt64 { milliseconds.load(ordering: .relaxed) }
        func pass(_ count: UInt64) { milliseconds.add(count, ordering: .relaxed) }
    }

    @Test func `a writer whose epoch was superseded writes never again`() throws {
        let sample = Sample()
        var maker = RunMaker()
        let journal = try sample.writer(epoch: 2)
        _ = try journal.append([try maker.effects()])
        try JournalLock.fence(directory: sample.path, epoch: Epoch(3), environment: sample.environment)
        let late = [try maker.effects()]
        for _ in 0..<2 {
            let error = #expect(throws: JournalError.self) { try journal.append(late) }
            #expect(error?.code == .fenced)
            #expect(error?.reason == "epoch 3 has taken over from epoch 2")
        }
        journal.close()
        #expect(throws: JournalError.self) { try JournalLock.fence(directory: sample.path, epoch: Epoch(2), environment: sample.environment) }
        #expect(throws: JournalError.self) { try sample.writer(epoch: 2) }
        #expect(try sample.writer(epoch: 3).numbers.heads == [Sample.effects: 1])
    }

    @Test func `a segment of another module or of another format is refused by name`() throws {
        let sample = Sample()
        try sample.writer().close()
        let bytes = sample.disk.bytes(Sample.segment(1))!
        var header = try SegmentHeader(decoding: bytes[...])
        header.module = "Notes"
        sample.disk.set(Sample.segment(1), header.encoded() + bytes.dropFirst(256))
        var error = #expect(throws: JournalError.self) { try sample.writer(epoch: 2) }
        #expect(error?.code == .foreign && error?.file == Sample.segment(1) && error?.position == 104)
        for (version, remedy) in [(1, "let its effects settle"), (2, "let its effects settle"), (4, "or a later one")] as [(UInt8, String)] {
            var other = bytes
            other[9] = version
            let checksum = CRC32C.checksum(other[..<252])
            other.replaceSubrange(252..<256, with: withUnsafeBytes(of: checksum.bigEndian, Array.init))
            sample.disk.set(Sample.segment(1), other)
            error = #expect(throws: JournalError.self) { try sample.writer(epoch: 2) }
            #expect(error?.code == .otherFormat && error?.position == 8 && error?.description.contains(remedy) == true, "\(error as Any)")
            #expect(throws: JournalError.self) { try sample.reader() }
            #expect(sample.disk.bytes(Sample.segment(1)) == other)
        }
        sample.disk.set(Sample.segment(1), nil)
        sample.disk.set(Sample.segment(2), bytes)
        error = #expect(throws: JournalError.self) { try sample.writer(epoch: 2) }
        #expect(error?.code == .foreign && error?.position == 16)
    }
}
