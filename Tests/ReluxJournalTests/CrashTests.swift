import JournalFaults
@testable import ReluxJournal
import ReluxWire
import Testing

/// Each byte that was used, cut or flipped: it is detected, and what was recovered is an exact prefix.
@Suite struct CrashTests {
    /// 64 records in 8 batches of one segment, with their ends, as a process leaves them that was killed.
    private struct Subject {
        let sample = Sample()
        var batches: [[JournalRun]] = []
        /// Where each batch ends; the first is the CHECKPOINT's.
        var ends: [Int] = []
        let bytes: [UInt8]

        init(machine: Bool = false) throws {
            var options = JournalOptions()
            options.firstSegment = 5 << 10
            let journal = try sample.writer(options: options)
            var maker = RunMaker()
            ends.append(journal.segment.end)
            for _ in 0..<8 {
                let runs = [try maker.effects(4, payload: 1), try maker.settlements(4)]
                _ = try journal.append(runs, durability: machine ? .machine : .process)
                batches.append(runs)
                ends.append(journal.segment.end)
            }
            bytes = sample.disk.bytes(Sample.segment(1))!
            journal.close()
        }

        /// The effects' head behind this number of batches.
        func head(_ batches: Int) -> UInt64 { UInt64(4 * batches) }

        /// How many appended batches lie whole before the offset.
        func whole(before offset: Int) -> Int { max(0, ends.filter { $0 <= offset }.count - 1) }

        /// The same journal with other bytes, found by a process after a crash.
        func found(_ bytes: [UInt8], boot: BootID = Sample.boot) -> Sample {
            let disk = sample.disk.copy()
            disk.set(Sample.segment(1), bytes)
            return Sample(disk: disk, boot: boot, seed: 99)
        }
    }

    /// Every byte is judged by the scan that recovery uses; some of them also by a whole recovery, for time.
    private static let step = 7

    @Test func `a write that a kill has cut at any byte is cut back to the batches before it`() async throws {
        let subject = try Subject()
        let header = try SegmentHeader(decoding: subject.bytes[...])
        for offset in subject.ends[0]..<subject.ends.last! {
            await Task.yield()
            var torn = subject.bytes
            torn.replaceSubrange(offset..., with: repeatElement(0, count: torn.count - offset))
            // Zeros that were written are not told from zeros that were reserved.
            let arrived = (torn.lastIndex { $0 != 0 } ?? 0) + 1
            let kept = subject.whole(before: subject.bytes[offset...].firstIndex { $0 != 0 } ?? subject.bytes.count)
            let scan = SegmentScan(torn, header)
            #expect(scan.end == subject.ends[kept])
            #expect(scan.tail(sameBoot: true) == (arrived > subject.ends[kept] ? .torn : .clean))
            guard offset % Self.step == 0 else { continue }
            let found = subject.found(torn)
            let journal = try found.writer(epoch: 2)
            #expect(journal.recovery.hole == nil)
            #expect(journal.numbers.head(of: Sample.effects) == subject.head(kept))
            #expect(journal.recovery.cutBytes == max(0, arrived - subject.ends[kept]))
            #expect(try found.runs() == Array(subject.batches.prefix(kept)))
        }
    }

    @Test func `the rest of a cut write that looks like the end of one is no damage`() throws {
        let subject = try Subject()
        let start = subject.ends[subject.ends.count - 2]
        // From behind the header on, most of which is known beforehand, up to where the true end begins.
        for offset in stride(from: start + JournalFormat.batchHeaderByteCount, to: subject.ends.last! - JournalFormat.trailerByteCount, by: JournalFormat.alignment) {
            var torn = subject.bytes
            torn.replaceSubrange(offset..., with: repeatElement(0, count: torn.count - offset))
            torn.replaceSubrange(offset..<offset + 4, with: repeatElement(0xFF, count: 4))
            let scan = SegmentScan(torn, try SegmentHeader(decoding: torn[...]))
            #expect(scan.end == start)
            #expect(scan.tail(sameBoot: true) == .torn)
        }
    }

    @Test func `a batch that has its end and not its beginning is damage`() throws {
        let subject = try Subject()
        let start = subject.ends[subject.ends.count - 2]
        for count in 1...JournalFormat.batchHeaderByteCount {
            for byte in [0, 0xFF] as [UInt8] {
                var damaged = subject.bytes
                damaged.replaceSubrange(start..<start + count, with: repeatElement(byte, count: count))
                let scan = SegmentScan(damaged, try SegmentHeader(decoding: damaged[...]))
                #expect(scan.end == start)
                guard case .damaged = scan.tail(sameBoot: true) else {
                    Issue.record("\(count) bytes of \(byte): \(scan.tail(sameBoot: true))")
                    continue
                }
            }
        }
    }

    @Test func `any place of the last batch that is destroyed is damage, also where it goes on behind its end`() async throws {
        let subject = try Subject()
        let (start, end) = (subject.ends[subject.ends.count - 2], subject.ends.last!)
        let header = try SegmentHeader(decoding: subject.bytes[...])
        let random = SplitMix(seed: 11)
        for turn in 0..<5000 {
            if turn % 100 == 0 { await Task.yield() }
            var damaged = subject.bytes
            let place = start + Int(random.next() % UInt64(end - start))
            for index in place..<min(damaged.count, place + 1 + Int(random.next() % 64)) { damaged[index] ^= UInt8(1 + random.next() % 255) }
            let scan = SegmentScan(damaged, header)
            if case .damaged = scan.tail(sameBoot: true) { continue }
            Issue.record("turn \(turn), from byte \(place - start) of \(end - start) on: \(scan.tail(sameBoot: true))")
        }
    }

    @Test func `a destroyed batch is damage, too, where a cut write lies behind it`() throws {
        let subject = try Subject()
        let (start, last) = (subject.ends[subject.ends.count - 3], subject.ends[subject.ends.count - 2])
        for arrived in stride(from: 1, to: subject.ends.last! - last, by: 5) {
            var damaged = subject.bytes
            damaged.replaceSubrange((last + arrived)..., with: repeatElement(0, count: damaged.count - last - arrived))
            damaged[last - 20] ^= 0x40
            let scan = SegmentScan(damaged, try SegmentHeader(decoding: damaged[...]))
            #expect(scan.end == start)
            guard case .damaged = scan.tail(sameBoot: true) else {
                Issue.record("\(arrived) bytes behind: \(scan.tail(sameBoot: true))")
                continue
            }
        }
    }

    @Test func `a file that was cut while the machine ran is refused, and repaired to the exact prefix`() async throws {
        let subject = try Subject()
        let header = try SegmentHeader(decoding: subject.bytes[...])
        for offset in 0..<subject.ends.last! {
            await Task.yield()
            let cut = Array(subject.bytes.prefix(offset))
            if offset >= JournalFormat.headerByteCount {
                let scan = SegmentScan(cut, header)
                #expect(scan.end == subject.ends.last { $0 <= offset } ?? JournalFormat.headerByteCount)
                guard case .damaged = scan.tail(sameBoot: true) else {
                    Issue.record("offset \(offset): \(scan.tail(sameBoot: true))")
                    continue
                }
            }
            guard offset % (8 * Self.step) == 0 || offset < 4 else { continue }
            let found = subject.found(cut)
            let error = #expect(throws: JournalError.self) { try found.writer(epoch: 2) }
            #expect(error?.code == .damaged && error?.file == Sample.segment(1))
            let repair = try JournalRepair(directory: found.path, module: "Auth", environment: found.environment)
            _ = try repair.run()
            #expect(try found.runs() == Array(subject.batches.prefix(subject.whole(before: offset))))
            #expect(try found.writer(epoch: 2).recovery.hole == nil)
        }
    }

    @Test func `a file that a loss of power has cut is recovered to the exact prefix, with a HOLE`() async throws {
        let subject = try Subject()
        for offset in stride(from: subject.ends[0], to: subject.ends.last!, by: Self.step) {
            await Task.yield()
            let found = subject.found(Array(subject.bytes.prefix(offset)), boot: Sample.nextBoot)
            let kept = subject.whole(before: offset)
            let journal = try found.writer(epoch: 2)
            #expect(journal.recovery.hole?.reason == .power)
            #expect(journal.numbers.head(of: Sample.effects) == subject.head(kept) + JournalNumbers.jump)
            #expect(journal.numbers.head(of: "Never.Said") == JournalNumbers.jump)
            #expect(journal.numbers.position == subject.head(kept) + JournalNumbers.jump)
            #expect(try found.runs() == Array(subject.batches.prefix(kept)))
        }
    }

    @Test func `each bit that flips is found, and no batch before it is lost`() async throws {
        let subject = try Subject()
        let used = subject.ends.last!
        let sound = try SegmentHeader(decoding: subject.bytes[...])
        for bit in 0..<(8 * used) {
            if bit % 128 == 0 { await Task.yield() }
            var flipped = subject.bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            if bit / 8 < JournalFormat.headerByteCount {
                #expect(throws: SegmentHeader.Fault.self) { try SegmentHeader(decoding: flipped[...]) }
                continue
            }
            let scan = SegmentScan(flipped, sound)
            let expected = subject.ends.last { $0 <= bit / 8 } ?? JournalFormat.headerByteCount
            // One comparison for each bit: there are many.
            if scan.end == expected, case .damaged = scan.tail(sameBoot: true) { continue }
            Issue.record("bit \(bit): ends at \(scan.end) instead of \(expected), \(scan.tail(sameBoot: true))")
        }
    }

    @Test func `whoever meets a flipped bit, writer, reader or report, says where`() async throws {
        let subject = try Subject()
        for bit in stride(from: 0, to: 8 * subject.ends.last!, by: 61) {
            await Task.yield()
            var flipped = subject.bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            let found = subject.found(flipped)
            let error = #expect(throws: JournalError.self) { try found.writer(epoch: 2) }
            #expect(error?.file == Sample.segment(1))
            // Only a byte of the version may look like a later one.
            #expect(error?.code == .damaged || error?.code == .otherFormat && (8...9).contains(bit / 8))
            guard bit / 8 >= subject.ends[0], let error else { continue }
            let kept = subject.whole(before: bit / 8)
            #expect(error.position == UInt64(subject.ends[kept]))
            let reader = try found.reader()
            #expect(try reader.next().map(\.runs).filter { !$0.isEmpty } == Array(subject.batches.prefix(kept)))
            #expect(throws: error) { try reader.next() }
            let report = try JournalReport(directory: found.path, module: "Auth", environment: found.environment)
            #expect(report.faults == [error])
        }
    }

    @Test func `what was on the disk by word of a batch is never taken for a torn tail`() async throws {
        let subject = try Subject(machine: true)
        for batch in 1..<subject.ends.count - 1 {
            var lost = subject.bytes
            lost[subject.ends[batch] - 9] ^= 0x40
            let found = subject.found(lost, boot: Sample.nextBoot)
            // The last but one is only known to have been written, not synced, when the last was.
            let error = #expect(throws: JournalError.self) { try found.writer(epoch: 2) }
            #expect(error?.code == .damaged)
            await Task.yield()
        }
    }

    @Test func `recovery that is killed at any step is done again with the same result`() async throws {
        let subject = try Subject()
        var torn = subject.bytes
        let offset = subject.ends[5] + 30
        torn.replaceSubrange(offset..., with: repeatElement(0, count: torn.count - offset))
        for boot in [Sample.boot, Sample.nextBoot] {
            var steps = 1
            while true {
                let found = subject.found(torn, boot: boot)
                found.disk.fail(at: steps, .kill(steps * 7 % 100))
                let isDone = (try? found.writer(epoch: 2)) != nil
                found.disk.killProcess()
                let journal = try found.writer(epoch: 3)
                #expect(try found.runs() == Array(subject.batches.prefix(5)))
                let jumps = boot == Sample.boot ? 0 : JournalNumbers.jump
                #expect(journal.numbers.head(of: Sample.effects) == subject.head(5) + jumps)
                await Task.yield()
                if isDone { break }
                steps += 1
            }
            #expect(steps > 4)
        }
    }

    @Test(arguments: 0..<40) func `a segment that was begun when all before it was on the disk may be lost but for its header`(seed: UInt64) throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let runs = [try maker.effects(3)]
        _ = try journal.append(runs, durability: .machine)
        _ = try journal.append([], state: (0..<3000).map { UInt8(truncatingIfNeeded: $0) })
        let random = SplitMix(seed: seed)
        let after = Sample(disk: sample.disk.survivors(keeps: { random.next() % 2 == 0 }), boot: Sample.nextBoot)
        let next = try after.writer(epoch: 2)
        #expect(next.recovery.hole?.reason == .power)
        #expect(try after.runs() == [runs])
    }

    @Test func `a loss of power keeps what was on the disk, whatever subset of the rest survives`() async throws {
        for seed in 0..<200 as Range<UInt64> {
            await Task.yield()
            let random = SplitMix(seed: seed)
            let sample = Sample(seed: seed)
            var options = JournalOptions()
            options.firstSegment = 4 << 10
            options.segmentLimit = 8 << 10
            let journal = try sample.writer(options: options)
            var maker = RunMaker(seed: seed)
            var appended: [[JournalRun]] = []
            var onDisk = 0
            for _ in 0..<(random.next() % 40 + 1) {
                let durability: JournalDurability = random.next() % 8 == 0 ? .machine : .process
                appended.append([try maker.effects(3, payload: 150)])
                let state: [UInt8]? = random.next() % 10 == 0 ? [UInt8(appended.count)] : nil
                _ = try journal.append(appended.last!, durability: durability, state: state)
                if durability == .machine { onDisk = appended.count }
            }
            let head = journal.numbers.head(of: Sample.effects)
            sample.disk.losePower { random.next() % 2 == 0 }
            let found = Sample(disk: sample.disk, boot: Sample.nextBoot, seed: seed + 1000)
            let next = try found.writer(epoch: 2)
            let runs = try found.runs()
            #expect(runs.count >= onDisk, "seed \(seed)")
            #expect(runs == Array(appended.prefix(runs.count)), "seed \(seed)")
            if next.recovery.isNew {
                #expect(onDisk == 0)
            } else {
                #expect(next.numbers.head(of: Sample.effects) > head, "seed \(seed)")
                // The state and what is behind it give the present.
                let before = Int(next.recovery.state.first ?? 0)
                #expect(try found.runs(from: next.recovery.replayFrom) == Array(runs.dropFirst(before)), "seed \(seed)")
            }
        }
    }

    @Test func `a second loss of power does not give the same numbers out again`() throws {
        let sample = Sample()
        var maker = RunMaker()
        _ = try sample.writer().append([try maker.effects()], durability: .machine)
        sample.disk.losePower()
        let second = try Sample(disk: sample.disk, boot: Sample.nextBoot, seed: 2).writer(epoch: 2)
        maker.numbers = second.numbers
        _ = try second.append([try maker.effects(5)])
        sample.disk.losePower()
        let third = try Sample(disk: sample.disk, boot: BootID(bytes: Array(3...18))!, seed: 3).writer(epoch: 3)
        #expect(third.numbers.head(of: Sample.effects) > maker.numbers.head(of: Sample.effects))
        #expect(third.numbers.position > maker.numbers.position)
    }
}
