import Glibc
import JournalFaults
@testable import ReluxJournal
import ReluxWire
import Testing

/// Lives of a journal that are killed, handed over and cut off by losses of power: no number is given out twice, nothing that was on the disk is gone.
@Suite struct PowerLossTests {
    private static func boot(_ number: Int) -> BootID { BootID(bytes: [UInt8](repeating: UInt8(number), count: 16))! }

    /// The same disk after the loss of power.
    private func next(_ sample: Sample, boot number: Int = 2, keeps: @escaping () -> Bool = { false }) -> Sample {
        Sample(disk: sample.disk.survivors(keeps: keeps), boot: Self.boot(number), seed: UInt64(number))
    }

    @Test func `what a life says behind a hand-over is not said again under the same numbers`() throws {
        let sample = Sample(boot: Self.boot(1))
        var maker = RunMaker()
        let first = try sample.writer()
        _ = try first.append([try maker.effects(3)])
        try first.seal()
        let second = try sample.writer(epoch: 2)
        _ = try second.append([try maker.effects(5)])
        let after = next(sample)
        let third = try after.writer(epoch: 3)
        #expect(!third.recovery.wasSealed && third.recovery.hole?.reason == .power)
        #expect(third.numbers.head(of: Sample.effects) > maker.numbers.head(of: Sample.effects))
        #expect(try after.runs().count == 1)
    }

    @Test func `a process that is killed over its SEAL has handed over, and no later loss of power makes damage of that`() throws {
        let plain = Sample(boot: Self.boot(1))
        var step = 1
        while true {
            let sample = Sample(disk: plain.disk.copy(), boot: Self.boot(1))
            var maker = RunMaker()
            let first = try sample.writer()
            let runs = [try maker.effects(3)]
            _ = try first.append(runs)
            sample.disk.fail(at: step, .kill(40))
            let isSealed = (try? first.seal()) != nil
            sample.disk.killProcess()
            let second = try sample.writer(epoch: 2)
            let late = [try maker.effects(1)]
            #expect(try second.append(late, durability: .machine).isOnDisk)
            let after = next(sample)
            _ = try after.writer(epoch: 3)
            #expect(try after.runs() == [runs, late], "killed at step \(step)")
            if isSealed { break }
            step += 1
        }
        #expect(step > 3)
    }

    @Test func `a bit that flips in a journal that was handed over is damage under another start of the machine, too`() throws {
        let sample = Sample(boot: Self.boot(1))
        var maker = RunMaker()
        let journal = try sample.writer()
        for _ in 0..<3 { _ = try journal.append([try maker.effects(3)]) }
        let end = journal.segment.end
        try journal.seal()
        let start = JournalFormat.headerByteCount
        for byte in stride(from: start, to: end, by: 13) {
            let after = next(sample)
            var bytes = try #require(after.disk.bytes(Sample.segment(1)))
            bytes[byte] ^= 0x10
            after.disk.set(Sample.segment(1), bytes)
            let error = #expect(throws: JournalError.self) { try after.writer(epoch: 2) }
            #expect(error?.code == .damaged, "byte \(byte)")
        }
    }

    @Test(arguments: [0, JournalFormat.headerByteCount]) func `the oldest segment is never taken for lost`(offset: Int) throws {
        let sample = Sample(boot: Self.boot(1))
        var maker = RunMaker()
        let journal = try sample.writer()
        _ = try journal.append([try maker.effects(10)], durability: .machine, state: [1])
        #expect(try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0)).segments == 1)
        let (path, after) = (Sample.segment(2), next(sample) { true })
        #expect(after.disk.paths.filter { $0.hasSuffix(".seg") } == [path])
        var bytes = try #require(after.disk.bytes(path))
        bytes.replaceSubrange(offset..<offset + 256, with: repeatElement(0, count: 256))
        after.disk.set(path, bytes)
        let error = #expect(throws: JournalError.self) { try after.writer(epoch: 2) }
        #expect(error?.code == .damaged && error?.file == path)
        #expect(after.disk.bytes(path) == bytes)
    }

    @Test func `a segment that was written since the machine has started is not a loss of power's`() throws {
        let first = Sample(boot: Self.boot(1))
        var maker = RunMaker()
        _ = try first.writer().append([try maker.effects(3)], durability: .machine)
        let second = next(first)
        let journal = try second.writer(epoch: 2)
        maker.numbers = journal.numbers
        _ = try journal.append([try maker.effects(3)], durability: .machine)
        journal.close()
        var bytes = try #require(second.disk.bytes(Sample.segment(2)))
        bytes.replaceSubrange(0..<512, with: repeatElement(0, count: 512))
        second.disk.set(Sample.segment(2), bytes)
        let error = #expect(throws: JournalError.self) { try second.writer(epoch: 3) }
        #expect(error?.code == .damaged && error?.file == Sample.segment(2))
    }

    @Test func `a state that nobody could read is not taken, and the batch that came with it is`() throws {
        let sample = Sample()
        let journal = try sample.writer()
        var maker = RunMaker()
        let runs = [try maker.effects()]
        let receipt = try journal.append(runs, state: [UInt8](repeating: 1, count: JournalFormat.batchByteLimit + 1))
        #expect(!receipt.hasState)
        #expect(try sample.runs() == [runs])
    }

    // MARK: By seed

    /// Six lives. Each may be killed at any call, sealed or left, and the power may go behind it, with any part of what was not synced.
    private struct Lives {
        var sample: Sample
        let random: SplitMix
        var boot = 1
        var epoch: UInt64 = 0
        /// In the order of their acceptance, and how many of them no loss of power takes.
        var accepted: [[JournalRun]] = []
        var onDisk = 0
        /// The highest number that was given out.
        var given: UInt64 = 0
        var isAfterPowerLoss = false
        let trims: Bool

        static let options = {
            var options = JournalOptions()
            options.firstSegment = 4 << 10
            options.segmentLimit = 8 << 10
            return options
        }()

        init(seed: UInt64, trims: Bool) {
            sample = Sample(boot: PowerLossTests.boot(1), seed: seed &+ 1000)
            random = SplitMix(seed: seed)
            self.trims = trims
        }

        mutating func losePower() {
            boot += 1
            isAfterPowerLoss = true
            let share = random.next() % 3
            sample.disk.losePower { [random] in share == 2 ? random.next() % 2 == 0 : share == 1 }
            sample.environment.bootID = PowerLossTests.boot(boot)
        }

        /// - Throws: what a journal that nobody has damaged may never say.
        mutating func open() throws -> JournalWriter {
            if random.next() % 4 == 0 { sample.disk.fail(at: Int(random.next() % 12) + 1, .kill(Int(random.next() % 600))) }
            while true {
                epoch += 1
                do {
                    let journal = try sample.writer(epoch: epoch, options: Self.options)
                    // It may have died over what it needs no answer of.
                    if !sample.disk.isDead { return journal }
                } catch {
                    guard error.code == .failed else { throw error }
                }
                sample.disk.killProcess()
                if random.next() % 3 == 0 { losePower() }
            }
        }

        mutating func live(_ journal: JournalWriter) throws {
            if random.next() % 2 == 0 { sample.disk.fail(at: Int(random.next() % 40) + 1, .kill(Int(random.next() % 900))) }
            var maker = RunMaker(journal.numbers, seed: random.next())
            do {
                for turn in 0..<UInt8(random.next() % 15) {
                    let runs = [try maker.effects(2, payload: Int(random.next() % 300))]
                    let isLasting = random.next() % 5 == 0
                    let state = random.next() % 9 == 0 ? [turn] : nil
                    _ = try journal.append(runs, durability: isLasting ? .machine : .process, state: state)
                    accepted.append(runs)
                    given = maker.numbers.head(of: Sample.effects)
                    if isLasting { onDisk = accepted.count }
                    if trims, random.next() % 6 == 0 { try journal.trim(needed: [:], retention: JournalRetention(byteCount: 0)) }
                }
                if random.next() % 3 == 0 {
                    try journal.seal()
                    onDisk = accepted.count
                }
            } catch is JournalError {}
            sample.disk.killProcess()
        }
    }

    @Test(arguments: [false, true]) func `whatever becomes of a journal's lives, its numbers rise and what was accepted is there`(trims: Bool) async throws {
        for seed in 0..<(getenv("RELUX_TEST_FULL") == nil ? 40 : 1_000) as Range<UInt64> {
            await Task.yield()
            var lives = Lives(seed: seed, trims: trims)
            do {
                for _ in 0..<6 {
                    let journal = try lives.open()
                    #expect(journal.numbers.head(of: Sample.effects) >= lives.given, "seed \(seed): the numbers go back")
                    let runs = try lives.sample.runs()
                    if !trims {
                        #expect(runs.count >= (lives.isAfterPowerLoss ? lives.onDisk : lives.accepted.count), "seed \(seed)")
                        // A batch whose process was killed over it may be there.
                        let isRight = runs.starts(with: lives.accepted) || lives.accepted.starts(with: runs)
                        #expect(isRight, "seed \(seed): \(runs.count) of \(lives.accepted.count)")
                    }
                    lives.accepted = runs
                    lives.onDisk = lives.isAfterPowerLoss ? runs.count : min(lives.onDisk, runs.count)
                    lives.isAfterPowerLoss = false
                    try lives.live(journal)
                    if lives.random.next() % 2 == 0 { lives.losePower() }
                }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
}
