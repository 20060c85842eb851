import ReluxTap
import ReluxWire
import Testing

@Suite struct TapLineTests {
    private func line(_ record: EffectRecord) -> String {
        TapLine().text(
            of: TappedEffect(publisher: "Auth", topic: "Auth.Business.Effect", epoch: Epoch(1), record: record))
    }

    @Test func `an effect is one line with time, id, call, module, source and cause`() {
        let record = Sample.effect(3 << 40 | 42, ancestry: [EffectID(module: "SessionOrchestration", position: 2 << 40 | 7)])
        #expect(
            line(record)
                == """
                22:13:20.114Z  Auth#3.42  Auth.Business.Effect.authSucceeded(userId: "u7")  Auth  Auth+Saga.swift:41  \
                <- SessionOrchestration#2.7
                """)
    }

    @Test func `a secret is never shown`() {
        let sealed = CBORValue.tagged(SealedBytes.tag, .bytes(Array("pa55".utf8)))
        let record = Sample.effect(1, caseName: "login", payload: ["login": ["password": sealed]])
        #expect(line(record).contains("Auth.Business.Effect.login(password: •••)"))
        let json = TapJSON.object(
            of: TappedEffect(publisher: "Auth", topic: "Auth.Business.Effect", epoch: Epoch(1), record: record)).text()
        #expect(json.contains(#""payload":{"login":{"password":"•••"}}"#))
    }

    @Test func `nothing that a module says can steer the terminal`() {
        let text = "\u{1b}[2J\u{202e}\n"
        let record = Sample.effect(
            1, payload: ["authSucceeded": ["userId": .text(text)]], file: "x/\u{1b}]0;y\u{7}.swift", label: text)
        let shown = line(record)
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e || $0.value == 0x7f })
    }

    @Test func `the tap and JSON escape the same scalars, and leave joiners where words need them`() {
        let text = "می\u{200c}خواهم 👩\u{200d}👩\u{200d}👧 \u{202e}x\u{feff}\u{e0041}\u{85}"
        let payload: CBORValue = ["authSucceeded": ["userId": .text(text)]]
        let words = "می\u{200c}خواهم 👩\u{200d}👩\u{200d}👧 "
        #expect(line(Sample.effect(1, payload: payload)).contains(words + #"\u{202e}x\u{feff}\u{e0041}\u{85}"#))
        #expect(JSONValue.string(text).text() == "\"" + words + #"\u202ex\ufeff\udb40\udc41\u0085""#)
        #expect(TerminalText.escaped(text).hasSuffix(#"\u{202e}x\u{feff}\u{e0041}\u{85}"#))
        #expect(TerminalText.escaped(text).contains("می\u{200c}خواهم"))
    }

    @Test func `a payload that cannot be read is named by its size`() {
        let known = Sample.effect(1)
        let record = EffectRecord(position: known.position, sequence: known.sequence, caseName: known.caseName, payload: [0xff, 0xff])
        #expect(line(record).contains("Auth.Business.Effect.authSucceeded(<2 bytes>)"))
    }

    @Test func `label and a missing recipient are shown`() {
        #expect(line(Sample.effect(1, label: "retry", flags: .unhandled)).hasSuffix("[retry]  unhandled"))
    }

    @Test func `a refusal is one line with module, effect, reason, source, cause and remedy, and steers no terminal`() {
        var record = RefusedRecord(
            count: 1, reason: "undeclared", topic: "Notes.Business.Effect", caseName: "add", ancestry: [EffectID(module: "Auth", position: 7)],
            site: CallSite(file: "AuthReluxImpl/Auth+Saga.swift", line: 41, function: "apply"), wallTimeMilliseconds: 1_700_000_000_114,
            message: "Auth does not declare it; add it to `emits`")
        func text(_ style: TerminalStyle = .plain) -> String {
            TapLine(style: style).text(of: TappedRefusal(module: "Auth", record: record))
        }
        #expect(
            text()
                == "✗ 22:13:20.114Z  Notes.Business.Effect.add  Auth  refused undeclared  Auth+Saga.swift:41  <- Auth#7:"
                + " Auth does not declare it; add it to `emits`")
        #expect(text(TerminalStyle(hasColor: true)).contains("\u{1b}[31mrefused undeclared\u{1b}[0m"))
        record.message = "\u{1b}[2J"
        record.caseName = "\u{1b}[2J"
        #expect(!text().unicodeScalars.contains { $0.value < 0x20 })
        let json = TapJSON.object(of: .refusal(TappedRefusal(module: "Auth", record: record))).text()
        #expect(json.contains(#""schema":"relux.tap.refusal/1""#) && json.contains(#""cause":"Auth#7""#))
    }

    @Test func `a settlement is one line`() {
        let settlement = TappedSettlement(
            recipient: "Profile", effect: EffectID(module: "Auth", position: 1042),
            record: Sample.settled(1, of: 1042, durationMicroseconds: 2130))
        #expect(TapLine().text(of: settlement) == "✓ Profile settled Auth#1042 succeeded 2.1ms")
        var failed = settlement
        failed.record = Sample.settled(1, of: 1042, status: .failed, durationMicroseconds: 2130)
        #expect(TapLine().text(of: failed) == "✗ Profile settled Auth#1042 failed 2.1ms")
    }

    @Test func `a settlement says that the effect was given up`() {
        let settlement = TappedSettlement(
            recipient: "Profile", effect: EffectID(module: "Auth", position: 1042),
            record: Sample.settled(1, of: 1042, status: .deadLettered))
        #expect(TapLine().text(of: settlement) == "✗ Profile settled Auth#1042 deadLettered 0.0ms")
    }

    @Test func `a settlement counts what the last run of its handler left out`() {
        let settlement = TappedSettlement(
            recipient: "Profile", effect: EffectID(module: "Auth", position: 1042),
            record: Sample.settled(1, of: 1042, durationMicroseconds: 2130, diverged: [7, 9]))
        #expect(TapLine().text(of: settlement) == "✓ Profile settled Auth#1042 succeeded 2.1ms 2 diverged")
    }

    @Test func `a settlement as JSON keeps its schema`() {
        var settlement = TappedSettlement(
            recipient: "Profile", effect: EffectID(module: "Auth", position: 1042),
            record: Sample.settled(1, of: 1042, effectSequence: 3, durationMicroseconds: 2130))
        #expect(
            TapJSON.object(of: settlement).text()
                == """
                {"schema":"relux.tap.settlement/1","effect":"Auth#1042","effectLife":0,"effectPosition":1042,"topic":"Auth.Business.Effect","effectSequence":3,\
                "recipient":"Profile","status":"succeeded","durationMicroseconds":2130}
                """)
        settlement.record = Sample.settled(
            1, of: 1042, effectSequence: 3, status: .deadLettered, durationMicroseconds: 2130, diverged: [7, 9])
        #expect(
            TapJSON.object(of: settlement).text().hasSuffix(
                #""status":"deadLettered","durationMicroseconds":2130,"diverged":["Profile#7","Profile#9"]}"#))
    }

    @Test func `colours are there only when asked for`() {
        let effect = TappedEffect(publisher: "Auth", topic: "Auth.Business.Effect", epoch: Epoch(1), record: Sample.effect(1))
        #expect(!TapLine().text(of: effect).contains("\u{1b}"))
        #expect(TapLine(style: TerminalStyle(hasColor: true)).text(of: effect).contains("\u{1b}[1mAuth.Business.Effect"))
    }

    @Test func `an effect as JSON keeps its schema`() {
        let record = Sample.effect(3 << 40 | 42, sequence: 3, ancestry: [EffectID(module: "Session", position: 7)], label: "x")
        let effect = TappedEffect(publisher: "Auth", topic: "Auth.Business.Effect", epoch: Epoch(1), record: record)
        #expect(
            TapJSON.object(of: effect).text()
                == """
                {"schema":"relux.tap.effect/1","id":"Auth#3298534883370","life":3,"position":42,"topic":"Auth.Business.Effect","case":"authSucceeded",\
                "payload":{"authSucceeded":{"userId":"u7"}},"module":"Auth","epoch":1,"sequence":3,\
                "timeMilliseconds":1700000000114,"site":{"file":"AuthReluxImpl/Auth+Saga.swift","line":41,\
                "function":"handle(_:)"},"label":"x","cause":"Session#7","causeLife":0,"causePosition":7,\
                "root":"Session#7","rootLife":0,"rootPosition":7,"hop":1,"unhandled":false}
                """)
    }
}
