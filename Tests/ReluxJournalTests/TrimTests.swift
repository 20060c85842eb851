import Glibc
import JournalFaults
@testable import ReluxJournal
import ReluxWire
import Synchronization
import Testing

@Suite struct RetentionTests {
    private func segments(_ sizes: [Int], ages: [UInt64]? = nil) -> [JournalRetention.Segment] {
        sizes.enumerated().map { .init(number: UInt64($0 + 1), byteCount: $1, lastWritten: 1000 - (ages?[$0] ?? 0)) }
    }

    @Test func `a segment goes when newer ones hold enough, or when it is old enough, never the last`() {
        let retention = JournalRetention(byteCount: 100, ageMilliseconds: 500)
        #expect(retention.oldestKept(of: segments([]), now: 1000) == 0)
        #expect(retention.oldestKept(of: segments([900]), now: 1000) == 1)
        #expect(retention.oldestKept(of: segments([50, 50, 50]), now: 1000) == 2)
        #expect(retention.oldestKept(of: segments([50, 49, 50]), now: 1000) == 1)
        #expect(retention.oldestKept(of: segments([1, 1, 1], ages: [600, 500, 499]), now: 1000) == 3)
        #expect(retention.oldestKept(of: segments([1, 1], ages: [600, 600]), now: 1000) == 2)
        #expect(retention.oldestKept(of: segments([1, 1], ages: [0, 0]), now: 0) == 1)
    }

    @Test func `small segments go when there are many, as of a module that was started again and again`() {
        var retention = JournalRetention(byteCount: 100, ageMilliseconds: 500, segmentCount: 3)
        #expect(retention.oldestKept(of: segments([1, 1, 1]), now: 1000) == 1)
        #expect(retention.oldestKept(of: segments([1, 1, 1, 1, 1]), now: 1000) == 3)
        #expect(retention.limited(to: 50).segmentCount == 3)
        retention.segmentCount = 0
        #expect(retention.oldestKept(of: segments([1, 1]), now: 1000) == 2)
    }

    @Test func `the node's limit takes the oldest segments of all journals, and spares each one's last`() {
        let journals: [ModuleID: [JournalRetention.Segment]] = [
            "A": [.init(number: 1, byteCount: 10, lastWritten: 1), .init(number: 2, byteCount: 10, lastWritten: 4), .init(number: 3, byteCount: 10, lastWritten: 9)],
            "B": [.init(number: 1, byteCount: 10, lastWritten: 2), .init(number: 2, byteCount: 10, lastWritten: 3)],
            "C": [.init(number: 7, byteCount: 100, lastWritten: 0)],
        ]
        #expect(JournalRetention.nodeShares(of: journals, cap: 150) == [:])
        #expect(JournalRetention.nodeShares(of: journals, cap: 149) == ["A": 20])
        #expect(JournalRetention.nodeShares(of: journals, cap: 130) == ["A": 20, "B": 10])
        #expect(JournalRetention.nodeShares(of: journals, cap: 0) == ["A": 10, "B": 10])
        #expect(JournalRetention(byteCount: 50).limited(to: 20).byteCount == 20)
        #expect(JournalRetention(byteCount: 50).limited(to: nil).byteCount == 50)
        // A trim leaves what the share says.
        let kept = JournalRetention().limited(to: 20).oldestKept(of: journals["A"]!, now: 10)
        #expect(kept == 2)
    }
}

@Suite struct TrimTests {
    private func journal(_ sample: Sample, states: Bool) throws -> JournalWriter {
        var options = JournalOptions()
        options.firstSegment = 4 << 10
        options.segmentLimit = 4 << 10
        let journal = try sample.writer(options: options)
        var maker = RunMaker()
        for index in 0..<100 {
            _ = try journal.append(
                [try maker.effects(2, payload: 100), try maker.settlements()], state: states && index == 60 ? [60] : nil)
        }
        return journal
    }

    @Test func `nothing goes that somebody needs, or that retention keeps`() throws {
        let sample = Sample()
        let journal = try journal(sample, states: false)
        let before = sample.disk.paths
        #expect(try journal.trim(needed: [:], retention: JournalRetention()).segments == 0)
        #expect(try journal.trim(needed: [Sample.settlements: 1], retention: JournalRetention(byteCount: 0)).segments == 0)
        #expect(sample.disk.paths == before)
        let trim = try journal.trim(needed: [Sample.effects: 120, Sample.settlements: 90], retention: JournalRetention(byteCount: 0))
        #expect(trim.segments > 2)
        let kept = try sample.runs().flatMap { $0 }.filter { $0.topic == Sample.effects }
        #expect(kept.first!.sequences!.lowerBound <= 120)
        #expect(kept.last!.sequences!.upperBound == 200)
        let all = try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0))
        #expect(all.remainingBytes > 0)
        #expect(sample.disk.paths.filter { $0.hasSuffix(".seg") }.count == 1)
        // The heads outlive the records.
        journal.close()
        #expect(try sample.writer(epoch: 2).numbers.head(of: Sample.effects) == 200)
    }

    @Test func `a clock that is set makes nothing older: what was written goes when its time has passed, in this life or a later one`() throws {
        final class Clocks: Sendable {
            let wall = Mutex<UInt64>(1_790_000_000_000)
            let steady = Mutex<UInt64>(1_790_000_000_000)
        }
        let (clocks, year, day) = (Clocks(), UInt64(365 * 24 * 3_600_000), UInt64(24 * 3_600_000))
        var sample = Sample()
        sample.environment.wallMilliseconds = { clocks.wall.withLock { $0 } }
        sample.environment.steadyMilliseconds = { clocks.steady.withLock { $0 } }
        let journal = try journal(sample, states: false)
        for wall in [clocks.wall.withLock { $0 } + 30 * year, 0] {
            clocks.wall.withLock { $0 = wall }
            #expect(try journal.trim(needed: [:], retention: JournalRetention()).segments == 0)
        }
        let first = sample.disk.paths
        clocks.steady.withLock { $0 += day + 1 }
        #expect(try journal.trim(needed: [:], retention: JournalRetention()).segments > 2)
        #expect(sample.disk.paths.count < first.count)

        // The next life begins a year before all that lies on the disk: that is a day old when a day has passed.
        let other = Sample()
        try self.journal(other, states: false).close()
        var next = Sample(disk: other.disk)
        clocks.steady.withLock { $0 = 1_790_000_000_000 - year }
        next.environment.steadyMilliseconds = sample.environment.steadyMilliseconds
        let later = try next.writer(epoch: 2)
        #expect(try later.trim(needed: [:], retention: JournalRetention()).segments == 0)
        clocks.steady.withLock { $0 += day }
        #expect(try later.trim(needed: [:], retention: JournalRetention()).segments > 2)
    }

    @Test func `what a file system says of the time is not believed of a segment of one's own`() throws {
        var sample = Sample()
        // The clock was set back by a year after this writer had begun: its files say that they are old.
        let now: UInt64 = 1_790_000_000_000 + 365 * 24 * 3_600_000
        sample.environment.steadyMilliseconds = { now }
        let journal = try journal(sample, states: false)
        #expect(try journal.trim(needed: [:], retention: JournalRetention()).segments == 0)
    }

    @Test func `the last state of the caller stays, with all behind it`() throws {
        let sample = Sample()
        let journal = try journal(sample, states: true)
        _ = try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0))
        journal.close()
        let next = try sample.writer(epoch: 2)
        #expect(next.recovery.state == [60])
        #expect(try sample.runs(from: next.recovery.replayFrom).count == 39)
    }

    @Test func `a trim that gets no file to sync removes nothing, and its writer goes on`() throws {
        let sample = Sample()
        let journal = try journal(sample, states: false)
        let before = sample.disk.paths
        _ = try journal.segments()
        // The state of each segment is known by now; the next file that is opened is one to be synced.
        _ = try journal.trim(needed: [Sample.settlements: 1], retention: JournalRetention(byteCount: 0))
        sample.disk.fail(next: .open, .fail(EMFILE))
        let error = #expect(throws: JournalError.self) { try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0)) }
        #expect(error?.code != .poisoned && sample.disk.paths == before)
        _ = try journal.append([], durability: .machine)
        #expect(try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0)).segments > 2)
    }

    @Test func `what goes is on the disk no longer than what stays`() throws {
        let sample = Sample()
        let journal = try journal(sample, states: true)
        _ = try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0))
        sample.disk.losePower()
        let found = Sample(disk: sample.disk, boot: Sample.nextBoot, seed: 4)
        let next = try found.writer(epoch: 2)
        #expect(next.recovery.state == [60])
        #expect(next.numbers.head(of: Sample.effects) >= 122 + JournalNumbers.jump)
    }

    @Test func `the folder of all journals says what each takes, for the node's limit`() throws {
        var sample = Sample()
        try sample.disk.makeDirectory("/node")
        sample.path = "/node/Auth"
        let journal = try journal(sample, states: false)
        let listings = try JournalListing.all(in: "/node", environment: sample.environment)
        try #require(listings.map(\.module) == ["Auth"])
        #expect(listings[0].segments.map(\.number) == (1...journal.segment.header.number).map { $0 })
        #expect(listings[0].epoch == Epoch(1) && listings[0].processID == 4711)
        let cap = listings[0].allocated / 2
        let share = try #require(JournalRetention.nodeShares(of: ["Auth": listings[0].segments], cap: cap)["Auth"])
        #expect(try journal.trim(needed: [:], retention: JournalRetention().limited(to: share)).segments > 0)
        let after = try JournalListing.all(in: "/node", environment: sample.environment)[0].allocated
        #expect(after <= cap && after >= cap / 2)
    }

    @Test func `a journal that cannot be looked at is named, and keeps nobody from the others`() throws {
        var (first, second) = (Sample(), Sample())
        try first.disk.makeDirectory("/node")
        second = Sample(disk: first.disk)
        (first.path, second.path) = ("/node/Auth", "/node/Notes")
        try first.writer(epoch: 3).close()
        try JournalWriter(directory: second.path, module: "Notes", epoch: Epoch(5), environment: second.environment).close()
        var troubles: [String] = []
        let note = { (module: ModuleID, error: JournalError) in troubles.append("\(module): \(error)") }
        first.disk.fail(next: .stat, .fail(EIO))
        let listings = try JournalListing.all(in: "/node", environment: first.environment, onUnreadable: note)
        #expect(listings.map(\.module) == ["Notes"])
        first.disk.fail(next: .open, .fail(EACCES))
        let epochs = try JournalListing.epochs(in: "/node", environment: first.environment, onUnreadable: note)
        #expect(epochs == ["Notes": Epoch(5)])
        #expect(try JournalListing.epochs(in: "/node", environment: first.environment, onUnreadable: note) == ["Auth": Epoch(3), "Notes": Epoch(5)])
        #expect(troubles.count == 2 && troubles.allSatisfy { $0.hasPrefix("Auth: /node/Auth/") }, "\(troubles)")
        #expect(troubles.last?.contains("give this user the right") == true, "\(troubles)")
    }

    @Test func `a copy that somebody keeps beside a journal, and what was set aside, are no journals; a name with a point may be one`() throws {
        var sample = Sample()
        try sample.disk.makeDirectory("/node")
        sample.path = "/node/Auth"
        try sample.writer(epoch: 3).close()
        for (name, module) in [("Auth.bak", "Auth"), ("Auth.two", "Auth.two")] as [(String, ModuleID)] {
            try JournalWriter(directory: "/node/\(name)", module: module, epoch: Epoch(5), environment: sample.environment).close()
        }
        try sample.disk.makeDirectory("/node/Auth.files.replaced-4711")
        #expect(try JournalListing.all(in: "/node", environment: sample.environment).map(\.module) == ["Auth", "Auth.two"])
        let epochs = try JournalListing.epochs(in: "/node", environment: sample.environment) { Issue.record("\($0): \($1)") }
        #expect(epochs == ["Auth": Epoch(3), "Auth.two": Epoch(5)])
    }

    @Test func `a journal whose lock file says nothing has come as far as its newest segment`() throws {
        var sample = Sample()
        try sample.disk.makeDirectory("/node")
        sample.path = "/node/Auth"
        for epoch: UInt64 in 1...4 { try sample.writer(epoch: epoch).close() }
        func epochs() throws -> [ModuleID: Epoch] {
            try JournalListing.epochs(in: "/node", environment: sample.environment) { Issue.record("\($0): \($1)") }
        }
        let (lock, newest) = ("/node/Auth/\(JournalFormat.lockName)", "/node/Auth/\(JournalFormat.segmentName(4))")
        // Whoever fences raises the lock file alone.
        try JournalLock.fence(directory: sample.path, epoch: Epoch(6), environment: sample.environment)
        #expect(try epochs() == ["Auth": Epoch(6)])
        sample.disk.set(lock, Array(repeating: 0x3F, count: sample.disk.bytes(lock)?.count ?? 0))
        #expect(try epochs() == ["Auth": Epoch(4)])
        try sample.disk.remove(lock)
        #expect(try epochs() == ["Auth": Epoch(4)])
        // A header that a loss of power has taken says nothing of the ones before.
        sample.disk.set(newest, Array(repeating: 0, count: sample.disk.bytes(newest)?.count ?? 0))
        #expect(try epochs() == ["Auth": Epoch(3)])
    }

    @Test func `a trim that is killed or refused at any removal leaves a journal that opens`() async throws {
        for step in 1...12 {
            await Task.yield()
            let sample = Sample()
            let journal = try journal(sample, states: false)
            sample.disk.fail(at: step, step % 2 == 0 ? .fail(5) : .kill(0))
            _ = try? journal.trim(needed: [:], retention: JournalRetention(byteCount: 0))
            sample.disk.killProcess()
            #expect(try sample.writer(epoch: 2).numbers.head(of: Sample.effects) == 200)
            _ = try sample.runs()
        }
    }
}
