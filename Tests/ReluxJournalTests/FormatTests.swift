import Foundation
@testable import ReluxJournal
import ReluxWire
import Testing

/// The examples of the format's article are what the code writes and reads.
@Suite struct FormatTests {
    private static let salt: UInt64 = 0x1122_3344_5566_7788

    private static let header = SegmentHeader(
        number: 1, incarnation: 0x0123_4567_89ab_cdef, epoch: Epoch(3), bootID: BootID(bytes: 1...16)!, salt: salt, lastBatch: 0,
        previousLength: 0, previousSynced: 0, chain: 0, capacity: 262_144, wallMilliseconds: 1_790_000_000_000, module: "Notes")

    private static let checkpoint = JournalNote.checkpoint(
        CheckpointRecord(
            incarnation: 0x0123_4567_89ab_cdef, epoch: Epoch(3), bootID: BootID(bytes: 1...16)!, floor: 0, position: 0, heads: [:], base: 0,
            state: []))

    @Test func `the worked example is what the code writes`() throws {
        let blocks = try Self.blocks()
        #expect(blocks["Journal/header"] == Self.header.encoded())
        let first = BatchCoding.encode(notes: [Self.checkpoint], runs: [], number: 1, previous: 0, synced: 0, salt: Self.salt, offset: 256)
        #expect(blocks["Journal/checkpoint"] == first.bytes)
        var builder = JournalRunBuilder(topic: "~settled.Auth")
        for (sequence, position, duration) in [(1, 7, 90), (2, 8, 1500)] as [(UInt64, UInt64, UInt64)] {
            let record = WireRecord.settled(
                SettledRecord(
                    sequence: sequence, topic: Sample.effects, effects: EffectRuns(position: position, sequence: position - 2),
                    durationMicroseconds: duration))
            _ = try builder.append(record, sequence: sequence)
        }
        let finished = builder.finish()
        let run = try #require(finished)
        let second = BatchCoding.encode(
            runs: [run], number: 2, previous: first.chain, synced: 0, salt: Self.salt, offset: 256 + first.bytes.count)
        #expect(blocks["Journal/batch"] == second.bytes)
    }

    @Test func `the worked example is read as a journal`() throws {
        let blocks = try Self.blocks()
        let bytes = (blocks["Journal/header"] ?? []) + (blocks["Journal/checkpoint"] ?? []) + (blocks["Journal/batch"] ?? [])
        var batches: [JournalBatch] = []
        let scan = SegmentScan(bytes, try SegmentHeader(decoding: bytes[...])) { batches.append($0.batch) }
        #expect(scan.end == bytes.count && scan.fault == nil)
        #expect(batches.map(\.number) == [1, 2])
        #expect(batches[0].notes == [Self.checkpoint])
        #expect(batches[1].runs[0].sequences == 1...2)
        #expect(scan.numbers.head(of: "~settled.Auth") == 2)
    }

    @Test func `the journal's own records come back as they were, and extensions behind them are skipped`() throws {
        let notes: [JournalNote] = [
            .checkpoint(
                CheckpointRecord(
                    incarnation: .max, epoch: Epoch(.max), bootID: BootID(bytes: 1...16)!, floor: 1 << 32, position: 1 << 62,
                    heads: ["A": 1, "~settled.B": 1 << 62], base: 7, state: [1, 2, 3])),
            .hole(
                HoleRecord(
                    reason: .damage, jumps: true, lostPositions: 5...9,
                    lost: [.init(topic: "A", sequences: 1...1), .init(topic: "A", sequences: 3...(1 << 62))], byteCount: 99,
                    resume: .init(length: 4096, chain: 0xdead_beef))),
            .hole(HoleRecord(reason: .power, jumps: false, lostPositions: nil, lost: [], byteCount: 0, resume: nil)),
            .seal(SealRecord(epoch: Epoch(3), lastBatch: 12)),
        ]
        for note in notes {
            let bytes = note.encoded()
            var reader = ByteReader(bytes[...])
            #expect(try JournalNote.read(from: &reader) == note)
            #expect(reader.remaining == 0)
            // An extension, and a record of a later kind.
            let longer = [bytes[0] + 3] + bytes.dropFirst() + [9, 1, 0]
            reader = ByteReader(longer[...])
            #expect(try JournalNote.read(from: &reader) == note)
        }
        var reader = ByteReader([2, 99, 1])
        #expect(try JournalNote.read(from: &reader) == nil)
    }

    @Test func `no bytes make a decoder trap`() async throws {
        let random = SplitMix(seed: 3)
        let context = BatchContext(Self.header)
        let blocks = try Self.blocks()
        let batch = try #require(blocks["Journal/checkpoint"])
        for round in 0..<3000 {
            if round % 64 == 0 { await Task.yield() }
            var bytes = batch
            for _ in 0...(random.next() % 6) { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
            bytes.removeLast(Int(random.next() % 40))
            if case .batch(let stored) = BatchCoding.decode(bytes[...], offset: 256, context) { #expect(bytes == batch, "\(stored)") }
            // Behind a checksum that matches: what a later or a broken writer might leave.
            var body = ByteReader(bytes.dropFirst(Int(random.next() % 50)))
            while let note = try? JournalNote.read(from: &body) { _ = note.encoded() }
            _ = try? SegmentHeader(decoding: bytes[...])
            _ = SegmentScan(Self.header.encoded() + bytes, Self.header)
        }
    }

    @Test func `a run that is full is closed before it grows over the target`() throws {
        let record = WireRecord.gone(GoneRecord(topic: "A", range: 1...2))
        let byteCount = try record.encoded().count
        var builder = JournalRunBuilder(topic: "A", byteTarget: 2 * byteCount)
        let large = WireRecord.snapshot(SnapshotRecord(version: 1, payload: [UInt8](repeating: 7, count: byteCount)[...]))
        var early = try builder.append(large, sequence: 1, position: 4)
        #expect(early == nil)
        let full = try builder.append(record, sequence: 2, position: 9)
        #expect(full?.sequences == 1...1 && full?.positions == 4...4 && full?.recordCount == 1)
        early = try builder.append(record, sequence: 3)
        #expect(early == nil)
        let last = builder.finish()
        #expect(last?.sequences == 2...3 && last?.positions == 9...9 && last?.recordCount == 2 && last?.records.count == 2 * byteCount)
        #expect(builder.isEmpty)
    }

    /// The hex blocks of the article by name, without comments.
    private static func blocks(file: String = #filePath) throws -> [String: [UInt8]] {
        let article = URL(fileURLWithPath: file).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/ReluxJournal/ReluxJournal.docc/FileFormat.md").standardizedFileURL
        var blocks: [String: [UInt8]] = [:]
        var name: String?
        for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```hex ") {
                name = String(line.dropFirst(7))
            } else if line == "```" {
                name = nil
            } else if let name {
                let hex = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
                blocks[name, default: []] += hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
            }
        }
        return blocks
    }
}
