import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
@testable import ReluxLedger
@testable import ReluxRegistry
import ReluxSupervisor
import ReluxTestKit

/// Older copies of what one party has on its disk come back while the others go on.
extension Simulation {
    /// A host dies, and before it is started again somebody puts back what the journals of its modules were.
    mutating func putBackJournals() {
        guard let life = anyHost() else { return }
        let names = hosts[life]!.machine.modules.keys.sorted().filter { disk.journals[$0]?.owner == life && random.chance(of: 60) }
        crash(life)
        for name in names { putBack(name) }
    }

    private mutating func putBack(_ name: ModuleID) {
        let all = disk.batches(of: name).count
        guard all > 0 else { return }
        // Deleted, yesterday's, or one of a moment ago.
        // The numbers that it names by now an even older copy may not name.
        let named = disk.ledger(of: name).forgotten
        for index in takenBack.indices where takenBack[index].id.module == name && named[takenBack[index].topic]?.contains(takenBack[index].sequence) == true {
            takenBack[index].wasNamed = true
        }
        let last = disk.journals[name]?.epoch
        let kept = random.chance(of: 15) ? 0 : random.below(random.chance(of: 50) ? all : min(all, 4)) + (random.chance(of: 50) ? 0 : max(0, all - 4))
        let lost = disk.putBack(name, batches: min(kept, all))
        trace?("\(now) a copy of the journal of \(name) without the last \(lost.count) records comes back")
        tally.putBack += 1
        putBackNames.insert(name)
        // An epoch that nobody else has heard of is given again.
        lastHandled = lastHandled.filter { $0.key.recipient != name }
        if let last, let kept = disk.journals[name]?.epoch, kept <= last {
            cutLives[name, default: []].formUnion((kept.rawValue...last.rawValue).map { Epoch(rawValue: $0) })
        }
        owed[name] = disk.journals[name].flatMap { journal in registryFile?.lives?[name]?.missing(behind: journal.end, before: .limit) }
        for entry in lost {
            if entry.record.sequence > 0 { everLost[StreamID(publisher: name, topic: entry.topic), default: []].insert(entry.record.sequence) }
            switch entry.record {
            case .effect(let effect):
                let id = EffectID(module: name, position: effect.position)
                safe.remove(id)
                // A recipient that has left a life behind, as its publisher said it might, is a witness of the later one only.
                if let said = accepted.removeValue(forKey: id), Epoch(start: effect.position) == last {
                    takenBack.append(TakenBack(id: id, topic: entry.topic, sequence: effect.sequence, recipients: said.recipients))
                }
            case .settled(let record):
                guard let publisher = entry.topic.settledPublisher else { continue }
                for pair in Pair.all(of: record, publisher: publisher, recipient: name) {
                    settled.remove(pair)
                    safelySettled.remove(pair)
                }
            default: continue
            }
        }
    }

    /// The broker dies, and before it is started again somebody puts back what its file was. It names the same members and hosts: who wants to know of
    /// a membership that the file has forgotten has to be asked by other means than numbers.
    mutating func putBackRegistry() {
        guard let life = broker?.life, registryFile != nil else { return }
        endProcess(life, .signalled(9))
        putBackFile()
    }

    @discardableResult
    private mutating func putBackFile() -> Bool {
        guard let file = registryFile, let older = registryCopies.first(where: { Self.isAlike($0, file) }), older.pictureVersion < file.pictureVersion else {
            return false
        }
        trace?("\(now) the registry's file of picture \(older.pictureVersion) comes back in place of \(file.pictureVersion)")
        tally.putBack += 1
        registryFile = older
        // It knows of less.
        owed = [:]
        return true
    }

    /// All processes die, and before they are started again somebody puts back what the registry's file was, and with it the journals of one host, or of
    /// the broker. Only the journals of the others know which lives there were.
    mutating func putBackCluster() {
        guard let broker = broker?.life, let host = anyHost() else { return }
        let names = hosts[host]!.machine.modules.keys.sorted().filter { disk.journals[$0]?.owner == host && random.chance(of: 60) }
        endProcess(broker, .signalled(9))
        for life in hosts.keys.sorted() { crash(life) }
        guard putBackFile() else { return }
        if random.chance(of: 50) { nodeEpoch = registryFile!.epochs.filter { $0.key == "Cluster" }.mapValues(Epoch.init(rawValue:)) }
        for name in names { putBack(name) }
    }

    private static func isAlike(_ older: RegistrySnapshot, _ file: RegistrySnapshot) -> Bool {
        func members(_ snapshot: RegistrySnapshot) -> [String] {
            snapshot.modules.map { "\($0.id) \($0.host) \($0.directory) \($0.isMember) \($0.memberSince) \($0.isLeaving)" }
                + snapshot.hosts.map { "\($0.id) \($0.spec.plugins)" }
        }
        // A guest that came and went in between has a membership, too.
        func guests(_ snapshot: RegistrySnapshot) -> [ModuleID: UInt64] {
            let present = Set(snapshot.modules.map(\.id))
            return snapshot.epochs.filter { !present.contains($0.key) }
        }
        return older.boot == file.boot && older.supervisorInstance == file.supervisorInstance && older.handovers?.isEmpty != false
            && file.handovers?.isEmpty != false && older.parting == file.parting && members(older) == members(file) && guests(older) == guests(file)
    }

    /// An effect that its publisher's journal has no more.
    struct TakenBack {
        var id: EffectID
        var topic: Topic
        var sequence: UInt64
        var recipients: [ModuleID]
        /// The journal has named it, before another copy came back.
        var wasNamed = false
    }

    /// An id that a journal has no more is given once more: only where nobody else knows of the first.
    mutating func judgeRepeated(_ id: EffectID) {
        for effect in takenBack where effect.id == id {
            let known = witnesses(of: effect)
            if !known.isEmpty { faults.append("\(id) is given out twice, and \(known) has settled the first") }
        }
        takenBack.removeAll { $0.id == id }
    }

    private func witnesses(of effect: TakenBack) -> [ModuleID] {
        effect.recipients.filter { recipient in
            everSettled.contains(Pair(effect: effect.id, recipient: recipient)) && !removed.contains(recipient) && !gone.contains(recipient)
                && !putBackNames.contains(recipient)
        }
    }

    /// An effect that somebody had settled is named by the journal that has it no more, and nothing is named that nobody took.
    mutating func judgeCopies() {
        guard !hasLostPower else { return }
        for name in Self.names where !gone.contains(name) && !putBackNames.contains(name) {
            for loss in disk.ledger(of: name).losses { faults.append("nobody has put a copy back, and \(loss)") }
        }
        // A range ends with a number that somebody has got, so it was said once.
        for name in Self.names where !gone.contains(name) {
            for (topic, sequences) in disk.ledger(of: name).forgotten.sorted(by: { $0.key < $1.key }) where topic != .lives(of: name) {
                for range in sequences.ranges where everLost[StreamID(publisher: name, topic: topic)]?.contains(range.upperBound) != true {
                    faults.append("the journal of \(name) names \(topic) \(range) as lost, and nobody has ever said the last of them")
                }
            }
        }
        for name in Self.names where !gone.contains(name) {
            for range in disk.ledger(of: name).forgotten[.lives(of: name)]?.ranges ?? []
            where cutLives[name]?.contains(Epoch(start: range.upperBound)) != true {
                faults.append("the journal of \(name) names \(range) of its lives as lost, and no copy lacked the last of them")
            }
        }
        for (name, range) in owed.sorted(by: { $0.key < $1.key }) where !gone.contains(name) && !removed.contains(name) {
            let named = disk.ledger(of: name).forgotten[.lives(of: name)]
            if named?.range(around: range.lowerBound)?.contains(range.upperBound) == true { continue }
            // Where settlements alone are missing, the last position stands for them; with a later life that is missing too, what is named begins behind it.
            if range.count == 1, named?.contains(range.upperBound + 1) == true { continue }
            faults.append("the registry knows that the journal of \(name) lacks \(range), and that says \(disk.ledger(of: name).losses)")
        }
        for effect in takenBack where !effect.wasNamed && !removed.contains(effect.id.module) && !gone.contains(effect.id.module) {
            let known = witnesses(of: effect)
            let named = disk.ledger(of: effect.id.module).forgotten
            // By its number, or by its position among all that a life has said: that is what the registry knows. A life that did not end in order is
            // named to its end.
            let isNamed =
                named[effect.topic]?.contains(effect.sequence) == true
                || named[.lives(of: effect.id.module)]?.ranges.contains { range in
                    let last = Epoch(start: range.upperBound)
                    let end = last.start == range.upperBound ? Epoch(last.rawValue + 1).start - 1 : range.upperBound
                    return range.lowerBound <= end && (range.lowerBound...end).contains(effect.id.position)
                } == true
            guard !known.isEmpty, !isNamed else { continue }
            faults.append(
                "\(effect.id) on \(effect.topic) \(effect.sequence) was settled by \(known), the journal does not have it, and says "
                    + "\(disk.ledger(of: effect.id.module).losses)")
        }
    }
}
