import ReluxTestKit
import ReluxWire

extension WireRecord {
    /// The numbers of all kinds that there are; from ACKED on they are those of journals.
    static let kinds = Array(EffectRecord.kind...RefusedRecord.kind) + [ScheduleRecord.kind]
}

extension SeededRandom {
    mutating func name(upTo limit: Int) -> String {
        let letters = Array("abcXYZ019_-")
        let segments = (0...count(upTo: 2)).map { _ in
            String((0...count(upTo: limit / 3 - 2)).map { _ in letters.randomElement(using: &self) ?? "x" })
        }
        return segments.joined(separator: ".")
    }

    mutating func module() -> ModuleID { ModuleID(rawValue: name(upTo: 30)) ?? "Auth" }
    mutating func topic() -> Topic { Topic(rawValue: name(upTo: 60)) ?? "Auth.Effect" }
    mutating func effectID() -> EffectID { EffectID(module: module(), position: unsigned()) }
    mutating func payload() -> ArraySlice<UInt8> { bytes()[...] }

    mutating func range() -> ClosedRange<UInt64> {
        let low = unsigned()
        return low...UInt64.random(in: low...UInt64.max, using: &self)
    }

    mutating func effect() -> EffectRecord {
        let ancestry = list(upTo: EffectContext.ancestryLimit) { $0.effectID() }
        return EffectRecord(
            position: unsigned(), sequence: unsigned(), caseName: text(), ancestry: ancestry, awaitDepth: count(upTo: ancestry.count),
            remainingDeadlineMilliseconds: unsigned(), memberVersion: unsigned(), flags: EffectFlags(rawValue: unsigned()),
            site: CallSite(file: text(), line: UInt(unsigned()), function: text()), label: text(), contractFingerprint: next(),
            wallTimeMilliseconds: unsigned(), payload: payload())
    }

    mutating func status() -> SettledRecord.Status { SettledRecord.Status.allCases.randomElement(using: &self) ?? .lost }

    /// - Parameter kind: one of ``WireRecord/kinds``.
    mutating func record(ofKind kind: UInt8) -> WireRecord {
        switch kind {
        case EffectRecord.kind: return .effect(effect())
        case SettledRecord.kind:
            return .settled(
                SettledRecord(
                    sequence: unsigned(), topic: topic(), effects: EffectRuns(position: unsigned(), sequence: unsigned()),
                    status: status(), durationMicroseconds: unsigned(), diverged: list(upTo: 4) { $0.unsigned() }, result: payload()))
        case MemberRecord.kind:
            return .member(MemberRecord(sequence: unsigned(), version: unsigned(), recipients: list(upTo: 5) { $0.module() }))
        case SnapshotRecord.kind:
            return .snapshot(SnapshotRecord(version: unsigned(), flags: SnapshotFlags(rawValue: unsigned()), payload: payload()))
        case HeadRecord.kind:
            return .head(
                HeadRecord(
                    streams: list(upTo: 4) { .init(topic: $0.topic(), low: $0.unsigned(), head: $0.unsigned()) },
                    acknowledged: list(upTo: 4) { .init(module: $0.module(), topic: $0.topic(), lowWater: $0.unsigned()) }))
        case FetchRecord.kind:
            return .fetch(FetchRecord(requester: module(), topic: topic(), ranges: list(upTo: 6) { $0.range() }))
        case StreamRecord.kind: return .stream(StreamRecord(topic: topic()))
        case GoneRecord.kind: return .gone(GoneRecord(topic: topic(), range: range()))
        case ReadyRecord.kind:
            return .ready(
                ReadyRecord(
                    marker: (0..<16).map { _ in UInt8(truncatingIfNeeded: next()) }[...],
                    streams: list(upTo: 4) {
                        .init(
                            publisher: $0.module(), epoch: Epoch($0.unsigned()), topic: $0.topic(), head: $0.unsigned(),
                            starts: $0.list(upTo: 3) { .init(recipient: $0.module(), after: $0.unsigned()) })
                    }))
        default: return journalRecord(ofKind: kind)
        }
    }

    private mutating func journalRecord(ofKind kind: UInt8) -> WireRecord {
        switch kind {
        case AckedRecord.kind:
            return .acked(
                AckedRecord(
                    recipient: module(), settlementSequence: unsigned(), topic: topic(),
                    effects: EffectRuns(position: unsigned(), sequence: unsigned()), status: status(), result: payload()))
        case CursorRecord.kind: return .cursor(CursorRecord(module: module(), topic: topic(), range: range()))
        case StateRecord.kind:
            return .state(
                StateRecord(stateName: text(), version: unsigned(), reduced: list(upTo: 5) { $0.effectID() }, value: payload()))
        case KeptRecord.kind: return .kept(KeptRecord(cause: effectID(), valueName: text(), value: payload()))
        case AttemptRecord.kind:
            return .attempt(AttemptRecord(effect: effectID(), deaths: unsigned(), wasAlone: Bool.random(using: &self)))
        case RequestRecord.kind: return .request(
            RequestRecord(
                position: unsigned(), topic: topic(), sequence: unsigned(), request: text(), isForEveryone: Bool.random(using: &self)))
        case RefusedRecord.kind:
            return .refused(
                RefusedRecord(
                    count: unsigned(), reason: text(), topic: text(), caseName: text(), ancestry: list(upTo: 5) { $0.effectID() },
                    site: CallSite(file: text(), line: UInt(unsigned()), function: text()), label: text(), wallTimeMilliseconds: unsigned(),
                    message: text(upTo: 60)))
        case ScheduleRecord.kind:
            let last = Int64(bitPattern: unsigned())
            return .schedule(
                ScheduleRecord(
                    scheduleName: text(), rule: text(), last: last, next: Bool.random(using: &self) ? last &+ 60_000 : nil,
                    isPaused: Bool.random(using: &self), isRemoved: Bool.random(using: &self), isSetBack: Bool.random(using: &self), position: unsigned(),
                    fired: Int64(bitPattern: unsigned())))
        default:
            return .dead(
                DeadRecord(
                    effect: effectID(), topic: topic(), caseName: text(), deaths: unsigned(),
                    resolution: DeadRecord.Resolution.allCases.randomElement(using: &self) ?? .open, wallTimeMilliseconds: unsigned(),
                    reason: text(upTo: 60), payload: payload(), contractFingerprint: Bool.random(using: &self) ? unsigned() : 0))
        }
    }

    mutating func frame() -> Frame {
        Frame(
            topic: topic(), publisher: module(), epoch: Epoch(unsigned()),
            records: list(upTo: 8) { $0.record(ofKind: WireRecord.kinds.randomElement(using: &$0) ?? EffectRecord.kind) })
    }
}
