package import Relux
import ReluxControl
import ReluxLedger

extension BusCore {
    /// Modules of this process have said something.
    package mutating func append(_ batch: [Relux.Emission], wallTime: UInt64, now: Duration) -> [Action] {
        var actions: [Action] = []
        actions.reserveCapacity(batch.count)
        for emission in batch { append(emission, wallTime: wallTime, now: now, &actions) }
        return actions
    }

    mutating func append(
        _ emission: Relux.Emission, wallTime: UInt64, now: Duration, _ actions: inout [Action]
    ) {
        let stream = StreamID(publisher: emission.id.module, topic: emission.topic)
        guard let place = locals.index(forKey: stream.publisher), !within(place, { $0.isHeld }) else {
            if !early.append(emission, wallTime) {
                counters.refusedEarly += 1
                actions.append(.overloaded(emission))
            }
            return
        }
        let effect = record(of: emission, at: place, wallTime: wallTime)
        if case .place(let standing) = emission.beside {
            note(.schedule(ScheduleRecord(standing, position: effect.position)), on: ScheduleRecord.topic, of: stream.publisher)
        }
        if emission.durability == .transient { return appendTransient(emission, effect, now: now, &actions) }
        announce(stream, emission, at: place)
        say(.effect(effect), on: stream.topic, of: stream.publisher, at: place)
        if emission.durability == .machine { press(stream.publisher, now: now) }
        if case .request(let request) = emission.beside {
            note(
                .request(
                    RequestRecord(
                        position: effect.position, topic: stream.topic, sequence: effect.sequence, request: request,
                        isForEveryone: emission.awaiting == .everyone)),
                on: RequestRecord.topic, of: stream.publisher)
        }
        guard !emission.recipients.isEmpty else { return }
        clock.headSoon(now)
        for recipient in emission.recipients {
            backlog.add(emission.payloadByteCount + Self.recordOverhead, for: recipient)
            if !membership.isRecipient(recipient, since: emission.memberVersion) {
                // Removed after the recipients were fixed.
                let lost = EffectRuns(position: effect.position, sequence: effect.sequence)
                lose(lost, on: stream.topic, of: stream.publisher, at: recipient, &actions)
            } else if isHere(recipient) {
                let key = InboundKey(recipient: recipient, publisher: stream.publisher, topic: stream.topic)
                offer(.effect(effect), effect.sequence, effect.payload.count, key, false, now, &actions)
            }
        }
    }

    private mutating func record(of emission: Relux.Emission, at place: Dictionary<ModuleID, Local>.Index, wallTime: UInt64) -> EffectRecord {
        EffectRecord(
            position: emission.id.position, sequence: emission.sequence, caseName: emission.caseName,
            remainingDeadlineMilliseconds: last.milliseconds(emission.remaining), wallTimeMilliseconds: wallTime,
            payload: emission.payload[...], context: context(of: emission, at: place))
    }

    /// The emission's context, mostly that of the effect before: what one place says, one after the other, shares it.
    private mutating func context(of emission: Relux.Emission, at place: Dictionary<ModuleID, Local>.Index) -> EffectContext {
        if let context = last.context(of: emission) { return context }
        var flags: EffectFlags = emission.recipients.isEmpty ? .unhandled : []
        if emission.isDetached { flags.insert(.detached) }
        switch emission.durability {
        case .transient: flags.insert(.transient)
        case .process: break
        case .machine: flags.insert(.machine)
        }
        let context = EffectContext(
            ancestry: emission.ancestry, awaitDepth: emission.awaitDepth, memberVersion: emission.memberVersion,
            flags: flags,
            site: CallSite(
                file: emission.site.file.cut(to: Self.textByteLimit), line: emission.site.line, function: emission.site.function.cut(to: Self.textByteLimit)),
            label: emission.label.cut(to: Self.textByteLimit),
            contractFingerprint: emission.contract != 0 ? emission.contract : within(place) { $0.contracts[emission.topic] ?? 0 })
        last.note(context, of: emission)
        return context
    }

    /// Ends the effects that pend on a recipient that is none any more.
    mutating func lose(_ effects: EffectRuns, on topic: Topic, of publisher: ModuleID, at recipient: ModuleID, _ actions: inout [Action]) {
        guard end(effects, on: topic, of: publisher, for: recipient, as: .lost) else { return }
        actions.append(.settle(SettledRecord(sequence: 0, topic: topic, effects: effects, status: .lost), of: publisher, by: recipient))
    }

    /// Appends the effects and snapshots that the module said before it had joined; called behind all that it has said since.
    package mutating func appendEarly(_ module: ModuleID, now: Duration) -> [Action] {
        var actions: [Action] = []
        let (effects, snapshots) = early.take(module)
        for (emission, wallTime) in effects { append(emission, wallTime: wallTime, now: now, &actions) }
        for (type, payload) in snapshots {
            actions += snapshotChanged(type, of: module, payload: payload, now: now)
        }
        return actions
    }

    /// MEMBER goes before the first record that counts with other recipients than the one before.
    private mutating func announce(
        _ stream: StreamID, _ emission: Relux.Emission, at place: Dictionary<ModuleID, Local>.Index
    ) {
        if within(place, { $0.ledger.says(on: stream.topic, to: emission.recipients) }) { return }
        say(
            .member(
                MemberRecord(
                    sequence: emission.sequence - 1, version: emission.memberVersion, recipients: Array(emission.recipients))),
            on: stream.topic, of: stream.publisher, at: place)
    }

    /// A subscription came in on the XPUB; only a marker is of interest.
    package mutating func subscribed(_ subscription: [UInt8], now: Duration) -> [Action] {
        let prefix = Self.markerPrefix
        guard subscription.starts(with: prefix), subscription.count > prefix.count + ReadyRecord.markerByteCount else {
            return []
        }
        let marker = subscription[prefix.count..<(prefix.count + ReadyRecord.markerByteCount)]
        let name = String(decoding: subscription[(prefix.count + ReadyRecord.markerByteCount)...], as: UTF8.self)
        let asker = HostID(rawValue: name)
        peers.note(joined: asker, isNamed: membership.picture?.hosts.contains { $0.id == asker } == true)
        var streams: [ReadyRecord.Stream] = []
        for (id, local) in locals.sorted(by: { $0.key < $1.key }) {
            // Named even when it has said nothing yet, so that the asker knows its epoch.
            streams.append(.init(publisher: id, epoch: local.epoch, topic: Self.head(of: id), head: 0, starts: []))
            for (topic, state) in local.ledger.streams.sorted(by: { $0.key < $1.key }) {
                // Starts of every recipient that a record waits for, wherever our picture has it: the asker may know better where it runs.
                let starts = state.starts().sorted { $0.key < $1.key }.map { ReadyRecord.Start(recipient: $0.key, after: $0.value) }
                streams.append(.init(publisher: id, epoch: local.epoch, topic: topic, head: state.head, starts: starts))
            }
        }
        var actions: [Action] = [.ready(prefix: subscription, from: Self.speaker(of: host), ReadyRecord(marker: marker, streams: streams))]
        actions += repeatSnapshots()
        requestAgain(from: asker, now: now, &actions)
        if isJoined { actions.append(.joined) }
        return actions
    }

    /// Serves what a recipient lacks.
    mutating func serve(_ fetch: FetchRecord, by publisher: ModuleID) -> [Action] {
        noteSeen(fetch.ranges, of: StreamID(publisher: publisher, topic: fetch.topic))
        keepDrafted(fetch.topic, of: publisher)
        guard let local = locals[publisher] else { return [] }
        return [local.ledger.answer(fetch, epoch: local.epoch, start: local.start)]
    }

    /// Notes that a recipient has seen the sequence in front of each range that it asks for. When our journal has never said that one, the journal is
    /// an older copy: the records that it lacks are lost, and that is written down.
    mutating func noteSeen(_ missing: [ClosedRange<UInt64>], of stream: StreamID) {
        guard let place = locals.index(forKey: stream.publisher) else { return }
        for next in missing.map(\.lowerBound) where next > 1 {
            guard let range = within(place, { $0.ledger.unknown(next - 1, on: stream.topic) }) else { continue }
            note(.gone(GoneRecord(topic: stream.topic, range: range)), on: GoneRecord.topic, of: stream.publisher)
            counters.noteForgotten(by: stream.publisher, stream.topic, range)
        }
    }
}
