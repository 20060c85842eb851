import Relux

extension BusCore {
    /// When ``BusCore/tick(now:)`` has something to do at the latest; nil when nothing is unsettled.
    package var nextTick: Duration? {
        guard let askAgainAt else { return headDueAt }
        return min(askAgainAt, headDueAt ?? askAgainAt)
    }

    /// Says the heads of what is unsettled and how far settlements have come in, and asks again for what is missing.
    package mutating func tick(now: Duration) -> [Action] {
        var actions: [Action] = []
        if let due = askAgainAt, due <= now { askForRest(now, &actions) }
        guard let due = headDueAt, due <= now else { return actions }
        headDueAt = nil
        // After a drop, what is said now shows whether there is room again.
        let isProbe = hasDropped
        hasDropped = false
        sayHeads(&actions)
        writeSnapshots()
        machine = machine.filter { locals[$0]?.ledger.owesMachine == true }
        for publisher in Set(lagging.map(\.publisher)).sorted() { request(from: publisher, now: now, &actions) }
        askAgain(now: now, &actions)
        askHeadsAgain(now: now, &actions)
        if !doubts.isEmpty { askDoubted(now: now, &actions) }
        if snapshotsDue {
            if isProbe { headDueAt = now + Self.probeInterval } else { actions += repeatSnapshots() }
            snapshotsDue = isProbe
        }
        for id in leaving.sorted() where !owes(id) {
            purge(id)
            actions.append(.left(id))
            actions += refresh(now: now)
        }
        transients.expire(now: now)
        let members = members
        let isWaiting = !transients.isEmpty || lagging.contains { Self.mayRequest($0, members) } || !unansweredHeads.isEmpty || !doubts.isEmpty
            || (picture != nil && !isJoined)
        if isWaiting || locals.values.contains(where: { isOwedAnswers($0.ledger) }) { headSoon(now) }
        return actions
    }

    private mutating func askForRest(_ now: Duration, _ actions: inout [Action]) {
        askAgainAt = nil
        for publisher in Set(lagging.map(\.publisher)).sorted() { request(from: publisher, now: now, &actions) }
        for end in lagging.compactMap({ inbound[$0]?.patienceEnds }) where end > now { askAgainAt = min(askAgainAt ?? end, end) }
    }

    /// Streams or acknowledgements in one HEAD, so that its record stays far below the limit.
    private static let headCount = 1024

    private mutating func sayHeads(_ actions: inout [Action]) {
        var streams: [ModuleID: [HeadRecord.Stream]] = [:]
        for (id, local) in locals {
            for (topic, state) in local.ledger.streams.sorted(by: { $0.key < $1.key }) where !state.isSettled {
                streams[id, default: []].append(.init(topic: topic, low: state.low, head: state.head))
            }
        }
        var acknowledged: [ModuleID: [HeadRecord.Acknowledgement]] = [:]
        for key in acknowledgements.sorted() {
            guard let lowWater = inbound[key]?.lowWater else { continue }
            if locals[key.publisher] != nil {
                if machine.contains(key.recipient) { pressing.insert(key.recipient) }
                taken(key.publisher, upTo: lowWater, by: key.recipient)
                continue
            }
            acknowledged[key.recipient, default: []]
                .append(.init(module: key.publisher, topic: key.topic, lowWater: lowWater))
        }
        acknowledgements = []
        for id in Set(streams.keys).union(acknowledged.keys).sorted() {
            guard let epoch = locals[id]?.epoch else { continue }
            var (streams, acknowledged) = (streams[id, default: []][...], acknowledged[id, default: []][...])
            while !streams.isEmpty || !acknowledged.isEmpty {
                let head = HeadRecord(
                    streams: Array(streams.prefix(Self.headCount)), acknowledged: Array(acknowledged.prefix(Self.headCount)))
                if !head.acknowledged.isEmpty, machine.contains(id) { pressing.insert(id) }
                streams = streams.dropFirst(Self.headCount)
                acknowledged = acknowledged.dropFirst(Self.headCount)
                actions.append(.publish(StreamID(publisher: id, topic: Self.head(of: id)), epoch, .head(head), tapOnly: false))
            }
        }
    }

    /// A marker that was not answered in time is sent again under a fresh name, each time after a longer wait.
    private mutating func askAgain(now: Duration, _ actions: inout [Action]) {
        for (id, peer) in peers.sorted(by: { $0.key < $1.key }) where peer.marker != nil && now - peer.askedAt >= peer.patience {
            peers[id]?.patience = min(peer.patience * 2, .seconds(8))
            actions += mark(id, now: now)
        }
    }
}
