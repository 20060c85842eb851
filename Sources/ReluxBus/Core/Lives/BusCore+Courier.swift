import Relux
package import ReluxControl
import ReluxLedger

/// Publishers without a process: the courier reads their journals for us.
extension BusCore {
    /// How long an unanswered question is waited for before it is asked again.
    static let courierPatience = Duration.seconds(1)

    /// Nobody but the courier answers for it.
    func isAbsent(_ publisher: ModuleID) -> Bool {
        membership.isKnown && locals[publisher] == nil && membership.members[publisher]?.host == nil
    }

    /// Answers of the courier, true whoever else has answered in the meantime.
    package mutating func receive(_ answer: CourierAnswer, now: Duration) -> [Action] {
        defer { leaveAtOnce(now) }
        var actions: [Action] = []
        questions.note(answered: answer.question)
        if answer.isForgotten, let publisher = answer.question.publisher, isAbsent(publisher), membership.members[publisher] == nil {
            for module in locals.keys.sorted() { taken(module, upTo: .max, by: publisher) }
        }
        for bytes in answer.frames {
            counters.framesIn += 1
            do {
                let frame = try Frame(decoding: bytes.bytes)
                for case .ready(let ready) in frame.records { learn(ready, now, &actions) }
                if routes.replayed[frame.topic] != nil { take(frame, isPublishers: false, now, &actions) }
                if frame.topic.snapshotType != nil { takeLast(frame, &actions) }
            } catch {
                counters.framesRefused += 1
            }
        }
        return actions
    }

    /// Streams that hold records for our modules, from which on.
    private mutating func learn(_ ready: ReadyRecord, _ now: Duration, _ actions: inout [Action]) {
        for stream in ready.streams where locals[stream.publisher] == nil {
            for start in stream.starts where routes.isHeard(stream.topic, by: start.recipient) {
                let key = InboundKey(recipient: start.recipient, publisher: stream.publisher, topic: stream.topic)
                if inbound.streams[key] == nil, locals[start.recipient]?.ledger.cursors[key.stream] == nil { begin(key, after: start.after) }
                guard open(key) else { continue }
                inbound.with(key) { $0.learn(head: stream.head) }
                inbound.noteProgress(of: key)
            }
        }
        for publisher in Set(ready.streams.map(\.publisher)).sorted() { request(from: publisher, now: now, &actions) }
    }

    /// After a change of the membership: what those say that have just lost their process, or are no members any more, is asked for at once, and
    /// the rest of what somebody may have left for us when it is still absent a while later.
    mutating func noteAbsent(before: [ModuleID: ClusterPicture.Member], now: Duration, _ actions: inout [Action]) {
        let answered = Set(questions.unanswered.keys.compactMap(\.self).filter { !isAbsent($0) })
        questions.keep { !answered.contains($0) }
        guard !locals.isEmpty else {
            questions.removeAll()
            return
        }
        let members = membership.members
        for id in Set(before.keys).union(members.keys).sorted() where isAbsent(id) {
            let (last, present) = (before[id], members[id])
            guard (last ?? present).map(isRelated) == true || lives.heard[id] != nil else { continue }
            if last?.host != nil {
                for key in inbound.lagging where key.publisher == id { inbound.with(key) { $0.requestWasLost() } }
                actions.append(.askCourier(expectHeads(of: id, now)))
            } else if present == nil {
                // It had no process that the broker knew of; one may have gone on writing after the courier had answered for it.
                if last != nil { actions.append(.askCourier(expectHeads(of: id, now))) }
            } else if last?.epoch != present?.epoch {
                ask(expectHeads(of: id, now), ifObserved: present, &actions)
            }
        }
    }

    /// Asks at once if somebody here observes the owner: its last snapshots are not waited for as the rest is.
    private func ask(_ question: CourierQuestion, ifObserved owner: ClusterPicture.Member?, _ actions: inout [Action]) {
        guard let owner, owner.provides.contains(where: isObserved) else { return }
        actions.append(.askCourier(question))
    }

    /// A module has come: what was left for it while it had no process is asked for when nobody has said it a while later.
    mutating func expectAbsent(now: Duration, _ actions: inout [Action]) {
        questions.removeAll()
        expectHeads(of: nil, now)
        // Its settlements for them wait for their return; or their journals have been removed.
        let owed = locals.values.flatMap { $0.ledger.streams.filter { !$0.value.isSettled }.compactMap { $0.key.settledPublisher } }
        for id in Set(owed).sorted() where isAbsent(id) && membership.members[id] == nil { expectHeads(of: id, now) }
        for (id, member) in membership.members.sorted(by: { $0.key < $1.key }) where isAbsent(id) && isRelated(member) {
            ask(expectHeads(of: id, now), ifObserved: member, &actions)
        }
    }

    /// A question that has to be answered, in the place of an earlier one about the same.
    ///
    /// - Parameter publisher: nil for all that are no members.
    @discardableResult
    private mutating func expectHeads(of publisher: ModuleID?, _ now: Duration) -> CourierQuestion {
        clock.headSoon(now)
        return questions.ask(about: publisher, for: locals.keys.sorted(), now: now)
    }

    /// Something of the module waits for somebody who could hear of it now.
    func isOwedAnswers(_ ledger: Ledger) -> Bool {
        ledger.streams.contains { topic, state in !state.isSettled && !(topic.settledPublisher.map(isAbsent) ?? false) }
    }
}
