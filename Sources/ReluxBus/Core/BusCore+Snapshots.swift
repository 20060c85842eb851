package import Relux
import ReluxControl

/// The snapshots that modules show: of each type only the latest value counts.
///
/// Design notes. A value is published at once and goes into its owner's journal with the next heads, some 200 ms later at most or when the owner
/// leaves: the courier shows it to who comes when the owner is gone, marked stale. Its version is above all of the owner's earlier lives, as the
/// sequences of its streams are; so nobody goes back, whoever the value comes from.
extension BusCore {
    /// The last snapshot that was heard of an owner elsewhere.
    struct HeardSnapshot: Sendable {
        var version: UInt64
        var isStale: Bool
        /// A newcomer here has not heard it: the same version is taken once more, an older one is not.
        var isWanted = false
    }

    // MARK: Of modules here

    /// The owner's snapshot has changed.
    package mutating func snapshotChanged(_ type: Topic, of owner: ModuleID, payload: [UInt8], now: Duration) -> [Action] {
        guard isHere(owner), !isHeld(owner), let epoch = locals[owner]?.epoch else {
            earlySnapshots[owner, default: [:]][type] = payload
            return []
        }
        // A type without a stream was refused with its module.
        guard !leaving.contains(owner), let topic = Topic.snapshots(of: type) else { return [] }
        guard payload.count <= WireRecord.payloadByteLimit else {
            counters.oversizedSnapshots += 1
            return []
        }
        let stream = StreamID(publisher: owner, topic: topic)
        if let last = snapshots[stream], last.payload == payload[...] { return [] }
        let record = SnapshotRecord(version: (snapshots[stream]?.version ?? epoch.start) + 1, payload: payload[...])
        snapshots[stream] = record
        unwrittenSnapshots.insert(stream)
        headSoon(now)
        return [.publish(stream, epoch, .snapshot(record), tapOnly: false)]
    }

    /// - Parameter owner: nil for all.
    mutating func writeSnapshots(of owner: ModuleID? = nil) {
        guard !unwrittenSnapshots.isEmpty else { return }
        let due = unwrittenSnapshots.filter { owner == nil || $0.publisher == owner }
        unwrittenSnapshots.subtract(due)
        for stream in due.sorted() {
            // A new life mostly shows what the last one did.
            guard let record = snapshots[stream], locals[stream.publisher]?.ledger.snapshots[stream.topic]?.payload != record.payload
            else { continue }
            note(.snapshot(record), on: stream.topic, of: stream.publisher)
        }
    }

    /// A frame was dropped for a slow subscriber: heads are said more often until they are not dropped, then the latest snapshots again.
    package mutating func droppedForSlowSubscriber(now: Duration) {
        hasDropped = true
        if !snapshots.isEmpty { snapshotsDue = true }
        let probe = now + Self.probeInterval
        headDueAt = min(headDueAt ?? probe, probe)
    }

    func repeatSnapshots() -> [Action] {
        snapshots.sorted(by: { $0.key < $1.key }).compactMap { stream, record in
            locals[stream.publisher].map { .publish(stream, $0.epoch, .snapshot(record), tapOnly: false) }
        }
    }

    // MARK: Of modules elsewhere

    func isObserved(_ type: Topic) -> Bool { locals.values.contains { $0.observes.contains(type) } }

    /// Somebody shows a value of that stream now.
    func isFresh(_ topic: Topic) -> Bool { heardSnapshots.contains { $0.key.topic == topic && !$0.value.isStale } }

    /// An older value than the last, or the same one said again for others, is dropped.
    mutating func take(_ snapshot: SnapshotRecord, _ stream: StreamID, _ actions: inout [Action]) {
        let isStale = snapshot.flags.contains(.stale)
        if let last = heardSnapshots[stream], snapshot.version <= last.version {
            // Said again for a newcomer, or by an owner that was taken for gone.
            guard snapshot.version == last.version, last.isWanted || last.isStale && !isStale else { return }
        }
        heardSnapshots[stream] = HeardSnapshot(version: snapshot.version, isStale: isStale)
        actions.append(.snapshot(stream.topic, payload: Array(snapshot.payload), stale: isStale))
    }

    /// The courier says what an owner without a process showed last.
    mutating func takeLast(_ frame: Frame, _ actions: inout [Action]) {
        guard isAbsent(frame.publisher), let type = frame.topic.snapshotType, isObserved(type),
            members[frame.publisher]?.provides.contains(type) == true, frame.epoch >= heardEpochs[frame.publisher] ?? frame.epoch
        else { return }
        for case .snapshot(var snapshot) in frame.records {
            snapshot.flags.insert(.stale)
            take(snapshot, frame.stream, &actions)
        }
    }

    mutating func markStale(_ member: ClusterPicture.Member, _ actions: inout [Action]) {
        for topic in member.provides.compactMap(Topic.snapshots) {
            heardSnapshots[StreamID(publisher: member.module, topic: topic)]?.isStale = true
            actions.append(.snapshot(topic, payload: [], stale: true))
        }
    }
}
