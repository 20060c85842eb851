import Glibc
import JournalFaults
@testable import ReluxJournal
import ReluxWire
import Testing

@Suite struct FaultTests {
    @Test func `a write that arrives in parts is one batch all the same`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let runs = [try maker.effects(4)]
        sample.disk.fail(next: .write, .short(10), .short(1), .short(100))
        _ = try journal.append(runs)
        #expect(try sample.runs() == [runs])
    }

    @Test(arguments: [(ENOSPC, JournalError.Code.full), (EIO, .failed), (EACCES, .denied)])
    func `a write that fails midway is taken back, and the next one stands in its place`(_ number: Int32, _ code: JournalError.Code) throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let (first, second) = ([try maker.effects(2)], [try maker.effects(2)])
        _ = try journal.append(first)
        let before = sample.disk.bytes(Sample.segment(1))
        for arrived in [0, 1, 31, 32, 100] {
            sample.disk.fail(next: .write, .tear(arrived, number))
            let error = #expect(throws: JournalError.self) { try journal.append(second) }
            #expect(error?.code == code)
            #expect(error?.file == Sample.segment(1))
            #expect(sample.disk.bytes(Sample.segment(1)) == before)
            #expect(try sample.runs() == [first])
        }
        _ = try journal.append(second)
        #expect(try sample.runs() == [first, second])
    }

    @Test(arguments: [MemoryDisk.Fault.fail(EIO), .kill(0)])
    func `while a write is taken back the file keeps its length: whenever its process ends, the next one goes on`(fault: MemoryDisk.Fault) throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let (first, second) = ([try maker.effects(2)], [try maker.effects(2)])
        _ = try journal.append(first)
        sample.disk.fail(next: .write, .tear(50, EFBIG))
        // Behind the write that fails and the first call that takes it back.
        sample.disk.fail(at: 3, fault)
        _ = try? journal.append(second)
        sample.disk.killProcess()
        let next = try sample.writer(epoch: 2)
        _ = try next.append(second)
        #expect(try sample.runs() == [first, second])
    }

    @Test func `a write that fails and cannot be taken back ends the writer; the next one cuts it`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let (first, second) = ([try maker.effects(2)], [try maker.effects(2)])
        _ = try journal.append(first)
        sample.disk.fail(next: .write, .tear(50, EIO))
        sample.disk.fail(next: .truncate, .fail(EIO))
        #expect(throws: JournalError.self) { try journal.append(second) }
        let error = #expect(throws: JournalError.self) { try journal.append(second) }
        #expect(error?.code == .poisoned)
        journal.close()
        let next = try sample.writer(epoch: 2)
        #expect(next.recovery.cutBytes > 0)
        _ = try next.append(second)
        #expect(try sample.runs() == [first, second])
    }

    @Test func `a failed sync is never repeated: the batch is not accepted, and the writer has ended`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        _ = try journal.append([try maker.effects()])
        sample.disk.fail(next: .sync, .fail(EIO))
        let late = [try maker.effects()]
        let error = #expect(throws: JournalError.self) { try journal.append(late, durability: .machine) }
        #expect(error?.code == .poisoned && error?.file == Sample.segment(1))
        let syncs = sample.disk.count(of: .sync)
        #expect(throws: JournalError.self) { try journal.append([]) }
        #expect(throws: JournalError.self) { try journal.sync() }
        #expect(throws: JournalError.self) { try journal.seal() }
        journal.close()
        #expect(sample.disk.count(of: .sync) == syncs)
        // A process that starts again reads what is there.
        _ = try sample.writer(epoch: 2)
    }

    /// The system takes for written what it could not write; see MemoryDisk.
    @Test(arguments: [false, true]) func `what a failed sync has left is on the disk when a later life has synced, and not before`(isSealing: Bool) throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let runs = [try maker.effects(3, payload: 2000)]
        _ = try journal.append(runs)
        sample.disk.fail(next: .sync, .fail(EIO))
        #expect(throws: JournalError.self) { if isSealing { try journal.seal() } else { try journal.sync() } }
        journal.close()
        let next = try sample.writer(epoch: 2)
        #expect(try sample.runs() == [runs])
        let unsynced = Sample(disk: sample.disk.survivors(), boot: Sample.nextBoot)
        _ = try unsynced.writer(epoch: 3)
        #expect(try unsynced.runs() == [])
        try next.sync()
        let synced = Sample(disk: sample.disk.survivors(), boot: Sample.nextBoot)
        _ = try synced.writer(epoch: 3)
        #expect(try synced.runs() == [runs])
        // It is over with that.
        next.close()
        let (writes, third) = (sample.disk.count(of: .write), try sample.writer(epoch: 4))
        third.close()
        // The new segment and the lock.
        #expect(sample.disk.count(of: .write) == writes + 2)
    }

    @Test func `a reader brings a dead writer's journal to the disk, and never what a failed sync has left`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let runs = [try maker.effects()]
        _ = try journal.append(runs)
        sample.disk.killProcess()
        sample.disk.fail(next: .sync, .fail(EIO))
        #expect(throws: JournalError.self) { try sample.reader().sync() }
        // Nobody else is told of the failure.
        #expect(throws: JournalError.self) { try sample.reader().sync() }
        let next = try sample.writer(epoch: 2)
        sample.disk.killProcess()
        withExtendedLifetime(next) {}
        try sample.reader().sync()
        let after = Sample(disk: sample.disk.survivors(), boot: Sample.nextBoot)
        _ = try after.writer(epoch: 3)
        #expect(try after.runs() == [runs])
    }

    @Test(arguments: 0..<6) func `what only kept a reader from syncing is no failed sync, and over the next time`(opens: Int) throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        _ = try journal.append([try maker.effects()])
        sample.disk.killProcess()
        let reader = try sample.reader()
        for _ in 0..<opens { sample.disk.fail(next: .open, .short(0)) }
        sample.disk.fail(next: .open, .fail(EMFILE))
        try? reader.sync()
        withExtendedLifetime(journal) {}
        sample.disk.killProcess()
        try sample.reader().sync()
    }

    @Test func `without room for the next segment the append is refused, and goes through once there is some`() throws {
        let sample = Sample()
        var options = JournalOptions()
        options.firstSegment = 4 << 10
        let journal = try sample.writer(options: options)
        var maker = RunMaker()
        sample.disk.setRoom(0)
        var appended: [[JournalRun]] = []
        var refused: [JournalRun]?
        while refused == nil {
            let runs = [try maker.effects(2, payload: 200)]
            do {
                _ = try journal.append(runs)
                appended.append(runs)
            } catch {
                #expect(error.code == .full && error.file == Sample.segment(2))
                #expect(error.remedy.contains("free room"))
                refused = runs
            }
        }
        #expect(try sample.runs() == appended)
        #expect(sample.disk.paths == ["/Auth/0000000000000001.seg", "/Auth/lock"])
        sample.disk.setRoom(1 << 20)
        _ = try journal.append(refused!)
        #expect(try sample.runs() == appended + [refused!])
    }

    @Test func `a state that finds no room does not cost what was appended`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        sample.disk.setRoom(0)
        let runs = [try maker.effects()]
        _ = try journal.append(runs, state: [1])
        #expect(try sample.runs() == [runs])
        #expect(journal.base == 0)
    }

    /// Again by the same process under the same epoch, or by the next one.
    @Test(arguments: [2, 3]) func `opening with any call failing says so or works, and harms nothing`(again: UInt64) async throws {
        var step = 0
        while true {
            step += 1
            await Task.yield()
            let sample = Sample()
            var maker = RunMaker()
            let runs = [try maker.effects(5)]
            let first = try sample.writer()
            _ = try first.append(runs, durability: .machine)
            first.close()
            let found = Sample(disk: sample.disk.copy(), boot: step % 2 == 0 ? Sample.boot : Sample.nextBoot, seed: 2)
            found.disk.fail(at: step, .fail(step % 3 == 0 ? ENOSPC : EIO))
            let changes = found.disk.changes
            if (try? found.writer(epoch: 2)) != nil, found.disk.changes - changes < step { break }
            _ = try found.writer(epoch: again)
            #expect(try found.runs() == [runs])
        }
        #expect(step > 4)
    }

    @Test func `a process killed in any call of an append leaves all of it or nothing`() async throws {
        var step = 0
        while true {
            step += 1
            await Task.yield()
            let sample = Sample()
            var options = JournalOptions()
            options.firstSegment = 4 << 10
            let journal = try sample.writer(options: options)
            var maker = RunMaker()
            sample.disk.fail(at: step, .kill(step * 53 % 400))
            var accepted: [[JournalRun]] = []
            var pending: [JournalRun]?
            for index in 0..<20 where pending == nil {
                let runs = [try maker.effects(2, payload: 150)]
                do {
                    _ = try journal.append(runs, durability: index % 3 == 0 ? .machine : .process, state: index == 9 ? [9] : nil)
                    accepted.append(runs)
                } catch {
                    pending = runs
                }
            }
            sample.disk.killProcess()
            _ = try sample.writer(epoch: 2)
            let runs = try sample.runs()
            #expect(runs == accepted || runs == accepted + [pending ?? []], "step \(step)")
            if pending == nil { break }
        }
        #expect(step > 20)
    }

    @Test func `a directory without permission is refused with its name`() throws {
        let sample = Sample()
        sample.disk.fail(next: .mkdir, .fail(EACCES))
        let error = #expect(throws: JournalError.self) { try sample.writer() }
        #expect(error?.code == .denied && error?.file == "/Auth")
        #expect(error?.description.contains("cluster.directory") == true)
    }

    @Test func `who only reads is not told to get the right to write, nor that a module starts again`() throws {
        let sample = Sample()
        try sample.writer().close()
        for call in [SystemError.Call.open, .read] {
            sample.disk.fail(next: call, .fail(EACCES))
            var error = #expect(throws: JournalError.self) { try sample.reader() }
            #expect(error?.code == .denied && error?.remedy.hasPrefix("give this user the right to read it") == true, "\(call): \(error?.remedy ?? "")")
            sample.disk.fail(next: call, .fail(EIO))
            error = #expect(throws: JournalError.self) { try sample.reader() }
            #expect(error?.code == .failed && error?.remedy == "look at the disk (dmesg), and try again", "\(call): \(error?.remedy ?? "")")
        }
    }
}
