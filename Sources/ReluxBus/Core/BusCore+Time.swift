import Relux
import ReluxLedger

extension BusCore {
    /// When ``BusCore/tick(now:)`` has something to do at the latest; nil when nothing is unsettled.
    package var nextTick: Duration? { clock.next }

    /// Says the heads of what is unsettled and how far settlements have come in, and asks again for what is missing.
    package mutating func tick(now: Duration) -> [Action] {
        var actions: [Action] = []
        if clock.takeAskAgain(now) { askForRest(now, &actions) }
        // After a drop, what is said now shows whether there is room again.
        guard let isProbe = clock.takeHead(now) else { return actions }
        sayHeads(&actions)
        writeSnapshots()
        machine.keep { locals[$0]?.ledger.owesMachine == true }
        for publisher in inbound.laggards { request(from: publisher, now: now, &actions) }
        askAgain(now: now, &actions)
        actions += questions.takeDue(now: now, patience: Self.courierPatience).map { .askCourier($0) }
        if !inbound.doubts.isEmpty { askDoubted(now: now, &actions) }
        if snapshots.isRepeatDue {
            if isProbe { clock.head(by: now + HeadClock.probeInterval) } else { actions += repeatSnapshots() }
            snapshots.isRepeatDue = isProbe
        }
        for id in leaving.sorted() where !owes(id) {
            purge(id)
            actions.append(.left(id))
            actions += refresh(now: now)
        }
        transients.expire(now: now)
        let members = membership.members
        let isWaiting = !transients.isEmpty || inbound.lagging.contains { Self.mayRequest($0, members) } || !questions.isEmpty || !inbound.doubts.isEmpty
            || (membership.isKnown && !isJoined)
        if isWaiting || locals.values.contains(where: { isOwedAnswers($0.ledger) }) { clock.headSoon(now) }
        return actions
    }

    private mutating func askForRest(_ now: Duration, _ actions: inout [Action]) {
        for publisher in inbound.laggards { request(from: publisher, now: now, &actions) }
        for end in inbound.lagging.compactMap({ inbound.streams[$0]?.patienceEnds }) where end > now { clock.askAgain(by: end) }
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
        for (key, lowWater) in inbound.takeAcknowledgements() {
            if locals[key.publisher] != nil {
                machine.pressAgain(key.recipient)
                taken(key.publisher, upTo: lowWater, by: key.recipient)
                continue
            }
            acknowledged[key.recipient, default: []]
                .append(.init(module: key.publisher, topic: key.topic, lowWater: lowWater))
        }
        for id in Set(streams.keys).union(acknowledged.keys).sorted() {
            guard let epoch = locals[id]?.epoch else { continue }
            var (streams, acknowledged) = (streams[id, default: []][...], acknowledged[id, default: []][...])
            while !streams.isEmpty || !acknowledged.isEmpty {
                let head = HeadRecord(
                    streams: Array(streams.prefix(Self.headCount)), acknowledged: Array(acknowledged.prefix(Self.headCount)))
                if !head.acknowledged.isEmpty { machine.pressAgain(id) }
                streams = streams.dropFirst(Self.headCount)
                acknowledged = acknowledged.dropFirst(Self.headCount)
                actions.append(.publish(StreamID(publisher: id, topic: Self.head(of: id)), epoch, .head(head), tapOnly: false))
            }
        }
    }

    /// A marker that was not answered in time is sent again under a fresh name, each time after a longer wait.
    private mutating func askAgain(now: Duration, _ actions: inout [Action]) {
        for id in peers.takeImpatient(now: now) { actions += mark(id, now: now) }
    }
}
