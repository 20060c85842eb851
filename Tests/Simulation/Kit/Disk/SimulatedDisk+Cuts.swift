import Glibc
import JournalFaults
import Relux
import ReluxJournal
import ReluxLedger
import ReluxTestKit

/// Writes that end within a batch. Only there a journal has bytes, and has what recovery finds in them.
extension SimulatedDisk {
    /// The fault of a write.
    enum WriteFault: Equatable {
        /// The process dies meanwhile.
        case death
        /// ENOSPC; the process may die before what had arrived is taken back.
        case full(dies: Bool)
        /// EIO; maybe of what takes back as well.
        case broken
    }

    /// The remains of writes that were cut.
    struct Remnant {
        var batches: [[Said]] = []
        /// The process goes on, and tries again.
        var goesOn = false
        /// The fault of recovery; nil for none.
        var fault: String?
    }

    /// The part is written and cut; the journal does not take what is left of it by itself.
    func cut(_ part: JournalPart, by fault: WriteFault, _ random: inout SeededRandom) -> Remnant {
        do {
            let batch = try part.said().map(\.written)
            let size = part.runs.reduce(0) { $0 + $1.run.records.count }
            var (bytes, before) = try bytes(of: part.module, before: batches(of: part.module).count, &random)
            let place = try bytes.end()
            do throws(JournalRefusal) {
                switch fault {
                // With its head and end it is longer.
                case .death: try bytes.append(batch, writes: [.kill(random.chance(of: 10) ? 0 : random.below(size + 128))])
                case .full(let dies): try bytes.append(batch, writes: failure(ENOSPC, behind: random.below(size)), undo: dies ? .kill(0) : nil)
                case .broken:
                    let undo: MemoryDisk.Fault? = random.chance(of: 50) ? .fail(EIO) : nil
                    try bytes.append(batch, writes: failure(EIO, behind: random.below(size)), undo: undo)
                }
                return Remnant(fault: "a write of \(part.module) was cut, and was taken for whole")
            } catch {
                if error.isTemporary {
                    // There is room now; a write may still need two calls.
                    try bytes.append(batch, writes: [.short(random.below(size))])
                    let found = try bytes.batches()
                    let isRight = found == before + [batch]
                    return Remnant(goesOn: true, fault: isRight ? nil : "a batch of \(part.module) was tried again, and there is \(found)")
                }
            }
            let torn = sabotage == .keepTorn ? bytes.torn(at: place) : []
            return try Remnant(of: before + [batch], behind: before.count, torn: torn, &bytes, afterPowerLoss: false)
        } catch {
            return Remnant(fault: "the journal of \(part.module): \(error)")
        }
    }

    /// The call that finds no more room says how much it has written; the next one says why.
    private func failure(_ number: Int32, behind count: Int) -> [MemoryDisk.Fault] { count > 0 ? [.short(count), .fail(number)] : [.fail(number)] }

    /// The power goes while that batch and some behind it are on their way to the disk.
    func cutPower(of journal: Journal, at index: Int, _ random: inout SeededRandom) -> Remnant {
        let module = journal.ledger.module
        let batch = journal.batches[index]
        do {
            var (bytes, before) = try bytes(of: module, before: index, beginning: false, &random)
            // The system may also have written it back by itself.
            if journal.synced == index, random.chance(of: 50) { try bytes.sync() }
            var start = try bytes.end()
            if journal.opened[index] != nil, !before.isEmpty {
                let isHandedOver = journal.handedOver.contains(index)
                if isHandedOver { bytes.seal() }
                _ = try bytes.begin()
                // The beginning of a life behind a SEAL is on the disk.
                if isHandedOver { start = try bytes.end() }
            }
            let place = try bytes.end()
            try bytes.append(batch)
            var written = before + [batch]
            let end = try bytes.end()
            // A segment that begins with it was not synced either.
            if end.segment != start.segment { start = JournalPlace(segment: end.segment, offset: 0) }
            for next in index + 1..<min(index + 3, journal.batches.count + 1) {
                // None that was handed over: that one's SEAL has brought all before it to the disk.
                if journal.opened[next] != nil { _ = try bytes.begin() }
                guard next < journal.batches.count else { break }
                try bytes.append(journal.batches[next])
                written.append(journal.batches[next])
            }
            bytes.cut(between: start, and: end, &random)
            let torn = sabotage == .keepTorn ? bytes.torn(at: place) : []
            return try Remnant(of: written, behind: before.count, torn: torn, &bytes, afterPowerLoss: true)
        } catch {
            return Remnant(fault: "the journal of \(module) behind a loss of power: \(error)")
        }
    }

    /// The journal in bytes with the batch before that place, if there is one.
    private func bytes(
        of module: ModuleID, before index: Int, beginning: Bool = true, _ random: inout SeededRandom
    ) throws -> (JournalBytes, [[Said]]) {
        var bytes = try JournalBytes(module, salt: random.next())
        // A HOLE is the first of a segment that is on the disk.
        guard index > 0, let journal = journals[module], !journal.holes.contains(index) else { return (bytes, []) }
        let before = journal.batches[index - 1]
        try bytes.append(before)
        if beginning, journal.opened[index] != nil {
            if journal.handedOver.contains(index) { bytes.seal() }
            _ = try bytes.begin()
        }
        return (bytes, [before])
    }
}

extension SimulatedDisk.Remnant {
    /// Recovery has to find the batches that were there before the cut, and of the others the first, or none, each as it was written.
    fileprivate init(
        of written: [[Said]], behind before: Int, torn: [Said], _ bytes: inout JournalBytes, afterPowerLoss: Bool
    ) throws {
        let recovery = try bytes.begin(afterPowerLoss: afterPowerLoss)
        let found = try bytes.batches()
        batches = Array(found.dropFirst(before))
        if batches.isEmpty, !torn.isEmpty { batches = [torn] }
        if (recovery.hole?.jumps == true) != afterPowerLoss {
            fault = "recovery \(afterPowerLoss ? "behind" : "without") a loss of power makes \(recovery.hole == nil ? "no HOLE" : "a HOLE")"
        } else if found.count < before || !written.starts(with: found) {
            fault = "recovery has found \(found), and written was \(written)"
        }
    }
}
