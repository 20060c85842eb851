import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
@testable import ReluxLedger
@testable import ReluxRegistry

/// The conditions that must hold when all is quiet.
extension Simulation {
    mutating func judge() {
        for (id, effect) in accepted.sorted(by: { $0.key < $1.key }) where !straySaid.contains(id) {
            for recipient in effect.recipients
            where !everSettled.contains(Pair(effect: id, recipient: recipient)) && isMeant(effect.memberVersion, for: recipient) {
                faults.append("\(id) was never settled by \(recipient)")
            }
        }
        for name in Self.names {
            let ledger = disk.ledger(of: name)
            if gone.contains(name) {
                for pending in unserved(ledger) { faults.append("\(name) is gone for good, and \(pending) was not served for it") }
                continue
            }
            if !isSettled(ledger) { faults.append("the journal of \(name) is not settled: \(ledger.summary)") }
            for (topic, books) in ledger.books.sorted(by: { $0.key < $1.key }) {
                for (recipient, book) in books.sorted(by: { $0.key < $1.key })
                where book.open != 0 || (book.lost > 0 && !removed.contains(recipient)) {
                    faults.append("the books of \(name) on \(topic) for \(recipient) say \(book)")
                }
            }
            // A settlement that the power took may have been the only word that a handler had ended.
            if !ledger.causes.isEmpty, !removed.contains(name), !hasLostPower, putBackNames.isEmpty { faults.append("\(name) keeps causes \(ledger.causes.keys.sorted())") }
        }
        judgeCopies()
        judgeTicks()
        for host in hosts.values.sorted(by: { $0.life < $1.life }) {
            tally.resultsLost += Int(host.core.counters.resultsLost)
            if !host.core.backlog.bytes.isEmpty { faults.append("\(host.id) accounts \(host.core.backlog.bytes)") }
            if !host.core.isJoined { faults.append("\(host.id) has not joined: \(host.core.unansweredHosts)") }
            if !host.core.inbound.doubts.isEmpty { faults.append("\(host.id) doubts \(host.core.inbound.doubts.keys.sorted())") }
            if let picture = host.core.membership.picture, !picture.absences.isEmpty { faults.append("\(host.id) holds for absent \(picture.absences)") }
            for (id, local) in host.core.locals.sorted(by: { $0.key < $1.key }) where local.ledger.lost != host.core.counters.lost[id]?.by ?? [:] {
                faults.append("\(host.id) tells \(String(describing: host.core.counters.lost[id])) of \(id), whose journal has lost \(local.ledger.lost)")
            }
            if host.endpoint.isStalled || host.core.hasUnwritten { faults.append("\(host.id) has not written all of it") }
        }
        for name in Self.names where !gone.contains(name) {
            let serving = hosts.values.filter { $0.modules[name]?.isOpen == true }.map(\.id.rawValue).sorted()
            if serving.count != 1 { faults.append("\(name) is served in \(serving)") }
            let epochs = hosts.values.compactMap { $0.modules[name]?.epoch }
            if let known = broker?.registry.modules[name]?.epoch, epochs != [known] { faults.append("\(name) is served under \(epochs), and the registry has \(known)") }
        }
    }

    /// None is left out, and the journal knows the last.
    private mutating func judgeTicks() {
        for (name, dues) in dues.sorted(by: { $0.key < $1.key }) where !putBackNames.contains(name) {
            if let last = dues.keys.max(), dues.count != last { faults.append("of \(last) ticks of \(name) \(dues.count) are in its journal") }
            let last = disk.ledger(of: name).schedules[Self.schedule]?.last ?? 0
            if last != dues.keys.max() ?? 0 { faults.append("the journal of \(name) has come to tick \(last) of \(dues.keys.max() ?? 0)") }
        }
    }

    /// A report of the processes that are still awake, and why.
    var restless: String {
        let registry = broker?.registry
        let modules = registry?.modules.values.sorted { $0.order < $1.order }.map { "\($0.id) \($0.state) in \($0.host)" } ?? []
        let processes = registry?.hosts.values.sorted { $0.id < $1.id }.map { "\($0.id) \($0.process) \($0.pid)" } ?? []
        let boot = registry.map { "\($0.boot)" } ?? "no broker"
        let all = ["\(modules)", "\(processes)", "\(boot), \(busy) events"] + hosts.values.sorted { $0.life < $1.life }.map(restless)
        return all.joined(separator: "; ")
    }

    private func restless(_ host: SimulatedHost) -> String {
        let core = host.core
        let lags = core.inbound.lagging.sorted().map { key in
            "\(key.recipient) of \(key.publisher)/\(key.topic) behind \(core.inbound.streams[key]?.lowWater ?? 0)"
        }
        let doubts = core.inbound.doubts.sorted { $0.key < $1.key }.map { "\($0.key.recipient) of \($0.key.publisher) \($0.value.heads)" }
        return "\(host.id) \(host.life) \(host.machine.modules.mapValues(\.life.state.phase)) lags \(lags) doubts \(doubts) asks \(core.questions.unanswered.count)"
            + " unheard \(core.unansweredHosts)"
    }

    /// A process ends: what it has counted.
    mutating func forget(_ host: SimulatedHost) { tally.resultsLost += Int(host.core.counters.resultsLost) }

    /// An effect that was accepted for a membership that is over may be lost, and no other.
    private func isMeant(_ memberVersion: UInt64, for recipient: ModuleID) -> Bool {
        members[recipient].map { $0.isMember && $0.since <= memberVersion } ?? false
    }

    /// But for what only the dead could take.
    private func isSettled(_ ledger: Ledger) -> Bool {
        ledger.streams.allSatisfy { topic, state in
            state.isSettled || topic.settledPublisher.map(gone.contains) == true
        }
    }

    /// The records that the recipients' journals do not have of it, but for those that the power took there and here: both had them as settled once.
    /// And but for what a process without a supervisor has written when the membership was over: that is heard of by who joins next.
    private func unserved(_ ledger: Ledger) -> [String] {
        ledger.streams.sorted { $0.key < $1.key }.flatMap { topic, state in
            state.pendingRecords.flatMap { entry, record in
                entry.outstanding.filter { recipient in
                    let stream = StreamID(publisher: ledger.module, topic: topic)
                    guard !removed.contains(recipient), !disk.ledger(of: recipient).isDone(entry.sequence, of: stream) else { return false }
                    if case .settled(let settled) = record {
                        return !Pair.all(of: settled, publisher: recipient, recipient: ledger.module).allSatisfy(straySettled.contains)
                    }
                    guard case .effect(let effect) = record else { return true }
                    let pair = Pair(effect: EffectID(module: ledger.module, position: effect.position), recipient: recipient)
                    if straySaid.contains(pair.effect) { return false }
                    return !everAcked.contains(pair) || settled.contains(pair)
                }.map { "\(topic) \(entry.sequence) for \($0)" }
            }
        }
    }
}
