import Relux
import ReluxControl
import ReluxLedger

/// Topics that are kept in memory only.
///
/// Design notes. A transient record says so itself (``EffectFlags/transient``), so that both ends do the same whatever they were built with. It has
/// its sequence, which begins anew with each life, but no place in any ledger: no MEMBER, no HEAD, no FETCH, no journal. A recipient that hears a gap counts
/// it and says GONE on `~settled.<publisher>`, so that nobody waits for what was never heard. Its settlement is published there too, with the
/// sequence 0, which no record of the stream has. The publisher keeps the owed answers until the deadline; a recipient without a process, or with another
/// one than before, owes none: `lost`. The waiter is told that when the frames of the turn have left (``LetOut/takeLosses()``): it may start the recipient's
/// next life at once, and no frame of the effect may be left for that to hear.
extension BusCore {
    mutating func appendTransient(
        _ emission: Relux.Emission, _ effect: EffectRecord, now: Duration, _ actions: inout [Action]
    ) {
        let stream = StreamID(publisher: emission.id.module, topic: emission.topic)
        guard let epoch = locals[stream.publisher]?.epoch else { return }
        actions.append(.publish(stream, epoch, .effect(effect), tapOnly: false))
        guard !emission.recipients.isEmpty else { return }
        transients.add(
            emission.id, on: stream, sequence: effect.sequence, recipients: Array(emission.recipients), until: now + (emission.remaining ?? .zero))
        clock.headSoon(now)
        for recipient in emission.recipients {
            if !membership.isRecipient(recipient, since: emission.memberVersion) {
                loseTransient(emission.id, at: recipient, &actions)
            } else if locals[recipient] != nil {
                actions.append(deliver(effect, stream, to: recipient))
            } else if membership.members[recipient]?.host == nil {
                // Nobody will hear it.
                loseTransient(emission.id, at: recipient, &actions)
            }
        }
    }

    /// A transient effect has come from elsewhere.
    mutating func hearTransient(
        _ effect: EffectRecord, _ stream: StreamID, by recipient: ModuleID, _ actions: inout [Action]
    ) {
        let key = InboundKey(recipient: recipient, publisher: stream.publisher, topic: stream.topic)
        let (last, start) = (inbound.transientHeads[key], lives.heard[stream.publisher]?.start ?? 0)
        guard effect.sequence > last ?? 0, effect.sequence <= InboundStream<WireRecord>.highest else {
            counters.duplicates += 1
            return
        }
        inbound.transientHeads[key] = effect.sequence
        let expected = max(last ?? 0, start) + 1
        if effect.sequence > expected, let epoch = locals[recipient]?.epoch {
            // Effects that were said before this life first heard the stream were never meant to reach it.
            if last != nil { counters.missed.grow(by: effect.sequence - expected) }
            let gone = GoneRecord(topic: stream.topic, range: expected...(effect.sequence - 1))
            let answers = StreamID(publisher: recipient, topic: .settlements(of: stream.publisher))
            actions.append(.publish(answers, epoch, .gone(gone), tapOnly: false))
        }
        // A module that no picture has named yet is a recipient for every publisher that knows it.
        guard membership.members[recipient] == nil || membership.isRecipient(recipient, since: effect.memberVersion) else {
            counters.notForUs += 1
            return
        }
        actions.append(deliver(effect, stream, to: recipient))
    }

    /// A recipient of this process has handled transient effects.
    mutating func settledTransient(_ record: SettledRecord, of publisher: ModuleID, by recipient: ModuleID, _ actions: inout [Action]) {
        guard let epoch = locals[recipient]?.epoch else { return }
        let isLocal = locals[publisher] != nil
        let stream = StreamID(publisher: recipient, topic: .settlements(of: publisher))
        actions.append(.publish(stream, epoch, .settled(record), tapOnly: isLocal))
        if isLocal { answerTransient(record, of: publisher, by: recipient, &actions) }
    }

    /// The answer to transient effects of a module here.
    mutating func answerTransient(_ record: SettledRecord, of publisher: ModuleID, by recipient: ModuleID, _ actions: inout [Action]) {
        var isOwed = false
        for effect in record.effects where transients.settle(EffectID(module: publisher, position: effect.position), by: recipient) { isOwed = true }
        // The waiter knows what it is owed.
        if isOwed { actions.append(.settle(record, of: publisher, by: recipient)) }
    }

    /// The recipient has not heard that part of a stream, and never will.
    mutating func loseTransients(_ gone: GoneRecord, of publishers: [ModuleID], at recipient: ModuleID, _ actions: inout [Action]) {
        for publisher in publishers {
            let stream = StreamID(publisher: publisher, topic: gone.topic)
            for effect in transients.owed(by: recipient, of: stream, in: gone.range) { loseTransient(effect, at: recipient, &actions) }
        }
    }

    /// Loses the transient effects that pend on a process that is gone: they have gone with it.
    mutating func loseTransients(before: [ModuleID: ClusterPicture.Member], _ actions: inout [Action]) {
        guard !transients.isEmpty else { return }
        for recipient in transients.recipients.sorted() {
            let present = membership.members[recipient]
            guard present?.host == nil || before[recipient].map({ $0.epoch != present?.epoch }) == true else { continue }
            for effect in transients.owed(by: recipient) { loseTransient(effect, at: recipient, &actions) }
        }
    }

    private mutating func loseTransient(_ effect: EffectID, at recipient: ModuleID, _ actions: inout [Action]) {
        guard transients.settle(effect, by: recipient) else { return }
        counters.transientsLost += 1
        actions.append(.missed(effect, by: recipient, absent: membership.members[recipient]?.absence))
    }
}
