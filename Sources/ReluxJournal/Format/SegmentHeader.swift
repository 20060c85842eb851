import ReluxWire

/// The first 256 bytes of a segment; written once, before the segment gets its name.
///
///       0  magic "RELUXJ\r\n"      8 | version        2 | header length  2 | reserved  4
///      16  segment number          8 | incarnation    8
///      32  epoch                   8 | boot id       16 | salt           8
///      64  last batch before       8 | length of the segment before      8 | of it on disk     8
///      88  chain: crc of the last batch before   4 | capacity reserved   4 | wall time, ms     8
///     104  module id: length 1, then up to 64 bytes, zeros up to 252
///     252  crc32c of all before    4
struct SegmentHeader: Sendable, Hashable {
    var number: UInt64
    var incarnation: UInt64
    var epoch: Epoch
    var bootID: BootID
    /// Random; the checksums of this segment's batches start with it.
    var salt: UInt64
    /// The number of the last batch of the segment before.
    var lastBatch: UInt64
    /// Where the segment before ends; 0 when there is none.
    var previousLength: UInt64
    /// The bytes of the segment before that were on the disk, with all segments before that one, when this one was made.
    var previousSynced: UInt64
    /// The checksum that the first batch names as that of the batch before.
    var chain: UInt32
    var capacity: UInt32
    /// For people and for retention.
    var wallMilliseconds: UInt64
    var module: ModuleID

    /// Whether all segments before this one were on the disk when it was made.
    var isPreviousOnDisk: Bool { previousSynced == previousLength }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes.reserveCapacity(JournalFormat.headerByteCount)
        writer.bytes += JournalFormat.segmentMagic
        writer.fixed(JournalFormat.version)
        writer.fixed(UInt16(JournalFormat.headerByteCount))
        writer.fixed(UInt32(0))
        writer.fixed(number)
        writer.fixed(incarnation)
        writer.fixed(epoch.rawValue)
        writer.bytes += bootID.bytes
        writer.fixed(salt)
        writer.fixed(lastBatch)
        writer.fixed(previousLength)
        writer.fixed(previousSynced)
        writer.fixed(chain)
        writer.fixed(capacity)
        writer.fixed(wallMilliseconds)
        writer.byte(UInt8(module.rawValue.utf8.count))
        writer.bytes += Array(module.rawValue.utf8)
        writer.padding(to: JournalFormat.headerByteCount - 4)
        writer.fixed(CRC32C.checksum(writer.bytes[...]))
        return writer.bytes
    }

    /// Why bytes are no header.
    enum Fault: Error, Hashable {
        /// No byte of it is there, as after a loss of power.
        case empty
        /// Another version of the format.
        case version(UInt16)
        case damaged(String)
    }

    init(decoding bytes: ArraySlice<UInt8>) throws(Fault) {
        guard bytes.contains(where: { $0 != 0 }) else { throw .empty }
        let size = JournalFormat.headerByteCount
        guard bytes.count >= size else { throw .damaged("the header is cut off after \(bytes.count) of \(size) bytes") }
        let bytes = bytes.prefix(size)
        guard bytes.starts(with: JournalFormat.segmentMagic) else { throw .damaged("it does not begin as a segment does") }
        do {
            var reader = ByteReader(bytes.dropFirst(8))
            let version: UInt16 = try reader.fixed()
            var end = ByteReader(bytes.suffix(4))
            let checksum: UInt32 = try end.fixed()
            let isWhole = checksum == CRC32C.checksum(bytes.dropLast(4))
            guard version <= JournalFormat.version else { throw Fault.version(version) }
            guard isWhole else { throw Fault.damaged("the checksum of the header does not match") }
            guard version > 0 else { throw Fault.damaged("there is no version 0") }
            guard version == JournalFormat.version else { throw Fault.version(version) }
            _ = try reader.slice(6)
            (number, incarnation, epoch) = (try reader.fixed(), try reader.fixed(), Epoch(try reader.fixed()))
            guard let bootID = BootID(bytes: try reader.slice(16)) else { throw Fault.damaged("it has no boot id") }
            self.bootID = bootID
            (salt, lastBatch) = (try reader.fixed(), try reader.fixed())
            (previousLength, previousSynced) = (try reader.fixed(), try reader.fixed())
            (chain, capacity, wallMilliseconds) = (try reader.fixed(), try reader.fixed(), try reader.fixed())
            let name = String(decoding: try reader.slice(UInt64(try reader.byte())), as: UTF8.self)
            guard let module = ModuleID(rawValue: name) else { throw Fault.damaged("it names no module") }
            self.module = module
            guard max(number, lastBatch, previousLength) <= JournalFormat.numberLimit else { throw Fault.damaged("a number is over the limit") }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw .damaged("\(error)")
        }
    }

    init(
        number: UInt64, incarnation: UInt64, epoch: Epoch, bootID: BootID, salt: UInt64, lastBatch: UInt64,
        previousLength: UInt64, previousSynced: UInt64, chain: UInt32, capacity: UInt32, wallMilliseconds: UInt64,
        module: ModuleID
    ) {
        self.number = number
        self.incarnation = incarnation
        self.epoch = epoch
        self.bootID = bootID
        self.salt = salt
        self.lastBatch = lastBatch
        self.previousLength = previousLength
        self.previousSynced = previousSynced
        self.chain = chain
        self.capacity = capacity
        self.wallMilliseconds = wallMilliseconds
        self.module = module
    }
}
