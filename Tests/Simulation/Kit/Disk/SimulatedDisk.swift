import Relux
import ReluxTestKit
@testable import ReluxBus
@testable import ReluxJournal
@testable import ReluxLedger

/// Every module's journal: what survives the death of its process. A batch is there as a whole or not at all; which batches survive a loss of
/// power is open for all that were not synced. Where a write or the power is cut, production's recovery says what is there: see ``cut(_:by:_:)``.
struct SimulatedDisk {
    /// One reference: it is large, and looked at for each record.
    final class Journal {
        fileprivate(set) var batches: [[Said]] = []
        /// The ledger that follows from it, kept up to date.
        fileprivate(set) var ledger: Ledger
        /// Over the effects whose settlement is in it.
        fileprivate(set) var settledSum: UInt64 = 0
        /// Before which batches a HOLE stands.
        fileprivate(set) var holes: Set<Int> = []
        /// Before which batches lives have opened it.
        fileprivate(set) var opened: [Int: [Epoch]] = [:]
        /// Those of them that have found it sealed.
        fileprivate(set) var handedOver: Set<Int> = []
        /// How many batches survive a loss of power.
        fileprivate(set) var synced = 0
        /// The power has gone since it was written.
        fileprivate var wantsHole = false
        fileprivate var isSealed = false
        fileprivate var cursorsBefore: [StreamID: SequenceSet] = [:]
        /// The process that holds the lock, and the last epoch that did.
        fileprivate(set) var owner: Int?
        fileprivate(set) var epoch = Epoch(0)
        /// How far it has come.
        var end: JournalEnd { JournalEnd(epoch: epoch, JournalNumbers(position: ledger.position, batch: UInt64(batches.count))) }

        fileprivate init(_ module: ModuleID) { ledger = Ledger(module) }
    }
    enum Refusal: Error {
        case locked
        case stale(written: Epoch)
    }

    private(set) var journals: [ModuleID: Journal] = [:]
    let sabotage: Sabotage?

    func batches(of module: ModuleID) -> [[Said]] { journals[module]?.batches ?? [] }
    func ledger(of module: ModuleID) -> Ledger { journals[module]?.ledger ?? Ledger(module) }
    /// The latest life of each other module that the journal names.
    func heardLives(of module: ModuleID) -> [ModuleID: Epoch] {
        var lives = HeardLives(of: module)
        for entry in batches(of: module).joined() { lives.take(entry.topic, entry.record) }
        return lives.epochs
    }
    func isLocked(_ module: ModuleID) -> Bool { journals[module]?.owner != nil }

    /// A life takes the journal, under an epoch that has not written in it.
    mutating func open(_ module: ModuleID, by life: Int, epoch: Epoch) throws(Refusal) {
        let journal = journals[module] ?? Journal(module)
        if sabotage != .noFencing {
            guard journal.owner == nil else { throw .locked }
            guard epoch > journal.epoch else { throw .stale(written: journal.epoch) }
        }
        if journal.wantsHole, !journal.isSealed {
            journal.holes.insert(journal.batches.count)
            journal.ledger.leap(by: JournalNumbers.jump)
            // A HOLE is on the disk, and all before it, before anything else happens.
            journal.synced = journal.batches.count
        }
        if journal.isSealed { journal.handedOver.insert(journal.batches.count) } else { journal.handedOver.remove(journal.batches.count) }
        journal.wantsHole = false
        journal.isSealed = false
        journal.opened[journal.batches.count, default: []].append(epoch)
        journal.owner = life
        journal.epoch = max(journal.epoch, epoch)
        if sabotage != .reuseSequences { journal.ledger.begin(epoch) }
        journals[module] = journal
    }

    /// - Parameter observe: gets each record, with those who have to settle what is said on its topic now.
    mutating func append(_ batch: [Said], of module: ModuleID, observe: (Said, [ModuleID]) -> Void) {
        let journal = journals[module] ?? Journal(module)
        journals[module] = journal
        if sabotage == .splitCursor { journal.cursorsBefore = journal.ledger.cursors }
        journal.batches.append(batch)
        for entry in batch {
            journal.take(entry)
            observe(entry, journal.ledger.recipients(of: entry.topic))
        }
        journal.ledger.keep(batch)
    }

    /// The system has written back what was appended, or the first batches of it.
    func writeBack(_ module: ModuleID, upTo count: Int = .max) {
        guard let journal = journals[module] else { return }
        journal.synced = max(journal.synced, min(count, journal.batches.count))
    }

    /// SEAL is on the disk, and the lock is given back.
    mutating func seal(_ module: ModuleID) {
        guard journals[module] != nil else { return }
        writeBack(module)
        journals[module]?.isSealed = true
        journals[module]?.owner = nil
    }

    /// The life that has opened it gives it back, and has said nothing.
    mutating func abandon(_ module: ModuleID) { journals[module]?.owner = nil }

    /// The lock goes with its process; what was appended stays.
    mutating func release(by life: Int, isSplit: Bool = false) {
        for (module, journal) in journals where journal.owner == life {
            journals[module]?.owner = nil
            if isSplit, !journal.cursorsBefore.isEmpty { journals[module]?.ledger.cursors = journal.cursorsBefore }
        }
    }

    /// The machine of that journal has lost its power. A prefix of what was not synced is there afterwards, which may end within a batch;
    /// returns the rest, and what recovery has done wrong.
    mutating func losePower(_ module: ModuleID, _ random: inout SeededRandom) -> (lost: [Said], fault: String?) {
        guard let journal = journals[module] else { return ([], nil) }
        journal.owner = nil
        let count = journal.batches.count
        let kept = random.chance(of: 30) ? count : journal.synced + random.below(count - journal.synced + 1)
        var fault: String?
        var lost: [Said] = []
        if kept < count {
            let remnant = cutPower(of: journal, at: kept, &random)
            fault = remnant.fault
            lost = Array(journal.batches[kept...].joined().dropFirst(remnant.batches.joined().count))
            journal.batches.replaceSubrange(kept..., with: remnant.batches)
            journal.opened = journal.opened.filter { $0.key <= journal.batches.count }
            journal.handedOver.formIntersection(journal.opened.keys)
            journal.refold(as: sabotage)
        }
        journal.synced = journal.batches.count
        journal.wantsHole = true
        return (lost, fault)
    }

    /// A copy of the journal comes back that was made when it had this number of batches, or none: it was deleted. Returns what it does not have.
    mutating func putBack(_ module: ModuleID, batches count: Int) -> [Said] {
        guard let journal = journals[module], journal.owner == nil else { return [] }
        let lost = journal.batches[count...].joined()
        journal.batches.removeSubrange(count...)
        journal.opened = journal.opened.filter { $0.key < count }
        journal.handedOver.formIntersection(journal.opened.keys)
        journal.holes = journal.holes.filter { $0 < count }
        journal.epoch = journal.opened.values.joined().max() ?? Epoch(0)
        journal.isSealed = false
        journal.wantsHole = false
        journal.synced = count
        journal.refold(as: sabotage)
        return Array(lost)
    }
}

extension SimulatedDisk.Journal {
    fileprivate func take(_ entry: Said) {
        ledger.apply(entry.topic, entry.record)
        guard case .settled(let settled) = entry.record, let publisher = entry.topic.settledPublisher else { return }
        for effect in settled.effects { settledSum &+= SimulatedState.weight(of: EffectID(module: publisher, position: effect.position)) }
    }

    fileprivate func refold(as sabotage: Sabotage?) {
        ledger = Ledger(ledger.module)
        settledSum = 0
        for index in 0...batches.count {
            if holes.contains(index) { ledger.leap(by: JournalNumbers.jump) }
            if sabotage != .reuseSequences { for epoch in opened[index] ?? [] { ledger.begin(epoch) } }
            if index < batches.count {
                for entry in batches[index] { take(entry) }
                ledger.keep(batches[index])
            }
        }
    }
}
