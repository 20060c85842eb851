import JournalFaults
import ReluxJournal
import ReluxWire

/// A journal of the module Auth on a disk in memory.
struct Sample {
    static let boot = BootID(bytes: Array(1...16))!
    static let nextBoot = BootID(bytes: Array(2...17))!
    static let effects: Topic = "Auth.Business.Effect"
    static let settlements: Topic = "~settled.Notes"

    let disk: MemoryDisk
    var environment: JournalEnvironment
    var path = "/Auth"

    init(disk: MemoryDisk = MemoryDisk(), boot: BootID = Sample.boot, seed: UInt64 = 1) {
        self.disk = disk
        let random = SplitMix(seed: seed)
        environment = JournalEnvironment(
            files: disk, bootID: boot, processID: 4711, wallMilliseconds: { 1_790_000_000_000 }, random: { random.next() })
    }

    /// Segments of 8 KiB, for speed.
    static let options: JournalOptions = {
        var options = JournalOptions()
        options.firstSegment = 8 << 10
        return options
    }()

    func writer(epoch: UInt64 = 1, options: JournalOptions = Sample.options) throws(JournalError) -> JournalWriter {
        try JournalWriter(directory: path, module: "Auth", epoch: Epoch(epoch), options: options, environment: environment)
    }

    func reader() throws(JournalError) -> JournalReader {
        try JournalReader(directory: path, module: "Auth", environment: environment)
    }

    static func segment(_ number: Int) -> String { "/Auth/\(String(repeating: "0", count: 16 - "\(number)".count))\(number).seg" }

    /// Everything that the journal serves, or what lies behind a place.
    func batches(from place: JournalPlace? = nil) throws -> [JournalBatch] {
        let reader = try reader()
        if let place { try reader.seek(place) }
        var batches: [JournalBatch] = []
        while true {
            let more = try reader.next()
            if more.isEmpty { return batches }
            batches += more
        }
    }

    /// The runs alone, which do not change when a place does.
    func runs(from place: JournalPlace? = nil) throws -> [[JournalRun]] { try batches(from: place).map(\.runs).filter { !$0.isEmpty } }
}

/// Runs with numbers that go on.
struct RunMaker {
    var numbers: JournalNumbers
    var random: SplitMix

    init(_ numbers: JournalNumbers = JournalNumbers(), seed: UInt64 = 7) {
        self.numbers = numbers
        random = SplitMix(seed: seed)
    }

    mutating func effects(_ count: Int = 1, topic: Topic = Sample.effects, payload: Int = 24) throws -> JournalRun {
        var builder = JournalRunBuilder(topic: topic, byteTarget: .max)
        for _ in 0..<count {
            let sequence = numbers.head(of: topic) + 1
            numbers.heads[topic] = sequence
            numbers.position += 1
            let bytes = (0..<payload).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let record = WireRecord.effect(
                EffectRecord(position: numbers.position, sequence: sequence, caseName: "login", payload: bytes[...]))
            _ = try builder.append(record, sequence: sequence, position: numbers.position)
        }
        return builder.finish()!
    }

    mutating func settlements(_ count: Int = 1, topic: Topic = Sample.settlements) throws -> JournalRun {
        var builder = JournalRunBuilder(topic: topic, byteTarget: .max)
        for _ in 0..<count {
            let sequence = numbers.head(of: topic) + 1
            numbers.heads[topic] = sequence
            let record = WireRecord.settled(
                SettledRecord(
                    sequence: sequence, topic: Sample.effects, effects: EffectRuns(position: random.next() % 1000, sequence: sequence)))
            _ = try builder.append(record, sequence: sequence)
        }
        return builder.finish()!
    }

    func snapshot() throws -> JournalRun {
        var builder = JournalRunBuilder(topic: "~snapshot.Auth.UI.State", byteTarget: .max)
        _ = try builder.append(.snapshot(SnapshotRecord(version: 1, payload: [1, 2, 3])))
        return builder.finish()!
    }

    /// Up to three runs of any kind.
    mutating func batch() throws -> [JournalRun] {
        var runs: [JournalRun] = []
        for _ in 0...(random.next() % 3) {
            switch random.next() % 4 {
            case 0: runs.append(try settlements(Int(random.next() % 4) + 1))
            case 1: runs.append(try snapshot())
            default:
                let topic: Topic = random.next() % 2 == 0 ? Sample.effects : "Auth.Business.Audit"
                runs.append(try effects(Int(random.next() % 4) + 1, topic: topic, payload: Int(random.next() % 200)))
            }
        }
        return runs
    }
}

/// Small and the same everywhere. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
final class SplitMix: @unchecked Sendable {
    // Used by one test on one thread.
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}
