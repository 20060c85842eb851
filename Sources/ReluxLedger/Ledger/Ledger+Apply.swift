package import Relux
package import ReluxJournal

extension Ledger {
    /// The bytes that a record costs besides its payload, for accounting.
    package static let recordOverhead = 128

    /// Takes the records of a run of the journal into the books, and keeps their bytes for as long as somebody may ask for them.
    ///
    /// - Parameter observe: gets each record before the books do.
    /// - Throws: `WireError` for a record that this build cannot read.
    package mutating func take(_ run: JournalRun, observing observe: (WireRecord) -> Void = { _ in }) throws(WireError) {
        for record in try WireRecord.decodeAll(run.records) {
            observe(record)
            apply(run.topic, record)
        }
        keep(run)
    }

    /// The bytes of records that are in the books.
    package mutating func keep(_ run: JournalRun) {
        guard let place = streams.index(forKey: run.topic) else { return }
        streams.values[place].keep(run)
    }

    /// Takes one record of the journal into the books, without its bytes. A record of a kind that says nothing about them is passed over.
    package mutating func apply(_ topic: Topic, _ record: WireRecord) {
        switch record {
        case .effect(let effect): apply(effect, on: topic)
        case .member(let member): streams[topic, default: OutboundStream(start: epoch.start)].member = member
        case .settled(let settled): apply(settled, on: topic)
        case .acked(let acked): apply(acked)
        case .cursor(let cursor): apply(cursor)
        case .state(let state): states[state.stateName] = state
        case .kept(let kept): causes[kept.cause, default: Cause()].kept[kept.valueName] = ByteString(Array(kept.value))
        case .attempt(let attempt): attempts[attempt.effect] = attempt
        case .dead(let letter): dead[letter.effect] = letter
        case .request(let request): requests.remember(Request(request), at: request.position)
        case .snapshot(let snapshot): snapshots[topic] = snapshot
        case .refused(let refused): count(refused)
        case .schedule(let schedule): apply(schedule)
        case .gone(let gone): forgotten[gone.topic, default: SequenceSet()].insert(gone.range)
        case .head, .fetch, .ready, .stream: break
        }
    }

    /// A word of a schedule that was queued before a tick may be written behind it. The time goes back with the machine's clock only, or that tick would come
    /// again.
    private mutating func apply(_ schedule: ScheduleRecord) {
        var schedule = schedule
        if let known = schedules[schedule.scheduleName] {
            if schedule.position == 0 { (schedule.position, schedule.fired) = (known.position, known.fired) }
            if known.last > schedule.last, !schedule.isSetBack, !known.isRemoved { (schedule.last, schedule.next) = (known.last, known.next) }
        }
        schedules[schedule.scheduleName] = schedule
    }

    private mutating func count(_ refused: RefusedRecord) {
        let isKnown = refusals[refused.reason] != nil || refusals.count < Self.reasonLimit
        refusals[isKnown ? refused.reason : "other", default: 0] &+= refused.count
    }

    private mutating func apply(_ effect: EffectRecord, on topic: Topic) {
        position = max(position, effect.position)
        let outstanding = streams[topic, default: OutboundStream()].accept(effect)
        guard !effect.flags.contains(.detached), let cause = effect.cause else { return }
        if !outstanding.isEmpty { origins[effect.position] = cause }
        causes[cause, default: Cause()].emissions.append(
            Emission(
                position: effect.position, topic: topic, memberVersion: effect.memberVersion,
                payload: ByteString(Array(effect.payload))))
    }

    private mutating func apply(_ settled: SettledRecord, on topic: Topic) {
        guard let publisher = topic.settledPublisher else { return }
        streams[topic, default: OutboundStream()].append(.init(settled, outstanding: Recipients(publisher)))
        cursors[StreamID(publisher: publisher, topic: settled.topic), default: SequenceSet()].insert(settled.effects)
        if causes.isEmpty, attempts.isEmpty, states.isEmpty { return }
        for effect in settled.effects { forget(EffectID(module: publisher, position: effect.position)) }
    }

    /// The module has settled it: it is never handled again.
    private mutating func forget(_ effect: EffectID) {
        // Afterwards nobody asks whether a state has it.
        // In place: a copy of a state would make its list be copied too, and so would a list of the indices, which holds all states.
        var state = states.startIndex
        while state != states.endIndex {
            if let place = states.values[state].reduced.place(of: effect) { states.values[state].reduced.remove(at: place) }
            states.formIndex(after: &state)
        }
        for emission in causes.removeValue(forKey: effect)?.emissions ?? [] { origins[emission.position] = nil }
        attempts[effect] = nil
    }

    private mutating func apply(_ acked: AckedRecord) {
        _ = end(
            acked.effects, on: acked.topic, for: acked.recipient, as: acked.status, result: acked.result, settlement: acked.settlementSequence)
    }

    /// The recipient is through with effects of the module: the record that says so, which is in the books with that, and what they weigh.
    ///
    /// - Returns: nil when the recipient does not have to settle any of them; only its settlement is noted as taken then.
    package mutating func end(
        _ effects: EffectRuns, on topic: Topic, for recipient: ModuleID, as status: SettledRecord.Status, result: ArraySlice<UInt8>,
        settlement: UInt64
    ) -> (record: AckedRecord, byteCount: Int)? {
        if settlement > 0 { cursors[StreamID(publisher: recipient, topic: settlements), default: SequenceSet()].insert(settlement) }
        guard let place = streams.index(forKey: topic), let (ended, byteCount) = streams.values[place].settle(effects, by: recipient) else {
            return nil
        }
        streams.values[place].books.count(status, ended.count, for: recipient)
        if !causes.isEmpty || !requests.isEmpty {
            let answer = Answer(recipient: recipient, status: status, result: ByteString(Array(result)))
            for effect in ended { remember(answer, to: effect.position) }
        }
        let acked = AckedRecord(
            recipient: recipient, settlementSequence: settlement, topic: topic, effects: ended, status: status, result: result)
        return (acked, byteCount)
    }

    private mutating func remember(_ answer: Answer, to position: UInt64) {
        if let cause = origins[position], let index = causes[cause]?.index(of: position) {
            causes[cause]?.emissions[index].answers.append(answer)
        }
        if !requests.isEmpty { requests.remember(answer, at: position) { [streams] in Self.isPending($0, in: streams) } }
    }

    private mutating func apply(_ cursor: CursorRecord) {
        let isOwn = cursor.topic == .settlements(of: cursor.module)
        if isOwn { streams[cursor.topic]?.acknowledge(upTo: cursor.range.upperBound, by: cursor.module) }
        guard !isOwn || cursor.module == module else { return }
        pass(cursor.range, of: StreamID(publisher: cursor.module, topic: cursor.topic))
    }
}

extension OutboundStream {
    /// An effect was said; returns those who have to settle it.
    fileprivate mutating func accept(_ effect: EffectRecord) -> Recipients {
        append(Entry(effect, outstanding: recipients))
        books.accept(for: recipients)
        return recipients
    }
}

extension [EffectID] {
    /// The effect's index in a sorted list; all lists that a module's states name are sorted.
    fileprivate func place(of effect: EffectID) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < effect { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == effect ? low : nil
    }
}

extension Ledger.Cause {
    /// The index of an emission. A running handler's emissions are in the order of their positions; those read from a batch may not be.
    fileprivate func index(of position: UInt64) -> Int? {
        var (low, high) = (0, emissions.count)
        while low < high {
            let middle = (low + high) / 2
            if emissions[middle].position < position { low = middle + 1 } else { high = middle }
        }
        if low < emissions.count, emissions[low].position == position { return low }
        return emissions.firstIndex { $0.position == position }
    }
}

/// In which order the runs of one batch are written and folded: what a handler said comes before the settlement that ends it.
enum JournalOrder: Int, Comparable {
    case effects, requests, schedules, refused, acked, kept, attempts, dead, states, settled, cursors

    init(_ topic: Topic) {
        switch topic {
        case RequestRecord.topic: self = .requests
        case ScheduleRecord.topic: self = .schedules
        case RefusedRecord.topic: self = .refused
        case AckedRecord.topic: self = .acked
        case KeptRecord.topic: self = .kept
        case AttemptRecord.topic: self = .attempts
        case DeadRecord.topic: self = .dead
        case StateRecord.topic: self = .states
        case CursorRecord.topic, GoneRecord.topic: self = .cursors
        default: self = topic.isReserved ? .settled : .effects
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
