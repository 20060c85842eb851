import ReluxTestKit
import ReluxWire
import Testing

@Suite struct FrameTests {
    @Test func `a frame comes back as it was`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let frame = random.frame()
            #expect(try Frame(decoding: frame.encoded()) == frame)
        }
    }

    @Test func `a payload is a slice of the frame's own bytes`() throws {
        let frame = Frame(
            topic: "A.Effect", publisher: "A", epoch: Epoch(1),
            records: [.snapshot(SnapshotRecord(version: 1, payload: [1, 2, 3]))])
        let bytes = try frame.encoded()
        guard case .snapshot(let record) = try Frame(decoding: bytes).records.first else { return }
        #expect(record.payload.startIndex == bytes.count - 3)
        let shares = bytes.withUnsafeBufferPointer { whole in
            record.payload.withUnsafeBufferPointer { $0.baseAddress == whole.baseAddress.map { $0 + bytes.count - 3 } }
        }
        #expect(shares)
    }

    @Test func `texts that come again, and such as only resemble them, are read as they were written`() throws {
        let texts = ["", "short", "a text that is over sixteen bytes", "a text that is over sixteen bytez", "A text that is over sixteen bytes"]
        let others = (0..<6).map { "one of more texts than are kept \($0)" } + ["sechzehn Zeichen, und ein ä darunter", "sixteen bytes ok"]
        let all = texts + others
        let records = (0..<200).map { index in
            WireRecord.effect(
                EffectRecord(
                    position: UInt64(index), sequence: UInt64(index), caseName: all[index * 7 % all.count],
                    site: CallSite(file: all[index % all.count], line: 1, function: all[index * index % all.count]),
                    label: all[index * 3 % all.count], payload: [1]))
        }
        let frame = Frame(topic: "A.Effect", publisher: "A", epoch: Epoch(1), records: records)
        #expect(try Frame(decoding: frame.encoded()) == frame)
    }

    @Test func `a text that is no UTF-8 is refused behind one that is`() throws {
        let good = WireRecord.gone(GoneRecord(topic: "Some.Business.Effect", range: 1...2))
        var bad = try good.encoded()
        let place = try #require(bad.firstIndex(of: UInt8(ascii: "B")))
        bad[place] = 0xff
        let records = try good.encoded() + bad
        let bytes = Frame.bytes(topic: "A.Effect", publisher: "A", epoch: Epoch(1), recordCount: 2, records: records[...])
        #expect(throws: WireError.self) { try Frame(decoding: bytes) }
    }

    @Test func `unknown kinds are skipped and counted`() throws {
        let records = try [2, 99, 0] + WireRecord.gone(GoneRecord(topic: "A.Effect", range: 1...2)).encoded() + [1, 100]
        let frame = try Frame(decoding: Frame.bytes(topic: "A.Effect", publisher: "A", epoch: Epoch(1), recordCount: 3, records: records[...]))
        #expect(frame.records == [.gone(GoneRecord(topic: "A.Effect", range: 1...2))])
        #expect(frame.skippedRecordCount == 2)
    }

    @Test func `the encoder closes frames below their target and keeps the order`() throws {
        var random = SeededRandom(seed: 1)
        let records = (0..<500).map { _ in random.record(ofKind: EffectRecord.kind) }
        var encoder = FrameEncoder(topic: "A.Effect", publisher: "A", epoch: Epoch(3))
        var frames: [[UInt8]] = []
        for record in records { if let full = try encoder.append(record) { frames.append(full) } }
        if let last = encoder.finish() { frames.append(last) }
        let nothing = encoder.finish()
        #expect(nothing == nil)
        #expect(frames.count > 10)
        #expect(frames.allSatisfy { $0.count <= FrameEncoder.defaultByteTarget })
        #expect(frames.dropLast().allSatisfy { $0.count > FrameEncoder.defaultByteTarget / 2 })
        #expect(try frames.flatMap { try Frame(decoding: $0).records } == records)
    }

    @Test func `a large record gets a frame of its own`() throws {
        var encoder = FrameEncoder(topic: "A.Effect", publisher: "A", epoch: Epoch(3))
        let large = WireRecord.snapshot(SnapshotRecord(version: 1, payload: [UInt8](repeating: 7, count: 100_000)[...]))
        let small = WireRecord.gone(GoneRecord(topic: "A.Effect", range: 1...2))
        let nothing = try encoder.append(small)
        #expect(nothing == nil)
        let first = try encoder.append(large)
        let second = try encoder.append(small)
        #expect(try Frame(decoding: #require(first)).records == [small])
        #expect(try Frame(decoding: #require(second)).records == [large])
        let tooLarge = WireRecord.snapshot(SnapshotRecord(version: 1, payload: [UInt8](repeating: 0, count: 2_000_000)[...]))
        #expect(throws: WireError.self) { try encoder.append(tooLarge) }
        let last = encoder.finish()
        #expect(try Frame(decoding: #require(last)).records == [small])
    }

    @Test func `a damaged frame, another version and a foreign message are told apart`() throws {
        let frame = Frame(
            topic: "A.Effect", publisher: "A", epoch: Epoch(1), records: [.gone(GoneRecord(topic: "A.Effect", range: 1...2))])
        let bytes = try frame.encoded()
        func code(_ change: (inout [UInt8]) -> Void) -> WireError.Code? {
            var changed = bytes
            change(&changed)
            do {
                _ = try Frame(decoding: changed)
                return nil
            } catch { return error.code }
        }
        #expect(code { $0[$0.count - 1] ^= 1 } == .checksumMismatch)
        for version in [0, 1, 2, 4] as [UInt8] { #expect(code { $0[9] = version } == .unsupportedVersion) }
        #expect(code { $0[0] = 0x20 } == .invalidName)
        #expect(code { $0 = Array("hello".utf8) } == .malformed)
        #expect(code { $0 = [] } == .malformed)
        #expect(code { $0 = Array(repeating: 0x61, count: 3_000_000) } == .limitExceeded)
    }

    @Test func `a subscription ends the topic, so no longer topic matches it`() throws {
        let bytes = try Frame(topic: "A.Effects", publisher: "A", epoch: Epoch(1), records: []).encoded()
        #expect(!bytes.starts(with: Frame.subscription(to: "A.Effect")))
        #expect(bytes.starts(with: Frame.subscription(to: "A.Effects")))
    }
}
