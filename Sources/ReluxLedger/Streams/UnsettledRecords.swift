package import Relux

/// The records of one stream that somebody has not settled, without their bytes. Pure.
///
/// Design notes. Slots are in order of their sequences, which may jump. A settled slot stays as an empty one until the front or half of all is empty, so
/// every step costs O(log n) at most, amortized. A million of them may wait: a slot takes 32 bytes, and what neighbours have in common is an audience.
package struct UnsettledRecords: Sendable {
    /// A record that waits for settlements.
    package struct Entry: Sendable {
        package let sequence: UInt64
        /// The effect's; 0 for a settlement, and where it is not known.
        package let position: UInt64
        /// The membership that fixed an effect's recipients.
        package let memberVersion: UInt64
        private(set) var waiting: Relux.Outstanding
        /// The record's payload or result, and a fixed part for all else.
        package let byteCount: Int
        /// It has to survive the loss of power.
        let isMachine: Bool

        init(sequence: UInt64, position: UInt64 = 0, memberVersion: UInt64 = 0, byteCount: Int = 0, isMachine: Bool = false, outstanding: Recipients) {
            (self.sequence, self.position, self.memberVersion) = (sequence, position, memberVersion)
            (waiting, self.byteCount, self.isMachine) = (Relux.Outstanding(outstanding), byteCount, isMachine)
        }

        fileprivate init(_ slot: Slot, _ memberVersion: UInt64, _ waiting: Relux.Outstanding) {
            (sequence, position, self.memberVersion) = (slot.sequence, slot.position, memberVersion)
            (self.waiting, byteCount, isMachine) = (waiting, slot.byteCount, slot.isMachine)
        }

        init(_ effect: EffectRecord, outstanding: Recipients) {
            self.init(
                sequence: effect.sequence, position: effect.position, memberVersion: effect.memberVersion,
                byteCount: effect.payload.count + Ledger.recordOverhead, isMachine: effect.flags.contains(.machine), outstanding: outstanding)
        }

        init(_ settled: SettledRecord, outstanding: Recipients) {
            self.init(
                sequence: settled.sequence, byteCount: settled.result.count + Ledger.recordOverhead, isMachine: settled.isMachine,
                outstanding: outstanding)
        }

        /// nil of records that nobody settles.
        init?(_ record: WireRecord) {
            switch record {
            case .effect(let effect): self.init(effect, outstanding: [])
            case .settled(let settled): self.init(settled, outstanding: [])
            default: return nil
            }
        }

        func waiting(for recipients: Recipients) -> Self {
            var entry = self
            entry.waiting = Relux.Outstanding(recipients)
            return entry
        }

        /// The recipients that have not settled it.
        package var outstanding: [ModuleID] { waiting.modules }
    }

    /// An entry as it is kept.
    struct Slot: Sendable {
        let sequence: UInt64
        let position: UInt64
        /// The bits of the recipients that have not settled it; of more than 64 one bit for all of them, see ``crowds``.
        fileprivate var open: UInt64
        /// The number of its audience, counted from the first that the stream has ever had.
        fileprivate var audience: UInt32
        private let weightAndMachine: UInt32

        fileprivate init(_ entry: borrowing Entry, _ audience: UInt32) {
            (sequence, position, self.audience) = (entry.sequence, entry.position, audience)
            open = entry.waiting.isSmall ? entry.waiting.open : 1
            weightAndMachine = UInt32(clamping: min(entry.byteCount, Int(UInt32.max >> 1))) << 1 | (entry.isMachine ? 1 : 0)
        }

        var byteCount: Int { Int(weightAndMachine >> 1) }
        fileprivate var isMachine: Bool { weightAndMachine & 1 != 0 }
        fileprivate var isOpen: Bool { open != 0 }
    }

    /// Those for whom neighbours were said.
    private struct Audience: Sendable {
        let recipients: Recipients
        let memberVersion: UInt64
    }

    private var slots: [Slot] = []
    /// Index of the first slot that is not settled, or the end.
    private var first = 0
    /// Those of the slots, in their order.
    private var audiences: [Audience] = []
    /// The number of the first of them.
    private var firstAudience: UInt32 = 0
    /// By sequence, who has not settled what more than 64 recipients have to.
    private var crowds: [UInt64: Relux.Outstanding] = [:]
    private(set) var count = 0

    // MARK: All of them

    private var open: some Sequence<Slot> { slots[first...].lazy.filter(\.isOpen) }
    var low: UInt64? { count == 0 ? nil : slots[first].sequence }
    /// The last that waits, or waited while others before it did.
    var high: UInt64? { count == 0 ? nil : slots.last?.sequence }
    var sequences: [UInt64] { open.map(\.sequence) }
    /// In order.
    var entries: some Sequence<Entry> { slots[first...].lazy.filter(\.isOpen).map { entry($0) } }
    var holdsMachine: Bool { open.contains(where: \.isMachine) }

    func isOpen(_ sequence: UInt64) -> Bool {
        let place = place(notBelow: sequence)
        return place < slots.count && slots[place].sequence == sequence && slots[place].isOpen
    }

    /// How many wait with these sequences, which are the last ones or nearly.
    func count(within sequences: ClosedRange<UInt64>) -> Int {
        slots[first...].reversed().lazy.drop { $0.sequence > sequences.upperBound }.prefix { $0.sequence >= sequences.lowerBound }.count(where: \.isOpen)
    }

    // MARK: Places

    /// Where the first one is that waits, or the end.
    var start: Int { first }

    /// The places of those from a sequence to another, settled ones among them; they hold until the next ``compact()``.
    func places(from low: UInt64 = 0, upTo high: UInt64 = .max) -> Range<Int> {
        let start = place(notBelow: low)
        return start..<max(start, high == .max ? slots.count : place(notBelow: high + 1))
    }

    func sequence(at place: Int) -> UInt64 { slots[place].sequence }
    func byteCount(at place: Int) -> Int { slots[place].byteCount }
    func entry(at place: Int) -> Entry { entry(slots[place]) }
    func waits(_ place: Int, for recipient: ModuleID) -> Bool { slots[place].isOpen && waiting(of: slots[place]).contains(recipient) }

    /// The effect's slot; `place` becomes where it is.
    ///
    /// - Parameter place: where it mostly is.
    func find(_ effect: EffectRuns.Element, from place: inout Int) -> Slot? {
        if place >= slots.count || slots[place].sequence != effect.sequence { place = self.place(notBelow: effect.sequence) }
        guard place < slots.count, slots[place].sequence == effect.sequence, slots[place].position == effect.position || slots[place].position == 0
        else { return nil }
        return slots[place]
    }

    private func place(notBelow sequence: UInt64) -> Int {
        // Most are settled in the order in which they were said.
        if first < slots.count, slots[first].sequence >= sequence { return first }
        var (low, high) = (first, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func audience(of slot: Slot) -> Audience { audiences[Int(slot.audience &- firstAudience)] }

    private func waiting(of slot: Slot) -> Relux.Outstanding {
        let recipients = audience(of: slot).recipients
        return recipients.count > 64 ? crowds[slot.sequence] ?? Relux.Outstanding() : Relux.Outstanding(recipients, open: slot.open)
    }

    private func entry(_ slot: Slot) -> Entry { Entry(slot, audience(of: slot).memberVersion, waiting(of: slot)) }

    // MARK: Changing

    /// One behind all others, for which somebody waits.
    mutating func append(_ entry: borrowing Entry) {
        let (recipients, version) = (entry.waiting.recipients, entry.memberVersion)
        if audiences.last.map({ $0.recipients == recipients && $0.memberVersion == version }) != true {
            audiences.append(Audience(recipients: recipients, memberVersion: version))
        }
        slots.append(Slot(entry, firstAudience &+ UInt32(audiences.count - 1)))
        if !entry.waiting.isSmall { crowds[entry.sequence] = entry.waiting }
        count += 1
    }

    /// The recipient has settled it; whether it was the last to do so, nil when it did not have to.
    mutating func release(_ place: Int, _ recipient: ModuleID) -> Bool? {
        let slot = slots[place]
        guard slot.isOpen else { return nil }
        var waiting = waiting(of: slot)
        guard waiting.remove(recipient) else { return nil }
        if waiting.isSmall {
            slots[place].open = waiting.open
        } else {
            crowds[slot.sequence] = waiting.isEmpty ? nil : waiting
            if waiting.isEmpty { slots[place].open = 0 }
        }
        if waiting.isEmpty { count -= 1 }
        return waiting.isEmpty
    }

    /// Lets go the slots that are settled, now or later; whether some of them lay between others.
    mutating func compact() -> Bool {
        while first < slots.count, !slots[first].isOpen { first += 1 }
        if first == slots.count {
            // The room that a burst has needed is given back.
            slots.removeAll(keepingCapacity: first <= 1024)
            first = 0
            dropAudiences(below: firstAudience &+ UInt32(audiences.count))
        } else if first >= 1024, first * 2 >= slots.count {
            slots.removeFirst(first)
            first = 0
            dropAudiences(below: slots[0].audience)
        } else if slots.count - first > 1024, count * 2 < slots.count - first {
            slots.removeAll { !$0.isOpen }
            first = 0
            renumberAudiences()
            return true
        }
        return false
    }

    /// Those that no slot has any more go.
    private mutating func renumberAudiences() {
        var kept: [Audience] = []
        var last: UInt32?
        for index in slots.indices {
            let number = slots[index].audience
            if number != last { kept.append(audience(of: slots[index])) }
            last = number
            slots[index].audience = UInt32(kept.count - 1)
        }
        (audiences, firstAudience) = (kept, 0)
    }

    private mutating func dropAudiences(below number: UInt32) {
        audiences.removeFirst(Int(number &- firstAudience))
        firstAudience = number
    }
}
