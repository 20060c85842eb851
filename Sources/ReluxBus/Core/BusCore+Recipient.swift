import Relux
import ReluxControl
import ReluxLedger

extension BusCore {
    /// A message came in on the SUB socket.
    package mutating func receive(_ message: [UInt8], now: Duration) -> [Action] {
        counters.framesIn += 1
        defer { leaveAtOnce(now) }
        do {
            if message.first == Self.markerPrefix[0] { return try receiveReady(message, now: now) }
            return receive(try Frame(decoding: message), now: now)
        } catch {
            counters.framesRefused += 1
            return []
        }
    }

    private mutating func receive(_ frame: Frame, now: Duration) -> [Action] {
        guard checkEpoch(frame.publisher, frame.epoch) else { return [] }
        recall(frame.publisher)
        var actions: [Action] = []
        take(frame, now, &actions)
        return actions
    }

    /// The publisher speaks for itself: what was passed over on the courier's word is asked for once more.
    private mutating func recall(_ publisher: ModuleID) {
        guard lives.recall(publisher) else { return }
        for key in inbound.streams.keys.filter({ $0.publisher == publisher }).sorted() {
            inbound.with(key) { $0.recall() }
            inbound.noteProgress(of: key)
        }
    }

    /// - Parameter isPublishers: it comes from the publisher, and not from the courier in its place.
    mutating func take(_ frame: Frame, isPublishers: Bool = true, _ now: Duration, _ actions: inout [Action]) {
        // In a replay: the stream that its records belong to, and the one recipient that asked.
        var topic = frame.topic
        let asker = frame.topic.isReserved ? routes.replayed[frame.topic] : nil
        var hearings = asker == nil ? self.hearings(of: frame.publisher, topic, by: routes.listeners[topic] ?? []) : []
        actions.reserveCapacity(actions.count + frame.records.count)
        for record in frame.records {
            switch record {
            case .stream(let stream):
                guard let asker else { continue }
                topic = stream.topic
                hearings = routes.isHeard(topic, by: asker) ? self.hearings(of: frame.publisher, topic, by: [asker]) : []
            case .effect(let effect):
                guard !topic.isReserved else { continue }
                if effect.flags.contains(.transient) {
                    if asker == nil { for hearing in hearings { hearTransient(effect, frame.stream, by: hearing.key.recipient, &actions) } }
                    continue
                }
                for index in hearings.indices {
                    offer(record, effect.sequence, effect.payload.count, &hearings[index], asker != nil, now, &actions)
                }
            case .settled(let settled):
                guard topic.isReserved else { continue }
                if settled.sequence == 0 {
                    for hearing in hearings { answerTransient(settled, of: hearing.key.recipient, by: frame.publisher, &actions) }
                    continue
                }
                for index in hearings.indices {
                    offer(record, settled.sequence, settled.result.count, &hearings[index], asker != nil, now, &actions)
                }
            case .gone(let gone):
                guard let asker else {
                    loseTransients(gone, of: hearings.map(\.key.recipient), at: frame.publisher, &actions)
                    continue
                }
                let key = InboundKey(recipient: asker, publisher: frame.publisher, topic: gone.topic)
                passOver(gone.range, isPublishers: isPublishers, key, now, &actions)
            case .head(let head):
                if let asker { finishAnswer(head, from: frame.publisher, to: asker, &actions) } else { learn(head, from: frame.publisher, now: now) }
            case .fetch(let fetch):
                guard let publisher = routes.fetched[frame.topic] else { continue }
                actions += serve(fetch, by: publisher)
            case .snapshot(let snapshot): take(snapshot, frame.stream, &actions)
            case .member, .ready, .acked, .cursor, .state, .kept, .attempt, .dead, .request, .refused, .schedule: continue
            }
        }
        request(from: frame.publisher, now: now, &actions)
        askForNames(now, &actions)
    }

    /// A host may answer our marker before its module has joined there; the streams of what speaks now are asked for again.
    private mutating func askForNames(_ now: Duration, _ actions: inout [Action]) {
        guard !lives.unnamed.isEmpty else { return }
        for host in Set(lives.takeUnnamed().compactMap { membership.members[$0]?.host }).sorted() {
            // Our own, while the picture still has a module here that was handed over, is no peer.
            if let peer = peers[host], peer.marker == nil { actions += mark(host, now: now) }
        }
    }

    /// Frames of an earlier life of the publisher are dropped; a later life goes on with its streams.
    private mutating func checkEpoch(_ publisher: ModuleID, _ epoch: Epoch) -> Bool {
        if lives.hear(publisher, epoch) { return true }
        counters.staleEpoch += 1
        return false
    }

    /// Makes the view of a stream that is heard for the first time in this life; false while nobody knows where it starts.
    ///
    /// The view goes on behind the recipient's cursor. Without a cursor it waits for the answer to our marker; what comes before is fetched
    /// afterwards. A stream that the answer did not name began later, in the publisher's present life.
    mutating func open(_ key: InboundKey) -> Bool {
        if inbound.streams.index(forKey: key) != nil { return true }
        if let done = locals[key.recipient]?.ledger.cursors[key.stream] {
            inbound.streams[key] = InboundStream(done: done, head: 0)
            return true
        }
        if let local = locals[key.publisher] {
            begin(key, after: local.ledger.start(of: key.topic, for: key.recipient) ?? local.start)
            return true
        }
        if let host = membership.members[key.publisher]?.host, peers[host]?.marker != nil { return false }
        guard let epoch = lives.namedLife(of: key.publisher) else { return false }
        begin(key, after: epoch.start)
        return true
    }

    /// The recipient hears the stream from that sequence on.
    mutating func begin(_ key: InboundKey, after start: UInt64) {
        inbound.streams[key] = InboundStream(startsAfter: start, head: start)
        if start > 0 { noteDone(0...start, of: key.stream, for: key.recipient) }
    }

    mutating func passOver(
        _ range: ClosedRange<UInt64>, isPublishers: Bool = true, _ key: InboundKey, _ now: Duration, _ actions: inout [Action]
    ) {
        guard inbound.streams[key] != nil else { return }
        var due: [WireRecord] = []
        // Only the courier can speak for a publisher that is no member.
        let isFinal = isPublishers || membership.members[key.publisher] == nil
        for passed in inbound.with(key, { $0.passOver(range, isFinal: isFinal, due: &due) }) ?? [] {
            counters.passedOver &+= 1
            // That a life was left behind on another's word is not written down: the recipient's next life asks the publisher, too.
            if !isFinal, Epoch(start: passed.upperBound) > Epoch(start: passed.lowerBound) {
                lives.leaveBehind(key.publisher)
                continue
            }
            noteDone(passed, of: key.stream, for: key.recipient)
        }
        inbound.with(key) { $0.replayed(now: now) }
        askAgainSoon(key)
        inbound.noteProgress(of: key)
        if key.topic.isReserved { acknowledgeSoon(key, now) }
        var hearing = hearing(key)
        handOver(due, &hearing, now, &actions)
    }

    mutating func acknowledgeSoon(_ key: InboundKey, _ now: Duration) {
        inbound.acknowledge(key)
        clock.headSoon(now)
    }

    // MARK: Heads, markers, requests

    private mutating func learn(_ head: HeadRecord, from publisher: ModuleID, now: Duration) {
        for stream in head.streams {
            for recipient in routes.listeners[stream.topic] ?? [] {
                let key = InboundKey(recipient: recipient, publisher: publisher, topic: stream.topic)
                guard open(key), let known = inbound.streams[key] else { continue }
                inbound.with(key) { $0.learn(head: stream.head) }
                inbound.noteProgress(of: key)
                // Our word that we have these settlements was lost.
                if stream.topic.isReserved, stream.low <= known.lowWater { acknowledgeSoon(key, now) }
            }
        }
        for mark in head.acknowledged where mark.topic == .settlements(of: publisher) {
            taken(mark.module, upTo: mark.lowWater, by: publisher)
        }
    }

    /// A publisher has written down our module's settlements up to there.
    mutating func taken(_ module: ModuleID, upTo mark: UInt64, by publisher: ModuleID) {
        let topic = Topic.settlements(of: publisher)
        guard let state = locals[module]?.ledger.streams[topic], !state.isSettled, state.low <= mark else { return }
        noteDone(0...min(mark, state.head), of: StreamID(publisher: publisher, topic: topic), for: module)
    }

    /// HEAD at the end of a replay: all that was asked for has been answered, as far as the credit went.
    private mutating func finishAnswer(_ head: HeadRecord, from publisher: ModuleID, to asker: ModuleID, _ actions: inout [Action]) {
        for stream in head.streams {
            let key = InboundKey(recipient: asker, publisher: publisher, topic: stream.topic)
            inbound.with(key) { $0.learn(head: stream.head) }
            inbound.with(key) { $0.answered() }
            inbound.noteProgress(of: key)
        }
        if !head.acknowledged.isEmpty { takeWord(head, of: publisher, by: asker, &actions) }
    }

    private mutating func receiveReady(_ message: [UInt8], now: Duration) throws(WireError) -> [Action] {
        let prefix = Self.markerPrefix.count + ReadyRecord.markerByteCount + host.rawValue.utf8.count
        guard message.count > prefix else { throw WireError(.truncated, "a READY answer of \(message.count) bytes") }
        let frame = try Frame(decoding: Array(message[prefix...]))
        var actions: [Action] = []
        for case .ready(let ready) in frame.records {
            var publishers: Set<ModuleID> = []
            for stream in ready.streams {
                guard checkEpoch(stream.publisher, stream.epoch) else { continue }
                publishers.insert(stream.publisher)
                lives.name(stream.publisher, stream.epoch)
                for recipient in routes.listeners[stream.topic] ?? [] {
                    let key = InboundKey(recipient: recipient, publisher: stream.publisher, topic: stream.topic)
                    if inbound.streams[key] == nil, locals[recipient]?.ledger.cursors[key.stream] == nil {
                        // A publisher that does not know the recipient yet counts it in from some later record on.
                        begin(key, after: stream.starts.first { $0.recipient == recipient }?.after ?? stream.head)
                    }
                    guard open(key) else { continue }
                    inbound.with(key) { $0.learn(head: stream.head) }
                    inbound.with(key) { $0.recall() }
                    inbound.noteProgress(of: key)
                }
            }
            learnUnnamed(of: publishers, besides: Set(ready.streams.map { StreamID(publisher: $0.publisher, topic: $0.topic) }))
            let marker = Array(ready.marker)
            if peers.note(answered: marker, by: { frame.publisher == Self.speaker(of: $0) }) { actions.append(.unsubscribe(subscription(for: marker))) }
            for publisher in publishers.sorted() { request(from: publisher, now: now, &actions) }
        }
        if isJoined { actions.append(.joined) }
        return actions
    }

    /// Streams that a publisher has said something on and does not know any more: they begin with its present life. Asking for what they have not
    /// told us tells the publisher what it has lost; see ``noteSeen(_:of:)``.
    mutating func learnUnnamed(of publishers: Set<ModuleID>, besides named: Set<StreamID>) {
        for key in inbound.streams.keys.filter({ publishers.contains($0.publisher) && !named.contains($0.stream) }).sorted() {
            guard let epoch = locals[key.publisher]?.epoch ?? lives.named[key.publisher] else { continue }
            inbound.with(key) { $0.learn(head: epoch.start) }
            inbound.with(key) { $0.recall() }
            inbound.noteProgress(of: key)
        }
    }

    /// Asks a publisher elsewhere, or the courier when it has no process, for what is missing; what one of this process has said is taken at once.
    mutating func request(from publisher: ModuleID, now: Duration, _ actions: inout [Action]) {
        guard inbound.repairs, !inbound.lagging.isEmpty else { return }
        let members = membership.members
        for key in inbound.lagging.filter({ $0.publisher == publisher && Self.mayRequest($0, members) }).sorted() {
            if locals[publisher] != nil {
                takeFromNeighbour(key, now, &actions)
                continue
            }
            let isAbsent = isAbsent(publisher)
            let patience = isAbsent ? Self.courierPatience : InboundStream<WireRecord>.patience
            guard let ranges = inbound.with(key, { $0.request(now: now, patience: patience) }), !ranges.isEmpty,
                let local = locals[key.recipient]
            else { continue }
            clock.headSoon(now)
            if isAbsent {
                actions.append(.askCourier(.records(of: publisher, topic: key.topic, ranges: ranges, for: key.recipient)))
                continue
            }
            let stream = StreamID(publisher: key.recipient, topic: Self.fetch(from: publisher))
            let record = FetchRecord(requester: key.recipient, topic: key.topic, ranges: local.ledger.telling(ranges, of: key.stream))
            actions.append(.publish(stream, local.epoch, .fetch(record), tapOnly: false))
            askAgainSoon(key)
        }
    }

    /// An answer that stays away, or is not whole, is not waited for until the next heads.
    mutating func askAgainSoon(_ key: InboundKey) {
        if let end = inbound.streams[key]?.patienceEnds { clock.askAgain(by: end) }
    }

    private mutating func takeFromNeighbour(_ key: InboundKey, _ now: Duration, _ actions: inout [Action]) {
        while inbound.lagging.contains(key), let ranges = inbound.with(key, { $0.request(now: now) }), !ranges.isEmpty,
            let answer = serve(ranges, ofNeighbour: key), !answer.isEmpty
        {
            for part in answer {
                switch part {
                case .record(let record): offer(record, record.sequence, record.byteCount, key, true, now, &actions)
                case .gone(let range): passOver(range, key, now, &actions)
                }
            }
            inbound.with(key) { $0.answered() }
        }
    }

    private mutating func serve(_ ranges: [ClosedRange<UInt64>], ofNeighbour key: InboundKey) -> [OutboundStream.Answer]? {
        keepDrafted(key.topic, of: key.publisher)
        noteSeen(locals[key.recipient]?.ledger.telling(ranges, of: key.stream) ?? ranges, of: key.stream)
        guard let local = locals[key.publisher] else { return nil }
        // A stream that its journal does not know was lost with the power: it goes on behind what any earlier life can have said.
        return (local.ledger.streams[key.topic] ?? OutboundStream(head: local.start)).serve(ranges, to: key.recipient)
    }

    /// The host hears us only now: what was asked of its modules before was lost on the way.
    mutating func requestAgain(from host: HostID, now: Duration, _ actions: inout [Action]) {
        let members = membership.members
        let unheard = inbound.lagging.filter { members[$0.publisher]?.host == host }
        for key in unheard { inbound.with(key) { $0.requestWasLost() } }
        for publisher in Set(unheard.map(\.publisher)).sorted() { request(from: publisher, now: now, &actions) }
    }

    /// Nothing can be judged for a recipient that is no member yet. Static: a closure that calls a method copies the whole core.
    static func mayRequest(_ key: InboundKey, _ members: [ModuleID: ClusterPicture.Member]) -> Bool {
        key.topic.isReserved || members[key.recipient] != nil
    }
}
