import ReluxControl
import ReluxTap
import ReluxWire
import Testing

@Suite struct CausalTreeTests {
    private let root = EffectID(module: "Cluster", position: 1)

    private func effect(
        _ module: ModuleID, _ position: UInt64, _ name: String, below ancestry: [EffectID] = [], at offset: UInt64 = 0,
        flags: EffectFlags = []
    ) -> TapEvent {
        let record = Sample.effect(
            position, caseName: name, ancestry: ancestry, payload: [name: [:]], flags: flags, at: offset)
        return .effect(TappedEffect(publisher: module, topic: "Auth.Business.Effect", epoch: Epoch(1), record: record))
    }

    @Test func `the tree shows who caused whom, who settled and when`() {
        var tree = CausalTree()
        let auth = EffectID(module: "Auth", position: 2)
        tree.add(effect("Cluster", 1, "login"))
        tree.add(effect("Auth", 2, "authSucceeded", below: [root], at: 14))
        tree.add(effect("Session", 3, "fetch", below: [root, auth], at: 15))
        tree.add(effect("Auth", 4, "push", below: [root], at: 20, flags: .unhandled))
        tree.add(effect("Other", 9, "foreign"))
        tree.add(
            .settlement(
                TappedSettlement(
                    recipient: "Auth", effect: root, record: Sample.settled(1, of: 1, durationMicroseconds: 25_040))))
        #expect(
            tree.lines(from: root) == [
                "Cluster#1  Auth.Business.Effect.login  Cluster  +0ms  ✓ Auth 25.0ms",
                "├─ Auth#2  Auth.Business.Effect.authSucceeded  Auth  +14ms",
                "│  └─ Session#3  Auth.Business.Effect.fetch  Session  +15ms",
                "└─ Auth#4  Auth.Business.Effect.push  Auth  +20ms  unhandled",
            ])
        #expect(tree.unsettled(of: root) == 2)
        #expect(tree.hasCaused("Auth", by: root) && tree.hasCaused("Session", by: auth))
        #expect(!tree.hasCaused("Session", by: root) && !tree.hasCaused("Cluster", by: root) && !tree.hasCaused("Other", by: root))
    }

    @Test func `of a long chain the tree shows both ends and how much lies between`() {
        var tree = CausalTree()
        tree.add(effect("Cluster", 1, "login"))
        var ancestry = [root]
        for position in UInt64(2)...33 {
            tree.add(effect("Auth", position, "ping", below: ancestry, at: position))
            ancestry.append(EffectID(module: "Auth", position: position))
        }
        let lines = tree.lines(from: root)
        #expect(lines.count == 10)
        #expect(lines[4].hasPrefix("         └─ Auth#5") && lines[5] == "            ⋮  24 more, each caused by the one before")
        #expect(lines[6].hasPrefix("            └─ Auth#30") && lines[9].hasPrefix("                     └─ Auth#33"))
    }

    @Test func `the tree shows what a handler dispatched and nobody got, below its cause`() {
        var tree = CausalTree()
        let auth = EffectID(module: "Auth", position: 2)
        tree.add(effect("Cluster", 1, "login"))
        tree.add(effect("Auth", 2, "authSucceeded", below: [root], at: 14))
        func refusal(below ancestry: [EffectID]) -> TapEvent {
            .refusal(
                TappedRefusal(
                    module: "Auth",
                    record: RefusedRecord(
                        count: 1, reason: "undeclared", topic: "Notes.Business.Effect", caseName: "add", ancestry: ancestry,
                        site: CallSite(file: "A/Auth+Saga.swift", line: 41), wallTimeMilliseconds: Sample.effect(1, at: 20).wallTimeMilliseconds,
                        message: "declare it")))
        }
        tree.add(refusal(below: [root, auth]))
        tree.add(refusal(below: [EffectID(module: "Other", position: 9)]))
        #expect(
            tree.lines(from: root) == [
                "Cluster#1  Auth.Business.Effect.login  Cluster  +0ms",
                "└─ Auth#2  Auth.Business.Effect.authSucceeded  Auth  +14ms",
                "   └─ ✗ Notes.Business.Effect.add  Auth  +20ms  refused undeclared  Auth+Saga.swift:41: declare it",
            ])
        #expect(tree.lines(from: root, style: TerminalStyle(hasColor: true))[2].contains("\u{1b}[31m✗ Notes.Business.Effect.add"))
        #expect(tree.events(from: root).count == 3)
    }

    @Test func `the tree shows who gave an effect up and whose last run diverged`() {
        var tree = CausalTree()
        tree.add(effect("Cluster", 1, "login"))
        for (recipient, record) in [
            ("Auth", Sample.settled(1, of: 1, status: .deadLettered)),
            ("Notes", Sample.settled(1, of: 1, durationMicroseconds: 1500, diverged: [4])),
        ] as [(ModuleID, SettledRecord)] {
            tree.add(.settlement(TappedSettlement(recipient: recipient, effect: root, record: record)))
        }
        #expect(
            tree.lines(from: root) == [
                "Cluster#1  Auth.Business.Effect.login  Cluster  +0ms  ✗ Auth deadLettered 0.0ms  ✓ Notes 1.5ms 1 diverged"
            ])
        #expect(tree.unsettled(of: root) == 0)
    }

    @Test func `who has only heard an effect is counted when others did something about it, and named on request`() {
        var tree = CausalTree()
        tree.add(effect("Cluster", 1, "login"))
        tree.add(effect("Session", 3, "fetch", below: [root], at: 15))
        for (recipient, result) in [("Auth", []), ("Session", []), ("Navigation", []), ("Profile", [1]), ("Notes", [])] as [(ModuleID, [UInt8])] {
            tree.add(.settlement(TappedSettlement(recipient: recipient, effect: root, record: Sample.settled(1, of: 1, result: result))))
        }
        // The owner, who has caused another one, and who answered with a value.
        #expect(tree.lines(from: root)[0].hasSuffix("  ✓ Auth 0.0ms  ✓ Session 0.0ms  ✓ Profile 0.0ms  heard by 2 more"))
        #expect(tree.lines(from: root, isWide: true)[0].hasSuffix("  ✓ Navigation 0.0ms  ✓ Profile 0.0ms  ✓ Notes 0.0ms"))
    }

    @Test func `when nobody did anything about an effect, all who heard it are named`() {
        var tree = CausalTree()
        tree.add(effect("Cluster", 1, "login"))
        for recipient in ["Session", "Notes"] as [ModuleID] {
            tree.add(.settlement(TappedSettlement(recipient: recipient, effect: root, record: Sample.settled(1, of: 1))))
        }
        #expect(tree.lines(from: root)[0].hasSuffix("  ✓ Session 0.0ms  ✓ Notes 0.0ms"))
    }

    @Test func `who is known to be absent is shown as parked, and is not waited for`() {
        let topic: Topic = "Auth.Business.Effect"
        func member(_ id: ModuleID, absence: String?) -> ClusterPicture.Member {
            .init(module: id, epoch: Epoch(1), handles: [topic], emits: [], provides: [], observes: [], host: nil, absence: absence)
        }
        for hasOther in [false, true] {
            let members = [member("Session", absence: "it is quarantined")] + (hasOther ? [member("Auth", absence: nil)] : [])
            var tree = CausalTree(Absentees(ClusterPicture(version: 1, members: members, hosts: [])))
            tree.add(effect("Cluster", 1, "login"))
            #expect(tree.unsettled(of: root) == (hasOther ? 1 : 0))
            #expect(tree.lines(from: root) == ["Cluster#1  Auth.Business.Effect.login  Cluster  +0ms  ‖ Session parked"])
            tree.add(.settlement(TappedSettlement(recipient: "Session", effect: root, record: Sample.settled(1, of: 1, durationMicroseconds: 25_040))))
            #expect(tree.lines(from: root) == ["Cluster#1  Auth.Business.Effect.login  Cluster  +0ms  ✓ Session 25.0ms"])
        }
    }

    @Test func `children of an effect that the tap missed hang below the nearest that it saw`() {
        var tree = CausalTree()
        tree.add(effect("Cluster", 1, "login"))
        tree.add(effect("Session", 3, "fetch", below: [root, EffectID(module: "Auth", position: 2)]))
        #expect(tree.lines(from: root).count == 2)
    }

    @Test func `a root that the tap missed is named`() {
        #expect(CausalTree().lines(from: root) == ["Cluster#1  (not seen by this tap)"])
    }

    @Test func `an ancestry that names itself ends`() {
        var tree = CausalTree()
        let first = EffectID(module: "A", position: 1)
        let second = EffectID(module: "B", position: 1)
        tree.add(effect("A", 1, "x", below: [root, second]))
        tree.add(effect("B", 1, "x", below: [root, first]))
        #expect(!tree.lines(from: root).isEmpty)
        #expect(!tree.lines(from: first).isEmpty)
    }
}
