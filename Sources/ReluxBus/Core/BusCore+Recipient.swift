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
        var actions: [Action] = []
        guard checkEpoch(frame.publisher, frame.epoch) else { return [] }
        // Of a replay, the stream that its records belong to.
        var topic = frame.topic
        let replayed = locals.keys.first { Self.replay(for: $0) == frame.topic }
        for record in frame.records {
            switch record {
            case .stream(let stream): topic = stream.topic
            case .effect(let effect):
                offer(record, effect.sequence, frame, topic, replayed, &actions)
            case .settled(let settled):
                offer(record, settled.sequence, frame, topic, replayed, &actions)
            case .gone(let gone):
                guard let replayed else { continue }
                passOver(gone.range, InboundKey(recipient: replayed, publisher: frame.publisher, topic: gone.topic), &actions)
            case .head(let head): learn(head, from: frame.publisher, frame.epoch, now: now, &actions)
            case .fetch(let fetch):
                guard let publisher = locals.keys.first(where: { Self.fetch(from: $0) == frame.topic }) else { continue }
                actions += serve(fetch, by: publisher)
            case .snapshot(let snapshot):
                actions.append(
                    .snapshot(frame.topic, payload: Array(snapshot.payload), stale: snapshot.flags.contains(.stale)))
            case .member, .ready: continue
            }
        }
        request(from: frame.publisher, now: now, &actions)
        return actions
    }

    /// Frames of an earlier life of the publisher are dropped; a later life starts its streams anew.
    private mutating func checkEpoch(_ publisher: ModuleID, _ epoch: Epoch) -> Bool {
        guard let known = heardEpochs[publisher] else {
            heardEpochs[publisher] = epoch
            return true
        }
        if epoch < known {
            counters.staleEpoch += 1
            return false
        }
        if epoch > known {
            heardEpochs[publisher] = epoch
            inbound = inbound.filter { $0.key.publisher != publisher }
        }
        return true
    }

    private mutating func offer(
        _ record: WireRecord, _ sequence: UInt64, _ frame: Frame, _ topic: Topic, _ replayed: ModuleID?,
        _ actions: inout [Action]
    ) {
        for recipient in recipients(of: topic, replayed) {
            let key = InboundKey(recipient: recipient, publisher: frame.publisher, topic: topic)
            guard var stream = inbound[key] ?? fresh(key, frame.epoch) else { continue }
            var due: [WireRecord] = []
            switch stream.offer(record, sequence: sequence, due: &due) {
            case .duplicate: counters.duplicates += 1
            case .held(let isNew): if isNew { counters.gaps += 1 }
            case .full, .handedOver: break
            }
            if replayed != nil {
                counters.repaired += UInt64(due.count)
                stream.replayed()
            }
            inbound[key] = stream
            handOver(due, key, &actions)
        }
    }

    /// The view of a stream that is heard for the first time.
    ///
    /// Until its host has answered our marker nobody knows where it starts: nil, what comes now is fetched afterwards. A
    /// stream that the answer did not name began later, with its first record.
    private func fresh(_ key: InboundKey, _ epoch: Epoch) -> InboundStream<WireRecord>? {
        if let host = members[key.publisher]?.host, peers[host]?.marker != nil { return nil }
        return InboundStream(epoch: epoch, startsAfter: 0, head: 0)
    }

    private func recipients(of topic: Topic, _ replayed: ModuleID?) -> [ModuleID] {
        if let replayed { return [replayed] }
        if let publisher = topic.settledPublisher { return locals[publisher] == nil ? [] : [publisher] }
        return locals.compactMap { $0.value.handles.contains(topic) ? $0.key : nil }
    }

    private mutating func handOver(_ due: [WireRecord], _ key: InboundKey, _ actions: inout [Action]) {
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
                let place = positions[effect]
                if let place { settle(effect, at: place, by: key.publisher) }
                acknowledgementsChanged.insert(key.recipient)
                actions.append(.settle(effect, topic: place?.topic ?? key.topic, by: key.publisher, settled))
            default: continue
            }
        }
    }

    private mutating func settle(_ effect: EffectID, at place: (topic: Topic, sequence: UInt64), by recipient: ModuleID) {
        let stream = StreamID(publisher: effect.module, topic: place.topic)
        if outbound[stream]?.settle(place.sequence, by: recipient) == true { positions[effect] = nil }
    }

    private mutating func passOver(_ range: ClosedRange<UInt64>, _ key: InboundKey, _ actions: inout [Action]) {
        guard inbound[key] != nil else { return }
        var due: [WireRecord] = []
        counters.lostRecords += inbound[key]!.passOver(range, due: &due)
        handOver(due, key, &actions)
    }

    // MARK: Heads, markers, requests

    private mutating func learn(
        _ head: HeadRecord, from publisher: ModuleID, _ epoch: Epoch, now: Duration, _ actions: inout [Action]
    ) {
        for stream in head.streams {
            for recipient in recipients(of: stream.topic, nil) {
                let key = InboundKey(recipient: recipient, publisher: publisher, topic: stream.topic)
                guard var known = inbound[key] ?? fresh(key, epoch) else { continue }
                known.learn(head: stream.head)
                inbound[key] = known
            }
        }
        for mark in head.acknowledged where locals[mark.module] != nil {
            outbound[StreamID(publisher: mark.module, topic: mark.topic)]?
                .acknowledge(upTo: mark.lowWater, by: publisher)
        }
    }

    private mutating func receiveReady(_ message: [UInt8], now: Duration) throws(WireError) -> [Action] {
        let prefix = Self.markerPrefix.count + ReadyRecord.markerByteCount + host.rawValue.utf8.count
        guard message.count > prefix else { throw WireError(.truncated, "a READY answer of \(message.count) bytes") }
        let frame = try Frame(decoding: Array(message[prefix...]))
        var actions: [Action] = []
        for case .ready(let ready) in frame.records {
            for stream in ready.streams {
                guard checkEpoch(stream.publisher, stream.epoch) else { continue }
                for recipient in recipients(of: stream.topic, nil) {
                    let key = InboundKey(recipient: recipient, publisher: stream.publisher, topic: stream.topic)
                    // A publisher that does not know the recipient yet counts it in from some later record on.
                    let start = stream.starts.first { $0.recipient == recipient }?.after ?? stream.head
                    if inbound[key] == nil {
                        inbound[key] = InboundStream(epoch: stream.epoch, startsAfter: start, head: stream.head)
                    } else {
                        inbound[key]?.learn(head: stream.head)
                    }
                }
            }
            let marker = Array(ready.marker)
            // Every host that is connected sees the marker and answers; each clears its own only.
            for (id, peer) in peers where peer.marker == marker && frame.publisher == Self.speaker(of: id) {
                peers[id]?.marker = nil
                actions.append(.unsubscribe(subscription(for: marker)))
            }
            for publisher in Set(ready.streams.map(\.publisher)) { request(from: publisher, now: now, &actions) }
        }
        if isJoined { actions.append(.joined) }
        return actions
    }

    mutating func request(from publisher: ModuleID, now: Duration, _ actions: inout [Action]) {
        for key in inbound.keys where key.publisher == publisher {
            guard inbound[key]?.isComplete == false, let ranges = inbound[key]?.request(now: now), !ranges.isEmpty,
                let local = locals[key.recipient]
            else { continue }
            let stream = StreamID(publisher: key.recipient, topic: Self.fetch(from: publisher))
            let record = FetchRecord(requester: key.recipient, topic: key.topic, ranges: ranges)
            actions.append(.publish(stream, local.epoch, .fetch(record), tapOnly: false))
        }
    }
}
