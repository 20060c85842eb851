import Relux

extension BusCore {
    /// When ``tick(now:)`` has something to do at the latest; nil when nothing is unsettled.
    package var nextTick: Duration? { headDueAt }

    /// Says the heads of what is unsettled and how far settlements have come in, and asks again for what is missing.
    package mutating func tick(now: Duration) -> [Action] {
        guard let due = headDueAt, due <= now else { return [] }
        headDueAt = nil
        var actions: [Action] = []
        for (id, local) in locals { sayHead(of: id, local, &actions) }
        for publisher in Set(inbound.filter { !$0.value.isComplete }.map(\.key.publisher)) {
            request(from: publisher, now: now, &actions)
            headSoon(now)
        }
        askAgain(now: now, &actions)
        if outbound.contains(where: { !$0.value.isSettled }) || !isJoined { headSoon(now) }
        return actions
    }

    private mutating func sayHead(of id: ModuleID, _ local: Local, _ actions: inout [Action]) {
        let streams = outbound.filter { $0.key.publisher == id && !$0.value.isSettled }
            .map { HeadRecord.Stream(topic: $0.key.topic, low: $0.value.low, head: $0.value.head) }
        let isAcknowledging = acknowledgementsChanged.remove(id) != nil
        guard !streams.isEmpty || isAcknowledging else { return }
        let acknowledged = inbound.filter { $0.key.recipient == id && $0.key.topic.settledPublisher == id }
            .map {
                HeadRecord.Acknowledgement(module: $0.key.publisher, topic: $0.key.topic, lowWater: $0.value.lowWater)
            }
        actions.append(
            .publish(
                StreamID(publisher: id, topic: Self.head(of: id)), local.epoch,
                .head(HeadRecord(streams: streams, acknowledged: acknowledged)), tapOnly: false))
    }

    /// A marker that was not answered for a second is sent again under a fresh name.
    private mutating func askAgain(now: Duration, _ actions: inout [Action]) {
        for (id, peer) in peers {
            guard peer.marker != nil, now - peer.askedAt > .seconds(1) else { continue }
            actions += mark(id, now: now)
        }
    }
}
