import JournalFaults
import Relux
import ReluxTestKit
@testable import ReluxBus
@testable import ReluxJournal
@testable import ReluxLedger

/// The end of a module's journal in bytes, made where a write is cut or the power goes. `ModuleJournals` writes it on a disk in memory, as it does in
/// a host, and the next life's recovers it.
///
/// Design notes. It is a journal of its own that holds the batch before the cut and those behind it: epochs count from 1, and no ledger is
/// checkpointed, nor anything trimmed.
struct JournalBytes {
    private let module: ModuleID
    private let salt: UInt64
    private let disk = MemoryDisk()
    private var journals: ModuleJournals
    private var epoch = Epoch(0)

    private static let directory = "/journal"
    private static let options = {
        var options = JournalOptions()
        // Mostly enough for one life; with more than that the next segment begins.
        options.firstSegment = 8 << 10
        return options
    }()

    init(_ module: ModuleID, salt: UInt64) throws {
        self.module = module
        self.salt = salt
        journals = ModuleJournals(environment: Self.environment(disk, salt))
        _ = try begin()
    }

    /// The process is gone, and the module's next life opens the journal.
    mutating func begin(afterPowerLoss: Bool = false) throws -> JournalRecovery {
        disk.killProcess()
        epoch = Epoch(epoch.rawValue + 1)
        journals = ModuleJournals(environment: Self.environment(disk, salt, boot: afterPowerLoss ? 2 : 1), options: Self.options)
        return try journals.open(module, at: Self.directory, epoch: epoch).recovery
    }

    /// Writes a batch; the calls that write fare as `writes` says, and the one that would take back what has arrived as `undo` says.
    func append(_ batch: [Said], writes: [MemoryDisk.Fault] = [], undo: MemoryDisk.Fault? = nil) throws(JournalRefusal) {
        for fault in writes { disk.fail(next: .write, fault) }
        if let undo { disk.fail(next: .truncate, undo) }
        var parts = try JournalPart.parts(of: batch)
        try journals.append(&parts, ledgers: [:])
    }

    func sync() throws { try journals.sync(module) }

    /// It is handed over.
    func seal() { journals.close(module) }

    /// Behind the last batch that is whole.
    func end() throws -> JournalPlace {
        let reader = try reader()
        try reader.seekToEnd()
        return reader.place
    }

    /// All batches that hold records.
    func batches() throws -> [[Said]] {
        let reader = try reader()
        var found: [JournalBatch] = []
        while case let next = try reader.next(), !next.isEmpty { found += next }
        return try found.filter { !$0.runs.isEmpty }.map { batch in
            try batch.runs.flatMap { run in
                try WireRecord.decodeAll(run.records).map { Said(module: module, topic: run.topic, record: $0) }
            }
        }
    }

    private func reader() throws -> JournalReader {
        try JournalReader(directory: Self.directory, module: module, environment: Self.environment(disk, salt))
    }

    private static func environment(_ disk: MemoryDisk, _ salt: UInt64, boot: UInt8 = 1) -> JournalEnvironment {
        let bootID = BootID(bytes: [UInt8](repeating: boot, count: 16))!
        return JournalEnvironment(files: disk, bootID: bootID, processID: 1, wallMilliseconds: { 0 }, random: { salt })
    }

    // MARK: Cuts

    /// The power goes, and the bytes end between the two places. What lies behind was not synced either: sectors and segments of it may be there. What a
    /// life has begun with is.
    func cut(between start: JournalPlace, and stop: JournalPlace, _ random: inout SeededRandom) {
        guard let written = disk.bytes(Self.file(start.segment)) else { return }
        var end = start.offset + random.below(stop.offset - start.offset + 1)
        // A header lies within one sector, which is there as a whole or not at all.
        if end < JournalFormat.headerByteCount { end = 0 }
        var bytes = Array(written[..<end]) + [UInt8](repeating: 0, count: written.count - end)
        if random.chance(of: 50) {
            for sector in stride(from: (end + 511) / 512 * 512, to: written.count, by: 512) where random.chance(of: 50) {
                let range = sector..<min(sector + 512, written.count)
                bytes.replaceSubrange(range, with: written[range])
            }
        }
        // A segment that has just begun may be there by name, or not even so.
        disk.set(Self.file(start.segment), end > 0 || random.chance(of: 50) ? bytes : nil)
        var next = start.segment + 1
        while let written = disk.bytes(Self.file(next)) {
            let durable = disk.durableBytes(Self.file(next))
            switch random.below(3) {
            case 0: disk.set(Self.file(next), durable)
            case 1: disk.set(Self.file(next), durable ?? [UInt8](repeating: 0, count: written.count))
            default: break
            }
            next += 1
        }
    }

    private static func file(_ segment: UInt64) -> String { "\(directory)/\(JournalFormat.segmentName(segment))" }

    // MARK: Sabotage

    /// The records behind a place that have arrived, whether their batch is whole or not.
    func torn(at place: JournalPlace) -> [Said] {
        guard let bytes = disk.bytes(Self.file(place.segment)), let last = bytes.lastIndex(where: { $0 != 0 }), last >= place.offset
        else { return [] }
        var reader = ByteReader(bytes[place.offset...last].dropFirst(JournalFormat.batchHeaderByteCount))
        var found: [Said] = []
        while let (topic, bytes) = try? Self.run(&reader) {
            // A part of the last one.
            let records = (0...bytes.count).lazy.compactMap { try? WireRecord.decodeAll(bytes.dropLast($0)) }.first ?? []
            found += records.map { Said(module: module, topic: topic, record: $0) }
        }
        return found
    }

    /// As much of a run as there is.
    private static func run(_ reader: inout ByteReader) throws -> (Topic, ArraySlice<UInt8>) {
        let topic = try Topic(reader.text())
        _ = (try reader.varint(), try reader.range(), try reader.range())
        let count = try reader.varint()
        return (topic, try reader.slice(min(count, UInt64(reader.remaining))))
    }
}
