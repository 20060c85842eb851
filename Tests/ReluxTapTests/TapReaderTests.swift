import ReluxTap
import ReluxWire
import Testing

@Suite struct TapReaderTests {
    @Test func `a gap in a stream is counted as dropped`() throws {
        var reader = TapReader(patterns: [])
        for sequence: UInt64 in [5, 6, 9] {
            _ = reader.read(try Sample.frame([.effect(Sample.effect(sequence, sequence: sequence))]))
        }
        #expect(reader.counters.seen == 3)
        #expect(reader.counters.dropped == 2)
    }

    @Test func `a new epoch of a stream is no gap`() throws {
        var reader = TapReader(patterns: [])
        _ = reader.read(try Sample.frame([.effect(Sample.effect(90, sequence: 90))], epoch: 1))
        _ = reader.read(try Sample.frame([.effect(Sample.effect(1, sequence: 1))], epoch: 2))
        #expect(reader.counters.seen == 2)
        #expect(reader.counters.dropped == 0)
    }

    @Test func `a repaired effect that was seen before is not shown again`() throws {
        var reader = TapReader(patterns: [])
        let frame = try Sample.frame([.effect(Sample.effect(1, sequence: 1)), .effect(Sample.effect(2, sequence: 2))])
        #expect(reader.read(frame).count == 2)
        #expect(reader.read(frame).isEmpty)
    }

    @Test func `what no pattern wants is seen but not shown`() throws {
        var reader = TapReader(patterns: [try TapPattern("Auth.Business.Effect.login")])
        let records: [WireRecord] = [
            .effect(Sample.effect(1, sequence: 1)), .effect(Sample.effect(2, sequence: 2, caseName: "login")),
        ]
        let events = reader.read(try Sample.frame(records))
        #expect(events.count == 1)
        #expect(reader.counters.seen == 2)
    }

    @Test func `settlements are shown for shown effects only`() throws {
        var reader = TapReader(patterns: [try TapPattern("Auth.Business.Effect.login")])
        let effects: [WireRecord] = [
            .effect(Sample.effect(1, sequence: 1)), .effect(Sample.effect(2, sequence: 2, caseName: "login")),
        ]
        _ = reader.read(try Sample.frame(effects))
        let settled: [WireRecord] = [
            .settled(Sample.settled(1, of: 1)), .settled(Sample.settled(2, of: 2)),
        ]
        let events = reader.read(
            try Sample.frame(settled, topic: .settlements(of: "Auth"), publisher: "Profile"))
        guard case .settlement(let only)? = events.first else {
            Issue.record("no settlement was shown")
            return
        }
        #expect(events.count == 1)
        #expect(only.effect == EffectID(module: "Auth", position: 2))
        #expect(only.recipient == "Profile")
    }

    @Test func `a settlement that is said again is shown once`() throws {
        var reader = TapReader(patterns: [])
        let records: [WireRecord] = [
            .settled(Sample.settled(6, of: 1)), .settled(Sample.settled(7, of: 2)), .settled(Sample.settled(6, of: 1)),
            .settled(Sample.settled(9, of: 4)), .settled(Sample.settled(9, of: 4)),
        ]
        let events = reader.read(try Sample.frame(records, topic: .settlements(of: "Auth"), publisher: "Profile"))
        #expect(events.count == 3)
        #expect(reader.counters.dropped == 0)
    }

    private func refused(_ topic: String, _ name: String = "add") -> WireRecord {
        .refused(RefusedRecord(count: 1, reason: "undeclared", topic: topic, caseName: name, wallTimeMilliseconds: 0, message: "declare it"))
    }

    @Test func `a refusal is shown to who wants its effect, and of a name that no topic has to who wants everything`() throws {
        let frame = try Sample.frame(
            [refused("Auth.Business.Effect"), refused("Notes.Business.Effect"), refused("~wrong")], topic: RefusedRecord.topic)
        var auth = TapReader(patterns: [try TapPattern("Auth.Business.Effect.add")])
        var all = TapReader(patterns: [])
        #expect(auth.read(frame).count == 1)
        #expect(all.read(frame).count == 3)
        #expect(all.counters == TapReader.Counters())
    }

    @Test func `bytes that are no frame are counted and end nothing`() throws {
        var reader = TapReader(patterns: [])
        #expect(reader.read([]).isEmpty)
        #expect(reader.read([1, 2, 3]).isEmpty)
        var damaged = try Sample.frame([.effect(Sample.effect(1))])
        damaged[damaged.count - 1] ^= 1
        #expect(reader.read(damaged).isEmpty)
        #expect(reader.counters.undecodable == 3)
    }
}
