package import Relux

extension BusCore {
    /// Modules of this process have said something.
    package mutating func append(_ batch: [Relux.Appended], wallTime: UInt64, now: Duration) -> [Action] {
        var actions: [Action] = []
        actions.reserveCapacity(batch.count)
        for appended in batch { append(appended, wallTime: wallTime, now: now, &actions) }
        return actions
    }

    private mutating func append(
        _ appended: Relux.Appended, wallTime: UInt64, now: Duration, _ actions: inout [Action]
    ) {
        let stream = StreamID(publisher: appended.id.module, topic: appended.topic)
        guard let local = locals[stream.publisher] else {
            if early[stream.publisher, default: []].count < Self.earlyLimit {
                early[stream.publisher, default: []].append((appended, wallTime))
            } else {
                counters.refusedEarly += 1
                actions.append(.overloaded(appended.id, recipients: appended.remote))
            }
            return
        }
        // One that was removed meanwhile has been settled as lost.
        let remote = appended.remote.allSatisfy(isRecipient) ? appended.remote : appended.remote.filter(isRecipient)
        announce(stream, appended, epoch: local.epoch, &actions)
        let record = WireRecord.effect(
            EffectRecord(
                position: appended.id.position, sequence: appended.sequence, caseName: appended.caseName,
                ancestry: appended.ancestry, awaitDepth: appended.awaitDepth,
                remainingDeadlineMilliseconds: appended.remaining.map(Self.milliseconds) ?? 0,
                memberVersion: appended.memberVersion,
                flags: appended.remote.isEmpty && appended.local.isEmpty ? .unhandled : [],
                site: CallSite(
                    file: Self.cut(appended.site.file), line: appended.site.line, function: Self.cut(appended.site.function)),
                label: Self.cut(appended.label), wallTimeMilliseconds: wallTime, payload: appended.payload[...]))
        let byteCount = appended.payload.count + Self.recordOverhead
        outbound[stream, default: OutboundStream()]
            .append(record, sequence: appended.sequence, byteCount: byteCount, outstanding: remote)
        if !remote.isEmpty {
            positions[appended.id] = (appended.topic, appended.sequence)
            for recipient in remote { account(byteCount, for: recipient) }
            headSoon(now)
        }
        actions.append(.publish(stream, local.epoch, record, tapOnly: false))
        // Accepted when the recipient was still expected elsewhere: nobody fetches from its own process.
        guard case .effect(let effect) = record else { return }
        for recipient in remote where locals[recipient]?.hasCaughtUp == true {
            actions.append(.deliver(effect, publisher: stream.publisher, topic: stream.topic, to: recipient))
        }
    }

    /// A module has come into this process: hands it what its neighbours had said for it, in their order.
    ///
    /// Called once all that was accepted before it came has been appended. Its settlements count like any neighbour's.
    package mutating func catchUp(_ recipient: ModuleID) -> [Action] {
        guard let local = locals[recipient], !local.isLeaving, !local.hasCaughtUp else { return [] }
        locals[recipient]?.hasCaughtUp = true
        var missed: [(stream: StreamID, effect: EffectRecord)] = []
        for (stream, state) in outbound where !stream.topic.isReserved {
            for case .effect(let effect) in state.outstanding(for: recipient) { missed.append((stream, effect)) }
        }
        missed.sort { ($0.stream.publisher, $0.effect.position) < ($1.stream.publisher, $1.effect.position) }
        return missed.map { .deliver($0.effect, publisher: $0.stream.publisher, topic: $0.stream.topic, to: recipient) }
    }

    /// What the module said before it had joined.
    mutating func appendEarly(_ module: ModuleID, now: Duration) -> [Action] {
        var actions: [Action] = []
        for (appended, wallTime) in early.removeValue(forKey: module) ?? [] {
            append(appended, wallTime: wallTime, now: now, &actions)
        }
        for (type, payload) in earlySnapshots.removeValue(forKey: module) ?? [:] {
            actions += snapshotChanged(type, of: module, payload: payload)
        }
        return actions
    }

    private func isRecipient(_ module: ModuleID) -> Bool { picture == nil || members[module] != nil }

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
        let bytes = unsettledBytes[recipient, default: 0] + byteCount
        unsettledBytes[recipient] = bytes > 0 ? bytes : nil
        if bytes > unsettledByteLimit {
            overloaded.insert(recipient)
        } else if !overloaded.isEmpty, bytes <= unsettledByteLimit / 8 * 7 {
            // A little room first, so that the waiting ones are not woken for each settlement.
            overloaded.remove(recipient)
        }
    }

    /// MEMBER goes before the first record that counts with other recipients than the one before.
    private mutating func announce(
        _ stream: StreamID, _ appended: Relux.Appended, epoch: Epoch, _ actions: inout [Action]
    ) {
        let recipients = appended.local + appended.remote
        guard announced[stream] != recipients else { return }
        announced[stream] = recipients
        actions.append(
            .publish(
                stream, epoch,
                .member(
                    MemberRecord(
                        sequence: appended.sequence - 1, version: appended.memberVersion, recipients: recipients)),
                tapOnly: false))
    }

    /// A recipient of this process has settled an effect.
    package mutating func settled(_ settled: Relux.Settled, result: [UInt8], now: Duration) -> [Action] {
        self.settled(
            settled.id, by: settled.recipient, status: settled.result.isSuccess ? .succeeded : .failed,
            duration: settled.duration, result: result, isLocal: settled.isLocal, now: now)
    }

    package mutating func settled(
        _ effect: EffectID, by recipient: ModuleID, status: SettledRecord.Status, duration: Duration, result: [UInt8],
        isLocal: Bool, now: Duration
    ) -> [Action] {
        guard let local = locals[recipient] else { return [] }
        let publisher = effect.module
        let stream = StreamID(publisher: recipient, topic: .settlements(of: publisher))
        var record = SettledRecord(
            sequence: 0, position: effect.position, status: status,
            durationMicroseconds: UInt64(max(0, duration / .microseconds(1))), result: result[...])
        if isLocal || locals[publisher] != nil {
            // It may have been kept for this recipient from the time before it came.
            let topic = settle(effect, by: recipient)
            let shown = Action.publish(stream, local.epoch, .settled(record), tapOnly: true)
            return isLocal ? [shown] : [shown, .settle(effect, topic: topic ?? stream.topic, by: recipient, record)]
        }
        let sequence = settledSequences[stream, default: 0] + 1
        settledSequences[stream] = sequence
        record.sequence = sequence
        outbound[stream, default: OutboundStream()]
            .append(
                .settled(record), sequence: sequence, byteCount: result.count + Self.recordOverhead,
                outstanding: buried.contains(publisher) ? [] : [publisher])
        headSoon(now)
        return [.publish(stream, local.epoch, .settled(record), tapOnly: false)]
    }

    /// The owner's snapshot has changed.
    package mutating func snapshotChanged(_ type: Topic, of owner: ModuleID, payload: [UInt8]) -> [Action] {
        guard let local = locals[owner] else {
            earlySnapshots[owner, default: [:]][type] = payload
            return []
        }
        // A type without a stream was refused with its module.
        guard !local.isLeaving, let topic = Topic.snapshots(of: type) else { return [] }
        guard payload.count <= WireRecord.payloadByteLimit else {
            counters.oversizedSnapshots += 1
            return []
        }
        let stream = StreamID(publisher: owner, topic: topic)
        if let last = snapshots[stream], last.payload == payload[...] { return [] }
        let record = SnapshotRecord(version: (snapshots[stream]?.version ?? 0) + 1, payload: payload[...])
        snapshots[stream] = record
        return [.publish(stream, local.epoch, .snapshot(record), tapOnly: false)]
    }

    /// A frame was dropped for a slow subscriber: with the next heads the latest snapshots are said again.
    package mutating func droppedForSlowSubscriber(now: Duration) {
        guard !snapshots.isEmpty else { return }
        snapshotsDue = true
        headSoon(now)
    }

    func repeatSnapshots() -> [Action] {
        snapshots.sorted(by: { $0.key < $1.key }).compactMap { stream, record in
            locals[stream.publisher].map { .publish(stream, $0.epoch, .snapshot(record), tapOnly: false) }
        }
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
        }
        for (stream, state) in outbound.sorted(by: { $0.key < $1.key }) {
            guard let local = locals[stream.publisher] else { continue }
            // Of whomever a record waits for, wherever our picture has it: the asker may know better where it runs.
            let starts = state.starts().map { ReadyRecord.Start(recipient: $0.key, after: $0.value) }
            streams.append(
                .init(publisher: stream.publisher, epoch: local.epoch, topic: stream.topic, head: state.head, starts: starts))
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

    /// Serves what a recipient lacks, in order. What it has settled already, or never has to see, is said to be gone.
    func serve(_ fetch: FetchRecord, by publisher: ModuleID) -> [Action] {
        let stream = StreamID(publisher: publisher, topic: fetch.topic)
        guard let local = locals[publisher], let state = outbound[stream] else { return [] }
        var answer: [WireRecord] = [.stream(StreamRecord(topic: fetch.topic))]
        for part in state.serve(fetch.ranges, to: fetch.requester) {
            switch part {
            case .record(let record): answer.append(record)
            case .gone(let range): answer.append(.gone(GoneRecord(topic: fetch.topic, range: range)))
            }
        }
        // The end of the answer: the asker may ask for more at once.
        answer.append(.head(HeadRecord(streams: [.init(topic: fetch.topic, low: state.low, head: state.head)])))
        return [.replay(topic: Self.replay(for: fetch.requester), publisher: publisher, local.epoch, answer)]
    }

    mutating func headSoon(_ now: Duration) {
        if headDueAt == nil { headDueAt = now + Self.headInterval }
    }
}
