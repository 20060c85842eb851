import Glibc
package import Relux
import ReluxSystem

/// The bytes of a table of open handlers: pure. Native byte order, for one machine between two starts of it.
///
///     header, 64 bytes: "RLXOPEN1" | epoch u64 | boot id 16 bytes | unnoted u64 | pid u64 | mark u64 | zero
///     slot, 96 bytes:   run u64, 0 when free | position u64 | module: count u8, UTF-8 in 64 bytes | trial u8 | zero
///
/// `unnoted` counts the handlers that run and found no free slot; `pid` is the writer's; `trial` is 1 of a suspect that runs again alone, and 2 of
/// one that has been alone for long enough; `mark` is 1 from when a later life begins to write what the table says into the journal, unless that
/// fails; 2 when the process has ended for a reason that no handler has.
package enum OpenTableFormat {
    static let magic: [UInt8] = Array("RLXOPEN1".utf8)
    static let headerByteCount = 64
    static let epochOffset = 8
    static let bootOffset = 16
    static let bootByteCount = 16
    static let unnotedOffset = 32
    static let pidOffset = 40
    static let markOffset = 48
    static let journaled: UInt64 = 1
    static let innocent: UInt64 = 2
    static let charged: UInt8 = 1
    static let released: UInt8 = 2
    static let slotByteCount = 96
    static let slotCount = 1024
    /// Whole pages.
    static let byteCount = (headerByteCount + slotCount * slotByteCount + 4095) / 4096 * 4096

    static let positionOffset = 8
    static let nameCountOffset = 16
    static let nameOffset = 17
    static let trialOffset = nameOffset + ModuleID.byteLimit

    static func offset(ofSlot slot: Int) -> Int { headerByteCount + slot * slotByteCount }

    /// The contents of a table after a death.
    package struct Contents: Sendable, Hashable {
        package var epoch: Epoch
        /// The boot id, sixteen bytes; a table with another boot id than the machine's tells nothing.
        package var boot: [UInt8]
        /// Effects whose handlers ran, in the order in which they were started.
        package var open: [EffectID]
        /// The number of running handlers that found no room.
        package var unnoted: UInt64
        /// The id of the process that wrote the table.
        package var pid: Int32
        /// Effects of `open` that were run again alone: a death in that state is charged to them. None when no handler is to blame.
        package var charged: [EffectID]
        /// Effects of `open` that were alone for long enough and lived on.
        package var released: [EffectID] = []
        /// The deaths of these effects are in the journal already.
        package var isJournaled = false
        /// The process has ended for a reason that no handler has.
        package var isInnocent = false
    }

    static func header(epoch: Epoch, boot: [UInt8], pid: Int32) -> [UInt8] {
        var bytes = magic + raw(epoch.rawValue) + boot.prefix(bootByteCount) + raw(0) + raw(UInt64(clamping: pid))
        bytes += [UInt8](repeating: 0, count: headerByteCount - bytes.count)
        return bytes
    }

    /// The process that wrote the table with that header; nil when it is none.
    static func writer(inHeader bytes: [UInt8]) -> Int32? {
        bytes.count >= headerByteCount && bytes.starts(with: magic) ? Int32(clamping: number(bytes, pidOffset)) : nil
    }

    /// Everything of a slot but the run, which is written last.
    static func body(of effect: EffectID, isCharged: Bool) -> [UInt8] {
        let name = Array(effect.module.rawValue.utf8.prefix(ModuleID.byteLimit))
        let rest = [UInt8](repeating: 0, count: ModuleID.byteLimit - name.count)
        return raw(effect.position) + [UInt8(name.count)] + name + rest + [isCharged ? charged : 0]
    }

    /// - Throws: with what is wrong at which byte; the bytes are then of no table, or damaged.
    package static func decode(_ bytes: [UInt8]) throws(OpenTableError) -> Contents {
        guard bytes.count == byteCount else {
            throw .damaged("it has \(bytes.count) bytes instead of \(byteCount)")
        }
        guard bytes.starts(with: magic) else { throw .damaged("it does not begin with RLXOPEN1") }
        var found: [(run: UInt64, effect: EffectID, trial: UInt8)] = []
        for slot in 0..<slotCount {
            let start = offset(ofSlot: slot)
            let run = number(bytes, start)
            guard run != 0 else { continue }
            let count = Int(bytes[start + nameCountOffset])
            guard count <= ModuleID.byteLimit,
                let module = ModuleID(
                    rawValue: String(decoding: bytes[(start + nameOffset)..<(start + nameOffset + count)], as: UTF8.self))
            else { throw .damaged("slot \(slot) at byte \(start) names no module") }
            let effect = EffectID(module: module, position: number(bytes, start + positionOffset))
            found.append((run, effect, bytes[start + trialOffset]))
        }
        found.sort { $0.run < $1.run }
        let mark = number(bytes, markOffset)
        return Contents(
            epoch: Epoch(number(bytes, epochOffset)), boot: Array(bytes[bootOffset..<(bootOffset + bootByteCount)]),
            open: found.map(\.effect), unnoted: number(bytes, unnotedOffset),
            pid: Int32(clamping: number(bytes, pidOffset)), charged: found.filter { $0.trial == charged && mark != innocent }.map(\.effect),
            released: found.filter { $0.trial == released }.map(\.effect), isJournaled: mark == journaled, isInnocent: mark == innocent)
    }

    private static func raw(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    }
}

/// Why a table of open handlers cannot be made or read.
package struct OpenTableError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable { case damaged, system }
    package var code: Code
    package var description: String
    /// The disk may take it later; see `DiskRefusal`.
    package var mayPass = false

    static func damaged(_ why: String) -> Self { Self(code: .damaged, description: why) }

    func naming(_ path: String) -> Self {
        Self(
            code: code,
            description: "the table of open handlers \(path) is damaged: \(description); delete it, then no effect counts as a suspect")
    }

    static func system(_ what: String, _ path: String, _ code: Int32) -> Self {
        Self(
            code: .system,
            description:
                "\(what) of the table of open handlers \(path) failed with errno \(code); it needs \(OpenTableFormat.byteCount) bytes in a directory that this user may write",
            mayPass: DiskRefusal.mayPass(code))
    }
}
