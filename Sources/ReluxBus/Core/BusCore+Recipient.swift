import Relux

extension BusCore {
    /// A message came in on the SUB socket.
    package mutating func receive(_ message: [UInt8], now: Duration) -> [Action] {
        counters.framesIn += 1
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
        var actions: [Action] = []
        // Of a replay, the stream that its records belong to, and the one recipient that asked.
        var topic = frame.topic
        let asker = frame.topic.isReserved ? replayed[frame.topic] : nil
        var hearers = asker == nil ? listeners[topic] ?? [] : []
        for record in frame.records {
            switch record {
            case .stream(let stream):
                guard let asker else { continue }
                topic = stream.topic
                hearers = listeners[topic]?.contains(asker) == true ? [asker] : []
            case .effect(let effect):
                guard !topic.isReserved else { continue }
                for recipient in hearers {
                    let key = InboundKey(recipient: recipient, publisher: frame.publisher, topic: topic)
                    offer(record, effect.sequence, effect.payload.count, key, asker != nil, now, &actions)
                }
            case .settled(let settled):
                // Number zero settles for a neighbour in the publisher's own process; only taps need to hear it.
                guard topic.isReserved, settled.sequence > 0 else { continue }
                for recipient in hearers {
                    let key = InboundKey(recipient: recipient, publisher: frame.publisher, topic: topic)
                    offer(record, settled.sequence, settled.result.count, key, asker != nil, now, &actions)
                }
            case .gone(let gone):
                guard let asker else { continue }
                passOver(gone.range, InboundKey(recipient: asker, publisher: frame.publisher, topic: gone.topic), now, &actions)
            case .head(let head):
                if let asker { finishAnswer(head, from: frame.publisher, to: asker) } else { learn(head, from: frame.publisher, now: now) }
            case .fetch(let fetch):
                guard let publisher = fetched[frame.topic] else { continue }
                actions += serve(fetch, by: publisher)
            case .snapshot(let snapshot): take(snapshot, frame.stream, &actions)
            case .member, .ready: continue
            }
        }
        request(from: frame.publisher, now: now, &actions)
        return actions
    }

    /// Frames of an earlier life of the publisher are dropped; a later life starts its streams anew.
    private mutating func checkEpoch(_ publisher: ModuleID, _ epoch: Epoch) -> Bool {
        if let known = heardEpochs[publisher] {
            if epoch == known { return true }
            if epoch < known {
                counters.staleEpoch += 1
                return false
            }
            forgetHeard { $0.publisher == publisher }
            heardSnapshots = heardSnapshots.filter { $0.key.publisher != publisher }
        }
        heardEpochs[publisher] = epoch
        buried.remove(publisher)
        return true
    }

    private mutating func offer(
        _ record: WireRecord, _ sequence: UInt64, _ byteCount: Int, _ key: InboundKey, _ isReplayed: Bool, _ now: Duration,
        _ actions: inout [Action]
    ) {
        guard open(key) else { return }
        if !key.topic.isReserved, members[key.recipient] == nil {
            // Whether it is meant for the newcomer shows in a picture that is still on its way; then it is fetched.
            inbound[key]?.learn(head: sequence)
            lagging.insert(key)
            return
        }
        var due: [WireRecord] = []
        switch inbound[key]?.offer(record, sequence: sequence, byteCount: byteCount + Self.recordOverhead, due: &due) {
        case .duplicate: counters.duplicates += 1
        case .held(let isNew): if isNew { counters.gaps += 1 }
        case .dropped, .handedOver, nil: break
        }
        if isReplayed {
            counters.repaired += UInt64(due.count)
            inbound[key]?.replayed(now: now)
        }
        noteProgress(of: key)
        handOver(due, key, now, &actions)
    }

    /// Makes the view of a stream that is heard for the first time; false while nobody knows where it starts.
    ///
    /// That is so until its host has answered our marker; what comes now is fetched afterwards. A stream that the answer
    /// did not name began later, with its first record.
    private mutating func open(_ key: InboundKey) -> Bool {
        if inbound[key] != nil { return true }
        if let host = members[key.publisher]?.host, peers[host]?.marker != nil { return false }
        inbound[key] = InboundStream(startsAfter: 0, head: 0)
        return true
    }

    private mutating func noteProgress(of key: InboundKey) {
        if inbound[key]?.isComplete == false { lagging.insert(key) } else if !lagging.isEmpty { lagging.remove(key) }
    }

    private mutating func handOver(_ due: [WireRecord], _ key: InboundKey, _ now: Duration, _ actions: inout [Action]) {
        for record in due {
            switch record {
            case .effect(let effect):
                guard effect.memberVersion >= members[key.recipient]?.since ?? 0 else {
                    counters.notForUs += 1
                    continue
                }
                actions.append(.deliver(effect, publisher: key.publisher, topic: key.topic, to: key.recipient))
            case .settled(let settled):
                let effect = EffectID(module: key.recipient, position: settled.position)
                let topic = settle(effect, by: key.publisher)
                acknowledgeSoon(key, now)
                actions.append(.settle(effect, topic: topic ?? key.topic, by: key.publisher, settled))
            default: continue
            }
        }
    }

    /// Returns the effect's topic when the recipient still had to settle it.
    mutating func settle(_ effect: EffectID, by recipient: ModuleID) -> Topic? {
        guard let place = positions[effect],
            let (byteCount, isLast) = outbound[StreamID(publisher: effect.module, topic: place.topic)]?
                .settle(place.sequence, by: recipient)
        else { return nil }
        account(-byteCount, for: recipient)
        if isLast { positions[effect] = nil }
        return place.topic
    }

    private mutating func passOver(
        _ range: ClosedRange<UInt64>, _ key: InboundKey, _ now: Duration, _ actions: inout [Action]
    ) {
        guard inbound[key] != nil else { return }
        var due: [WireRecord] = []
        counters.passedOver &+= inbound[key]?.passOver(range, due: &due) ?? 0
        inbound[key]?.replayed(now: now)
        noteProgress(of: key)
        if key.topic.isReserved { acknowledgeSoon(key, now) }
        handOver(due, key, now, &actions)
    }

    private mutating func acknowledgeSoon(_ key: InboundKey, _ now: Duration) {
        acknowledgements.insert(key)
        headSoon(now)
    }

    /// An older value than the last, or the same one said again for others, is dropped.
    private mutating func take(_ snapshot: SnapshotRecord, _ stream: StreamID, _ actions: inout [Action]) {
        let isStale = snapshot.flags.contains(.stale)
        guard isStale || snapshot.version > heardSnapshots[stream] ?? 0 else { return }
        heardSnapshots[stream] = isStale ? nil : snapshot.version
        actions.append(.snapshot(stream.topic, payload: Array(snapshot.payload), stale: isStale))
    }

    // MARK: Heads, markers, requests

    private mutating func learn(_ head: HeadRecord, from publisher: ModuleID, now: Duration) {
        for stream in head.streams {
            for recipient in listeners[stream.topic] ?? [] {
                let key = InboundKey(recipient: recipient, publisher: publisher, topic: stream.topic)
                guard open(key), let known = inbound[key] else { continue }
                inbound[key]?.learn(head: stream.head)
                noteProgress(of: key)
                // Our word that we have these settlements was lost.
                if stream.topic.isReserved, stream.low <= known.lowWater { acknowledgeSoon(key, now) }
            }
        }
        for mark in head.acknowledged where locals[mark.module] != nil && mark.topic == .settlements(of: publisher) {
            outbound[StreamID(publisher: mark.module, topic: mark.topic)]?.acknowledge(upTo: mark.lowWater, by: publisher)
        }
    }

    /// HEAD at the end of a replay: all that was asked for has been answered, as far as the credit went.
    private mutating func finishAnswer(_ head: HeadRecord, from publisher: ModuleID, to asker: ModuleID) {
        for stream in head.streams {
            let key = InboundKey(recipient: asker, publisher: publisher, topic: stream.topic)
            inbound[key]?.learn(head: stream.head)
            inbound[key]?.answered()
            noteProgress(of: key)
        }
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
                for recipient in listeners[stream.topic] ?? [] {
                    let key = InboundKey(recipient: recipient, publisher: stream.publisher, topic: stream.topic)
                    if inbound[key] == nil {
                        // A publisher that does not know the recipient yet counts it in from some later record on.
                        let start = stream.starts.first { $0.recipient == recipient }?.after ?? stream.head
                        inbound[key] = InboundStream(startsAfter: start, head: stream.head)
                    } else {
                        inbound[key]?.learn(head: stream.head)
                    }
                    noteProgress(of: key)
                }
            }
            let marker = Array(ready.marker)
            // Every host that is connected sees the marker and answers; each clears its own only.
            for (id, peer) in peers where peer.marker == marker && frame.publisher == Self.speaker(of: id) {
                peers[id]?.marker = nil
                peers[id]?.patience = Self.markerPatience
                actions.append(.unsubscribe(subscription(for: marker)))
            }
            for publisher in publishers.sorted() { request(from: publisher, now: now, &actions) }
        }
        if isJoined { actions.append(.joined) }
        return actions
    }

    mutating func request(from publisher: ModuleID, now: Duration, _ actions: inout [Action]) {
        guard !lagging.isEmpty else { return }
        for key in lagging.filter({ $0.publisher == publisher && mayRequest($0) }).sorted() {
            guard let ranges = inbound[key]?.request(now: now), !ranges.isEmpty, let local = locals[key.recipient]
            else { continue }
            let stream = StreamID(publisher: key.recipient, topic: Self.fetch(from: publisher))
            let record = FetchRecord(requester: key.recipient, topic: key.topic, ranges: ranges)
            actions.append(.publish(stream, local.epoch, .fetch(record), tapOnly: false))
            headSoon(now)
        }
    }

    /// The host hears us only now: what was asked of its modules before was lost on the way.
    mutating func requestAgain(from host: HostID, now: Duration, _ actions: inout [Action]) {
        let unheard = lagging.filter { members[$0.publisher]?.host == host }
        for key in unheard { inbound[key]?.requestWasLost() }
        for publisher in Set(unheard.map(\.publisher)).sorted() { request(from: publisher, now: now, &actions) }
    }

    /// Nobody answers for a publisher without a process, and nothing can be judged for a recipient that is no member yet.
    func mayRequest(_ key: InboundKey) -> Bool {
        if let publisher = members[key.publisher], publisher.host == nil { return false }
        return key.topic.isReserved || members[key.recipient] != nil
    }
}
