import Glibc
import ReluxWire

/// A whole segment's bytes, read to the first that is not in order. Pure.
struct SegmentScan {
    let header: SegmentHeader
    /// Behind the last batch that is in order.
    private(set) var end = JournalFormat.headerByteCount
    /// The checksum that the next batch would have to name.
    private(set) var chain: UInt32
    private(set) var numbers = JournalNumbers()
    private(set) var batchCount = 0
    private(set) var checkpoint: CheckpointRecord?
    private(set) var seal: SealRecord?
    private(set) var resume: HoleRecord.Resume?
    /// Why the bytes at ``end`` are no batch; nil when nothing was ever written there.
    private(set) var fault: String?
    /// Whether a write that ended well ends behind ``end``: the bytes there were accepted once.
    private(set) var hasTrailer = false
    /// Whether the bytes behind ``end`` are what a write leaves that has come so far and no further.
    private(set) var isCut = false
    /// Bytes behind ``end`` up to the last that is not zero.
    private(set) var restByteCount = 0
    /// Whole batches behind ``end``.
    private(set) var survivors: [StoredBatch] = []
    /// The bytes that the file has.
    let byteCount: Int
    /// The most that a batch says to have been on the disk.
    private(set) var maximumSynced: UInt64 = 0

    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - visit: each batch in order.
    init(_ bytes: [UInt8], _ header: SegmentHeader, visit: (StoredBatch) -> Void = { _ in }) {
        self.header = header
        byteCount = bytes.count
        chain = header.chain
        let context = BatchContext(header)
        var number = header.lastBatch
        scan: while true {
            switch BatchCoding.decode(bytes[min(end, bytes.count)...], offset: end, context) {
            case .nothing: break scan
            case .short(let needed):
                fault = "a batch of \(needed) bytes is cut off by the end of the file"
                break scan
            case .bad(let reason):
                fault = reason
                break scan
            case .batch(let stored):
                if let broken = Self.fault(stored, after: chain, number, isFirst: batchCount == 0) {
                    fault = broken
                    break scan
                }
                number = stored.batch.number
                take(stored)
                visit(stored)
            }
        }
        look(behind: bytes, context)
    }

    private static func fault(_ stored: StoredBatch, after chain: UInt32, _ number: UInt64, isFirst: Bool) -> String? {
        if stored.previous != chain { return "the batch does not follow the one before it" }
        if stored.batch.number <= number { return "batch \(stored.batch.number) follows batch \(number)" }
        if isFirst {
            guard case .checkpoint? = stored.batch.notes.first else { return "the segment does not begin with a CHECKPOINT" }
        }
        return nil
    }

    private mutating func take(_ stored: StoredBatch) {
        end = stored.end
        chain = stored.chain
        maximumSynced = max(maximumSynced, stored.synced)
        batchCount += 1
        seal = nil
        numbers.take(stored.batch)
        for note in stored.batch.notes {
            switch note {
            case .checkpoint(let record): checkpoint = record
            case .hole(let record): resume = record.resume ?? resume
            case .seal(let record): seal = record
            }
        }
    }

    /// Looks at the bytes behind the end: the rest of a torn write, or batches that were whole once.
    private mutating func look(behind bytes: [UInt8], _ context: BatchContext) {
        guard end < bytes.count, let last = Self.lastNonZero(bytes, from: end) else { return }
        restByteCount = last + 1 - end
        fault = fault ?? "bytes that are not zero lie behind the last batch"
        var offset = end + JournalFormat.alignment
        while offset + JournalFormat.batchHeaderByteCount <= last + JournalFormat.alignment, offset < bytes.count {
            if bytes[offset] == JournalFormat.batchMagic[0], case .batch(let stored) = BatchCoding.decode(bytes[offset...], offset: offset, context) {
                survivors.append(stored)
                maximumSynced = max(maximumSynced, stored.synced)
                offset = stored.end
            } else {
                offset += JournalFormat.alignment
            }
        }
        hasTrailer = Self.hasTrailer(bytes, from: end, last: last, context)
        isCut = isCut(bytes, last: last, context)
    }

    /// Reserved room is mostly zeros: compared block by block.
    private static func lastNonZero(_ bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            zeros.withUnsafeBytes { zeros in
                var end = bytes.count
                while end > start {
                    let count = min(zeros.count, end - start)
                    guard memcmp(bytes.baseAddress! + end - count, zeros.baseAddress!, count) != 0 else {
                        end -= count
                        continue
                    }
                    return bytes[(end - count)..<end].lastIndex { $0 != 0 }
                }
                return nil
            }
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 4096)

    /// Whether `end...last` may be the beginning of the batch that would have come next: all of it that is known beforehand, or follows from what is there.
    ///
    /// A place that was destroyed later mostly is no such beginning. What no reader can know: zeros at the end of it may have been others.
    private func isCut(_ bytes: [UInt8], last: Int, _ context: BatchContext) -> Bool {
        let there = bytes[end...last]
        let number = (batchCount == 0 ? header.lastBatch : numbers.batch) + 1
        var begins = there.prefix(4).elementsEqual(JournalFormat.batchMagic.prefix(there.count))
        begins = begins && Self.arrived(there.dropFirst(8), of: chain) && Self.arrived(there.dropFirst(16), of: number)
        guard begins else { return false }
        // The length field is whole when anything behind it is there.
        guard there.count > 8 else { return true }
        var reader = ByteReader(there.dropFirst(4))
        guard let length = try? Int(reader.fixed(UInt32.self)), BatchCoding.isLength(length), there.count <= length else { return false }
        let trailer = end + length - JournalFormat.trailerByteCount
        guard last >= trailer else { return !hasTrailer }
        let actual = CRC32C.checksum(bytes[end..<trailer], continuing: JournalFormat.seed(salt: context.salt, offset: end))
        return Self.arrived(bytes[trailer...last], of: UInt64(actual) << 32 | UInt64(~actual))
    }

    /// Whether the bytes are as much of the number, and of what may follow, as there is.
    private static func arrived<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>, of number: Number) -> Bool {
        withUnsafeBytes(of: number.bigEndian) { whole in zip(bytes, whole).allSatisfy { $0 == $1 } }
    }

    /// Whether the last bytes that are not zero are the end of a whole batch: the checksum and its complement, or, where one of the two is
    /// damaged, the other one and the bytes that it covers. A trailer that was cut off in its middle is none.
    private static func hasTrailer(_ bytes: [UInt8], from start: Int, last: Int, _ context: BatchContext) -> Bool {
        let end = (last + JournalFormat.alignment) / JournalFormat.alignment * JournalFormat.alignment
        guard end <= bytes.count, end - start >= JournalFormat.batchHeaderByteCount + JournalFormat.trailerByteCount else { return false }
        let trailer = bytes[(end - JournalFormat.trailerByteCount)..<end]
        var reader = ByteReader(trailer)
        guard let chain = try? reader.fixed(UInt32.self), let complement = try? reader.fixed(UInt32.self) else { return false }
        let covered = bytes[start..<(end - JournalFormat.trailerByteCount)]
        if chain == ~complement { return isTrailer(chain, of: covered, at: start, context) }
        let actual = CRC32C.checksum(covered, continuing: JournalFormat.seed(salt: context.salt, offset: start))
        var whole = ByteWriter()
        whole.fixed(actual)
        whole.fixed(~actual)
        let written = trailer.dropLast(end - 1 - last)
        if whole.bytes.starts(with: written) { return false }
        return actual == chain || actual == ~complement
    }

    /// Eight bytes in the midst of a write that never ended may look like its last ones, such as four of 0xFF before what is still zero. Then the write
    /// itself says that it ends behind them, and the checksum does not say that this is what was damaged.
    private static func isTrailer(_ chain: UInt32, of covered: ArraySlice<UInt8>, at start: Int, _ context: BatchContext) -> Bool {
        let length = UInt32(covered.count + JournalFormat.trailerByteCount)
        var head = ByteReader(covered.dropFirst(4))
        guard covered.starts(with: JournalFormat.batchMagic), let said = try? head.fixed(UInt32.self), said > length,
            said % UInt32(JournalFormat.alignment) == 0
        else { return true }
        var mended = Array(covered)
        withUnsafeBytes(of: length.bigEndian) { mended.replaceSubrange(4..<8, with: $0) }
        return CRC32C.checksum(mended[...], continuing: JournalFormat.seed(salt: context.salt, offset: start)) == chain
    }

    /// Whether the segment `next` was made behind exactly what is here, or a HOLE has mended the difference.
    func leads(to next: SegmentHeader) -> Bool {
        guard next.number == header.number + 1, batchCount > 0 else { return false }
        return UInt64(end) == next.previousLength && chain == next.chain
            || resume.map { $0.length == next.previousLength && $0.chain == next.chain } ?? false
    }

    /// How the segment ends.
    enum Tail: Hashable {
        /// Nothing lies behind the last batch.
        case clean
        /// A write that never ended: to be cut.
        case torn
        /// Accepted bytes are not what was written.
        case damaged(String)
    }

    /// - Parameters:
    ///   - sameBoot: the machine has run since: the system's memory has kept every write whole or as a prefix, and every file its length.
    ///   - isHeld: no writer is at work, so that the length counts too.
    func tail(sameBoot: Bool, isHeld: Bool = true) -> Tail {
        if batchCount == 0 { return .damaged(fault ?? "the segment's CHECKPOINT is not there") }
        let reason = fault ?? "nothing is there"
        if UInt64(end) < maximumSynced { return .damaged("\(reason); \(maximumSynced) bytes had been accepted for good") }
        if sameBoot {
            if let survivor = survivors.first {
                return .damaged("\(reason), and the batch at byte \(survivor.batch.place.offset) behind it is whole")
            }
            // A reader beside a writer may see the end of a write before its beginning.
            if isHeld ? restByteCount > 0 && !isCut : hasTrailer {
                return .damaged("\(reason), " + (hasTrailer ? "although its write had ended well" : "and is not what a cut write leaves"))
            }
            // Its room was reserved before it got its name, and is only given back by who begins the next, or seals.
            if isHeld, byteCount < Int(header.capacity), seal == nil || restByteCount > 0 {
                return .damaged("the file has \(byteCount) of \(header.capacity) bytes: it was cut, with what was accepted behind here")
            }
        }
        return restByteCount > 0 ? .torn : .clean
    }
}
