import ReluxBus
import ReluxWire

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
        let ancestry = list(upTo: EffectRecord.ancestryLimit) { $0.effectID() }
        return EffectRecord(
            position: unsigned(), sequence: unsigned(), caseName: text(), ancestry: ancestry, awaitDepth: count(upTo: ancestry.count),
            remainingDeadlineMilliseconds: unsigned(), memberVersion: unsigned(), flags: EffectFlags(rawValue: unsigned()),
            site: CallSite(file: text(), line: UInt(unsigned()), function: text()), label: text(), contractFingerprint: next(),
            wallTimeMilliseconds: unsigned(), payload: payload())
    }

    mutating func record(ofKind kind: Int) -> WireRecord {
        switch kind {
        case 0: return .effect(effect())
        case 1:
            return .settled(
                SettledRecord(
                    sequence: unsigned(), position: unsigned(), status: SettledRecord.Status.allCases.randomElement(using: &self) ?? .lost,
                    durationMicroseconds: unsigned(), result: payload()))
        case 2:
            return .member(MemberRecord(sequence: unsigned(), version: unsigned(), recipients: list(upTo: 5) { $0.module() }))
        case 3:
            return .snapshot(SnapshotRecord(version: unsigned(), flags: SnapshotFlags(rawValue: unsigned()), payload: payload()))
        case 4:
            return .head(
                HeadRecord(
                    streams: list(upTo: 4) { .init(topic: $0.topic(), low: $0.unsigned(), head: $0.unsigned()) },
                    acknowledged: list(upTo: 4) { .init(module: $0.module(), topic: $0.topic(), lowWater: $0.unsigned()) }))
        case 5:
            return .fetch(FetchRecord(requester: module(), topic: topic(), ranges: list(upTo: 6) { $0.range() }))
        case 6: return .stream(StreamRecord(topic: topic()))
        case 7: return .gone(GoneRecord(topic: topic(), range: range()))
        default:
            return .ready(
                ReadyRecord(
                    marker: (0..<16).map { _ in UInt8(truncatingIfNeeded: next()) }[...],
                    streams: list(upTo: 4) {
                        .init(
                            publisher: $0.module(), epoch: Epoch($0.unsigned()), topic: $0.topic(), head: $0.unsigned(),
                            starts: $0.list(upTo: 3) { .init(recipient: $0.module(), after: $0.unsigned()) })
                    }))
        }
    }

    mutating func frame() -> Frame {
        Frame(
            topic: topic(), publisher: module(), epoch: Epoch(unsigned()),
            records: list(upTo: 8) { $0.record(ofKind: $0.count(upTo: 8)) })
    }
}
