package import Relux
import ReluxControl
import ReluxLedger

/// The snapshots that modules show: of each type only the latest value counts.
///
/// Design notes. A value is published at once and goes into its owner's journal with the next heads, some 200 ms later at most or when the owner
/// leaves: the courier shows it to who comes when the owner is gone, marked stale. Its version is above all of the owner's earlier lives, as the
/// sequences of its streams are; so nobody goes back, whoever the value comes from.
extension BusCore {
    // MARK: Of modules here

    /// The owner's snapshot has changed.
    package mutating func snapshotChanged(_ type: Topic, of owner: ModuleID, payload: [UInt8], now: Duration) -> [Action] {
        guard isHere(owner), !isHeld(owner), let epoch = locals[owner]?.epoch else {
            early.show(type, of: owner, payload)
            return []
        }
        // A type without a stream was refused with its module.
        guard !leaving.contains(owner), let topic = Topic.snapshots(of: type) else { return [] }
        guard payload.count <= WireRecord.payloadByteLimit else {
            counters.oversizedSnapshots += 1
            return []
        }
        let stream = StreamID(publisher: owner, topic: topic)
        guard let record = snapshots.show(payload, on: stream, behind: epoch.start) else { return [] }
        clock.headSoon(now)
        return [.publish(stream, epoch, .snapshot(record), tapOnly: false)]
    }

    /// - Parameter owner: nil for all.
    mutating func writeSnapshots(of owner: ModuleID? = nil) {
        for (stream, record) in snapshots.takeUnwritten(of: owner) {
            // A new life mostly shows what the last one did.
            guard locals[stream.publisher]?.ledger.snapshots[stream.topic]?.payload != record.payload else { continue }
            note(.snapshot(record), on: stream.topic, of: stream.publisher)
        }
    }

    /// A frame was dropped for a slow subscriber: heads are said more often until they are not dropped, then the latest snapshots again.
    package mutating func droppedForSlowSubscriber(now: Duration) {
        if !snapshots.shown.isEmpty { snapshots.isRepeatDue = true }
        clock.noteDrop(now)
    }

    func repeatSnapshots() -> [Action] {
        snapshots.shown.sorted(by: { $0.key < $1.key }).compactMap { stream, record in
            locals[stream.publisher].map { .publish(stream, $0.epoch, .snapshot(record), tapOnly: false) }
        }
    }

    // MARK: Of modules elsewhere

    func isObserved(_ type: Topic) -> Bool { locals.values.contains { $0.observes.contains(type) } }

    /// Somebody shows a value of that stream now.
    func isFresh(_ topic: Topic) -> Bool { snapshots.isFresh(topic) }

    /// - Parameter snapshot: stale, too, if its owner has no process: the frame was on its way when the broker said so.
    mutating func take(_ snapshot: SnapshotRecord, _ stream: StreamID, _ actions: inout [Action]) {
        var snapshot = snapshot
        if isAbsent(stream.publisher) { snapshot.flags.insert(.stale) }
        guard snapshots.take(snapshot, on: stream) else { return }
        actions.append(.snapshot(stream.topic, payload: Array(snapshot.payload), stale: snapshot.flags.contains(.stale)))
    }

    /// The courier says what an owner without a process showed last.
    mutating func takeLast(_ frame: Frame, _ actions: inout [Action]) {
        guard isAbsent(frame.publisher), let type = frame.topic.snapshotType, isObserved(type),
            membership.members[frame.publisher]?.provides.contains(type) == true, frame.epoch >= lives.heard[frame.publisher] ?? frame.epoch
        else { return }
        for case .snapshot(let snapshot) in frame.records { take(snapshot, frame.stream, &actions) }
    }

    mutating func markStale(_ member: ClusterPicture.Member, _ actions: inout [Action]) {
        for topic in member.provides.compactMap(Topic.snapshots) {
            snapshots.heard[StreamID(publisher: member.module, topic: topic)]?.isStale = true
            actions.append(.snapshot(topic, payload: [], stale: true))
        }
    }
}
