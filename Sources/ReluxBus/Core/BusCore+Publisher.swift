package import Relux

extension BusCore {
    /// Modules of this process have said something.
    package mutating func append(_ batch: [Relux.Appended], wallTime: UInt64, now: Duration) -> [Action] {
        var actions: [Action] = []
        actions.reserveCapacity(batch.count)
        for appended in batch { append(appended, wallTime: wallTime, now: now, &actions) }
        return actions
    }

    mutating func append(
        _ appended: Relux.Appended, wallTime: UInt64, now: Duration, _ actions: inout [Action]
    ) {
        let stream = StreamID(publisher: appended.id.module, topic: appended.topic)
        guard let place = locals.index(forKey: stream.publisher), !isHeld(stream.publisher) else {
            if early[stream.publisher, default: []].count < Self.earlyLimit {
                early[stream.publisher, default: []].append((appended, wallTime))
            } else {
                counters.refusedEarly += 1
                actions.append(.overloaded(appended))
            }
            return
        }
        let contract = appended.contract != 0 ? appended.contract : within(place) { $0.contracts[stream.topic] ?? 0 }
        let effect = record(of: appended, contract: contract, wallTime: wallTime)
        if appended.durability == .transient { return appendTransient(appended, effect, now: now, &actions) }
        announce(stream, appended, at: place)
        say(.effect(effect), on: stream.topic, of: stream.publisher, at: place)
        if appended.durability == .machine { press(stream.publisher, now: now) }
        if !appended.request.isEmpty {
            note(
                .request(
                    RequestRecord(
                        position: effect.position, topic: stream.topic, sequence: effect.sequence, request: appended.request,
                        isForEveryone: appended.awaiting == .everyone)),
                on: RequestRecord.topic, of: stream.publisher)
        }
        guard !appended.recipients.isEmpty else { return }
        headSoon(now)
        for recipient in appended.recipients {
            account(appended.payload.count + Self.recordOverhead, for: recipient)
            if !isRecipient(recipient, since: appended.memberVersion) {
                // Removed after the recipients were fixed.
                lose(effect, on: stream.topic, of: stream.publisher, at: recipient, &actions)
            } else if isHere(recipient) {
                let key = InboundKey(recipient: recipient, publisher: stream.publisher, topic: stream.topic)
                offer(.effect(effect), effect.sequence, effect.payload.count, key, false, now, &actions)
            }
        }
    }

    private mutating func record(of appended: Relux.Appended, contract: UInt64, wallTime: UInt64) -> EffectRecord {
        EffectRecord(
            position: appended.id.position, sequence: appended.sequence, caseName: appended.caseName,
            remainingDeadlineMilliseconds: appended.remaining.map(Self.milliseconds) ?? 0, wallTimeMilliseconds: wallTime,
            payload: appended.payload[...], context: context(of: appended, contract: contract))
    }

    /// Mostly that of the effect before: what one place says, one after the other, shares it.
    private mutating func context(of appended: Relux.Appended, contract: UInt64) -> EffectContext {
        var flags: EffectFlags = appended.recipients.isEmpty ? .unhandled : []
        if appended.isDetached { flags.insert(.detached) }
        switch appended.durability {
        case .transient: flags.insert(.transient)
        case .process: break
        case .machine: flags.insert(.machine)
        }
        if let last = lastContext, last.origin.isLike(appended), last.context.flags == flags, last.context.contractFingerprint == contract {
            return last.context
        }
        let context = EffectContext(
            ancestry: appended.ancestry, awaitDepth: appended.awaitDepth, memberVersion: appended.memberVersion,
            flags: flags,
            site: CallSite(
                file: Self.cut(appended.site.file), line: appended.site.line, function: Self.cut(appended.site.function)),
            label: Self.cut(appended.label), contractFingerprint: contract)
        lastContext = (appended, context)
        return context
    }

    /// What pends on a recipient that is none any more ends.
    mutating func lose(_ effect: EffectRecord, on topic: Topic, of publisher: ModuleID, at recipient: ModuleID, _ actions: inout [Action]) {
        let effects = EffectRuns(position: effect.position, sequence: effect.sequence)
        guard end(effects, on: topic, of: publisher, for: recipient, as: .lost) else { return }
        actions.append(.settle(SettledRecord(sequence: 0, topic: topic, effects: effects, status: .lost), of: publisher, by: recipient))
    }

    /// What the module said before it had joined; called behind all that it has said since.
    package mutating func appendEarly(_ module: ModuleID, now: Duration) -> [Action] {
        var actions: [Action] = []
        for (appended, wallTime) in early.removeValue(forKey: module) ?? [] {
            append(appended, wallTime: wallTime, now: now, &actions)
        }
        for (type, payload) in earlySnapshots.removeValue(forKey: module) ?? [:] {
            actions += snapshotChanged(type, of: module, payload: payload, now: now)
        }
        return actions
    }

    /// Whole milliseconds, at least one: zero means that nobody waits.
    private static func milliseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max >> 1 : max(1, whole + UInt64(attoseconds / 1_000_000_000_000_000))
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= textByteLimit ? text : String(decoding: text.utf8.prefix(textByteLimit), as: UTF8.self)
    }

    /// Keeps count of what a module elsewhere has not settled.
    mutating func account(_ byteCount: Int, for recipient: ModuleID) {
        let bytes = Self.add(byteCount, to: &unsettledBytes[recipient, default: 0])
        if bytes <= 0 { unsettledBytes[recipient] = nil }
        if bytes > unsettledByteLimit {
            overloaded.insert(recipient)
        } else if !overloaded.isEmpty, bytes <= unsettledByteLimit / 8 * 7 {
            // A little room first, so that the waiting ones are not woken for each settlement.
            overloaded.remove(recipient)
        }
    }

    /// One look-up for both.
    private static func add(_ count: Int, to total: inout Int) -> Int {
        total += count
        return total
    }

    /// MEMBER goes before the first record that counts with other recipients than the one before.
    private mutating func announce(
        _ stream: StreamID, _ appended: Relux.Appended, at place: Dictionary<ModuleID, Local>.Index
    ) {
        if within(place, { $0.ledger.recipients[stream.topic]?.recipients == appended.recipients }) { return }
        say(
            .member(
                MemberRecord(
                    sequence: appended.sequence - 1, version: appended.memberVersion, recipients: appended.recipients)),
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
        noteJoined(asker)
        var streams: [ReadyRecord.Stream] = []
        for (id, local) in locals.sorted(by: { $0.key < $1.key }) {
            // Named even when it has said nothing yet, so that the asker knows its epoch.
            streams.append(.init(publisher: id, epoch: local.epoch, topic: Self.head(of: id), head: 0, starts: []))
            for (topic, state) in local.ledger.streams.sorted(by: { $0.key < $1.key }) {
                // Of whomever a record waits for, wherever our picture has it: the asker may know better where it runs.
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

    /// Anybody may write a marker: only hosts of the picture are kept for good.
    private mutating func noteJoined(_ id: HostID) {
        if picture?.hosts.contains(where: { $0.id == id }) == true {
            joinedUs.insert(id)
        } else if strangers.count < Self.strangerLimit {
            strangers.insert(id)
        }
    }

    /// Serves what a recipient lacks.
    mutating func serve(_ fetch: FetchRecord, by publisher: ModuleID) -> [Action] {
        noteSeen(fetch.ranges, of: StreamID(publisher: publisher, topic: fetch.topic))
        guard let local = locals[publisher] else { return [] }
        return [local.ledger.answer(fetch, epoch: local.epoch, start: local.start)]
    }

    /// What a recipient does not ask for, in front of what it asks for, it has seen. When our journal has never said it, the journal is an older
    /// copy: what was in it is lost, and that is written down.
    mutating func noteSeen(_ missing: [ClosedRange<UInt64>], of stream: StreamID) {
        guard let place = locals.index(forKey: stream.publisher) else { return }
        for next in missing.map(\.lowerBound) where next > 1 {
            guard let range = within(place, { $0.ledger.unknown(next - 1, on: stream.topic) }) else { continue }
            note(.gone(GoneRecord(topic: stream.topic, range: range)), on: GoneRecord.topic, of: stream.publisher)
            counters.noteForgotten(by: stream.publisher, stream.topic, range)
        }
    }

    mutating func headSoon(_ now: Duration) {
        if headDueAt == nil { headDueAt = now + Self.headInterval }
    }
}

extension Relux.Appended {
    /// Said by the same place, for the same cause.
    fileprivate func isLike(_ other: Relux.Appended) -> Bool {
        memberVersion == other.memberVersion && awaitDepth == other.awaitDepth && site == other.site
            && label == other.label && ancestry == other.ancestry
    }
}
