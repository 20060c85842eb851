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
        guard let local = locals[stream.publisher] else { return }
        announce(stream, appended, epoch: local.epoch, &actions)
        let milliseconds = appended.remaining.map { UInt64(max(1, $0 / .milliseconds(1))) } ?? 0
        let record = WireRecord.effect(
            EffectRecord(
                position: appended.id.position, sequence: appended.sequence, caseName: appended.caseName,
                ancestry: appended.ancestry, awaitDepth: appended.awaitDepth,
                remainingDeadlineMilliseconds: milliseconds, memberVersion: appended.memberVersion,
                flags: appended.remote.isEmpty && appended.local.isEmpty ? .unhandled : [],
                site: CallSite(
                    file: appended.site.file, line: appended.site.line,
                    function: appended.site.function),
                label: appended.label, wallTimeMilliseconds: wallTime, payload: appended.payload[...]))
        outbound[stream, default: OutboundStream()].append(
            record, sequence: appended.sequence, outstanding: appended.remote)
        if !appended.remote.isEmpty {
            positions[appended.id] = (appended.topic, appended.sequence)
            headSoon(now)
        }
        actions.append(.publish(stream, local.epoch, record, tapOnly: false))
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
        guard let local = locals[settled.recipient] else { return [] }
        let publisher = settled.id.module
        let stream = StreamID(publisher: settled.recipient, topic: .settlements(of: publisher))
        let status: SettledRecord.Status = settled.result.isSuccess ? .succeeded : .failed
        var record = SettledRecord(
            sequence: 0, position: settled.id.position, status: status,
            durationMicroseconds: UInt64(max(0, settled.duration / .microseconds(1))), result: result[...])
        if settled.isLocal { return [.publish(stream, local.epoch, .settled(record), tapOnly: true)] }
        let sequence = settledSequences[stream, default: 0] + 1
        settledSequences[stream] = sequence
        record.sequence = sequence
        outbound[stream, default: OutboundStream()].append(
            .settled(record), sequence: sequence, outstanding: [publisher])
        headSoon(now)
        return [.publish(stream, local.epoch, .settled(record), tapOnly: false)]
    }

    /// The owner's snapshot has changed.
    package mutating func snapshotChanged(_ type: Topic, of owner: ModuleID, payload: [UInt8]) -> [Action] {
        guard let local = locals[owner] else { return [] }
        let stream = StreamID(publisher: owner, topic: Self.snapshot(type))
        let record = SnapshotRecord(version: (snapshots[stream]?.version ?? 0) + 1, payload: payload[...])
        snapshots[stream] = record
        return [.publish(stream, local.epoch, .snapshot(record), tapOnly: false)]
    }

    /// Says the latest snapshots again, after a drop or for a late joiner.
    package func repeatSnapshots() -> [Action] {
        snapshots.compactMap { stream, record in
            locals[stream.publisher].map { .publish(stream, $0.epoch, .snapshot(record), tapOnly: false) }
        }
    }

    /// A subscription came in on the XPUB; only a marker is of interest.
    package mutating func subscribed(_ subscription: [UInt8]) -> [Action] {
        let prefix = Self.markerPrefix
        guard subscription.starts(with: prefix), subscription.count > prefix.count + ReadyRecord.markerByteCount else {
            return []
        }
        let marker = subscription[prefix.count..<(prefix.count + ReadyRecord.markerByteCount)]
        let name = String(decoding: subscription[(prefix.count + ReadyRecord.markerByteCount)...], as: UTF8.self)
        let asker = HostID(rawValue: name)
        joinedUs.insert(asker)
        let recipients = members.values.filter { $0.host == asker }.map(\.module)
        var streams: [ReadyRecord.Stream] = []
        for (id, local) in locals {
            // Named even when it has said nothing yet, so that the asker knows its epoch.
            streams.append(.init(publisher: id, epoch: local.epoch, topic: Self.head(of: id), head: 0, starts: []))
            for (stream, state) in outbound where stream.publisher == id {
                let starts = recipients.filter { hears(stream, recipient: $0) }
                    .map { ReadyRecord.Start(recipient: $0, after: state.start(for: $0)) }
                streams.append(
                    .init(publisher: id, epoch: local.epoch, topic: stream.topic, head: state.head, starts: starts))
            }
        }
        var actions: [Action] = [.ready(prefix: subscription, from: Self.speaker(of: host), ReadyRecord(marker: marker, streams: streams))]
        actions += repeatSnapshots()
        if isJoined { actions.append(.joined) }
        return actions
    }

    private func hears(_ stream: StreamID, recipient: ModuleID) -> Bool {
        if let publisher = stream.topic.settledPublisher { return publisher == recipient }
        return members[recipient]?.handles.contains(stream.topic) == true
    }

    /// Serves what a recipient lacks. What it has settled already, or never has to see, is said to be gone.
    func serve(_ fetch: FetchRecord, by publisher: ModuleID) -> [Action] {
        let stream = StreamID(publisher: publisher, topic: fetch.topic)
        guard let local = locals[publisher], let state = outbound[stream] else { return [] }
        let (records, gone) = state.serve(fetch.ranges, to: fetch.requester)
        var answer: [WireRecord] = [.stream(StreamRecord(topic: fetch.topic))]
        answer += gone.map { .gone(GoneRecord(topic: fetch.topic, range: $0)) }
        answer += records
        guard answer.count > 1 else { return [] }
        return [.replay(topic: Self.replay(for: fetch.requester), publisher: publisher, local.epoch, answer)]
    }

    mutating func headSoon(_ now: Duration) {
        if headDueAt == nil { headDueAt = now + Self.headInterval }
    }
}
