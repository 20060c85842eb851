import Foundation
import Relux
import ReluxControl
@testable import ReluxLedger
import ReluxWire
import Testing

/// Fixed samples, one per kind of record and per rule of the CBOR coding.
enum WireSamples {
    static func frames() throws -> [(name: String, frame: Frame)] {
        let cause = EffectID(module: "Session", position: 2 << 40 | 9)
        let payload = try CBOR.encode(SampleEffect.authSucceeded(userId: "u1"))[...]
        let effect = EffectRecord(
            position: 3 << 40 | 7, sequence: 4, caseName: "authSucceeded", ancestry: [EffectID(module: "Cluster", position: 5), cause],
            awaitDepth: 1, remainingDeadlineMilliseconds: 29_500, memberVersion: 2, flags: [],
            site: CallSite(file: "Auth/AuthSaga.swift", line: 42, function: "handle(_:)"), label: "login",
            contractFingerprint: 0x0123_4567_89ab_cdef, wallTimeMilliseconds: 1_790_000_000_000, payload: payload)
        let next = EffectRecord(
            position: effect.position + 2, sequence: 5, caseName: effect.caseName, wallTimeMilliseconds: effect.wallTimeMilliseconds + 1, payload: payload,
            context: effect.context)
        func frame(_ topic: Topic, _ publisher: ModuleID, _ records: WireRecord...) -> Frame {
            Frame(topic: topic, publisher: publisher, epoch: Epoch(3), records: records)
        }
        let topic: Topic = "Auth.Business.Effect"
        var together = EffectRuns(position: effect.position + 2, sequence: 5)
        for (position, sequence) in [(3, 6), (4, 7), (9, 8)] as [(UInt64, UInt64)] {
            together.append(position: effect.position + position, sequence: sequence)
        }
        let answer = Relux.ActionResult(outcomes: [
            .init(recipient: .init(module: "Notes", handler: "Notes.Business.Flow"), status: .succeeded, value: .init(["notes": 3]))
        ])
        return [
            ("effect", frame(topic, "Auth", .effect(effect))),
            ("effects", frame(topic, "Auth", .effect(effect), .effect(next))),
            (
                "settled",
                frame(
                    .settlements(of: "Auth"), "Notes",
                    .settled(
                        SettledRecord(
                            sequence: 11, topic: topic, effects: EffectRuns(position: effect.position, sequence: effect.sequence),
                            status: .succeeded, durationMicroseconds: 1500, diverged: [2 << 40 | 6],
                            result: (ResultCoding.encode(answer, userInfo: [:]) ?? [])[...])))
            ),
            (
                "settled-together",
                frame(.settlements(of: "Auth"), "Notes", .settled(SettledRecord(sequence: 12, topic: topic, effects: together, durationMicroseconds: 90)))
            ),
            ("member", frame(topic, "Auth", .member(MemberRecord(sequence: 4, version: 2, recipients: ["Notes", "Session"])))),
            ("snapshot", frame("~snapshot.Auth.UI.State", "Auth", .snapshot(SnapshotRecord(version: 12, flags: .stale, payload: payload)))),
            (
                "head",
                frame(
                    "~head.Auth", "Auth",
                    .head(
                        HeadRecord(
                            streams: [.init(topic: topic, low: 1, head: 4)],
                            acknowledged: [.init(module: "Notes", topic: .settlements(of: "Auth"), lowWater: 11)])))
            ),
            ("fetch", frame("~fetch.Auth", "Notes", .fetch(FetchRecord(requester: "Notes", topic: topic, ranges: [2...3, 200...1000])))),
            (
                "replay",
                frame(
                    "~replay.Notes", "Auth", .stream(StreamRecord(topic: topic)), .gone(GoneRecord(topic: topic, range: 2...3)),
                    .head(HeadRecord(streams: [.init(topic: topic, low: 4, head: 4)])))
            ),
            (
                "ready",
                Frame(
                    topic: "~ready", publisher: "auth-host", epoch: Epoch(0),
                    records: [
                        .ready(
                            ReadyRecord(
                                marker: (0..<16).map { UInt8($0) }[...],
                                streams: [
                                    .init(publisher: "Auth", epoch: Epoch(3), topic: "~head.Auth", head: 0, starts: []),
                                    .init(
                                        publisher: "Auth", epoch: Epoch(3), topic: topic, head: 4,
                                        starts: [.init(recipient: "Notes", after: 2)]),
                                ]))
                    ])
            ),
        ]
    }

    static func cbor() throws -> [(name: String, bytes: [UInt8])] {
        struct Profile: Codable { var name = "Ada", age = 36, height: Float = 1.5, score = 0.25, nickname: String? = nil, tags: [String?] = ["x", nil] }
        return [
            ("case-without-values", try CBOR.encode(SampleEffect.logout)),
            ("case-with-labels", try CBOR.encode(SampleEffect.authSucceeded(userId: "u1"))),
            ("case-without-labels", try CBOR.encode(SampleEffect.rename("draft", to: "final"))),
            (
                "bytes-and-secrets",
                try CBOR.encode(
                    SampleEffect.transfer(amount: -500, to: "u2", token: SealedBytes([0xde, 0xad]), blob: ByteString([1, 2, 3])))
            ),
            ("struct", try CBOR.encode(Profile())),
            ("dictionary", try CBOR.encode(["bb": 1, "a": 24, "b": 1000])),
        ]
    }
}

@Suite struct `wire goldens` {
    @Test func `the bytes of every frame are those on record`() throws {
        for (name, frame) in try WireSamples.frames() {
            let bytes = try frame.encoded()
            try Golden.expect(Dissection.frame(bytes), at: "Frames/\(name)")
            #expect(try Frame(decoding: Hex.bytes(Golden.text(at: "Frames/\(name)"))) == frame)
        }
    }

    @Test func `the bytes of every record of a journal are those on record`() throws {
        let samples = try JournalSamples.records()
        for (name, record) in samples {
            let bytes = try record.encoded()
            try Golden.expect(Dissection.record(bytes), at: "Records/\(name)")
            #expect(try WireRecord.decode(Hex.bytes(Golden.text(at: "Records/\(name)"))) == record)
        }
        let kinds = try samples.map { try $0.record.encoded().drop { $0 >= 0x80 }.dropFirst().first }
        #expect(kinds == Array(AckedRecord.kind...RefusedRecord.kind) + [ScheduleRecord.kind], "one sample of each kind")
    }

    @Test func `the bytes of every CBOR sample are those on record`() throws {
        for (name, bytes) in try WireSamples.cbor() {
            try Golden.expect(Dissection.cbor(bytes), at: "CBOR/\(name)")
            #expect(try Hex.bytes(Golden.text(at: "CBOR/\(name)")) == bytes)
        }
    }

    @Test func `the bytes of every control message are those on record`() throws {
        for (name, bytes) in try ControlSamples.messages() {
            try Golden.expect(Dissection.cbor(bytes), at: "Control/\(name)")
            #expect(try Hex.bytes(Golden.text(at: "Control/\(name)")) == bytes)
        }
    }

    @Test func `the document finds the sockets where the run directory has them`() throws {
        let document = try Self.document()
        let short = RunDirectory(path: "/srv/demo")
        let long = RunDirectory(path: "/srv/clusters/of-a-name-that-is-too-long-for-a-socket-in-it")
        #expect(document.contains("| `\(short.path)` | `\(short.brokerEndpoint)` |"))
        let anyone = long.brokerEndpoint.replacingOccurrences(of: "relux-\(geteuid())-", with: "relux-<uid>-")
        #expect(document.contains("| `\(long.path)` | `\(anyone)` |"))
    }

    @Test func `the document names every status, and the topic of every kind that is a journal's own`() throws {
        let document = try Self.document()
        for status in SettledRecord.Status.allCases { #expect(document.contains("\n| \(status.rawValue) | \(status) |")) }
        let topics: [(kind: UInt8, topic: Topic)] = [
            (AckedRecord.kind, AckedRecord.topic), (CursorRecord.kind, CursorRecord.topic), (StateRecord.kind, StateRecord.topic),
            (KeptRecord.kind, KeptRecord.topic), (AttemptRecord.kind, AttemptRecord.topic), (DeadRecord.kind, DeadRecord.topic),
        ]
        for (kind, topic) in topics {
            #expect(document.contains("\n| \(kind) | \(topic.rawValue.dropFirst().uppercased()) | `\(topic)` |"))
        }
    }

    private static func document() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/ReluxWire/ReluxWire.docc/WireFormat.md")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test func `every hex example of the document is a golden, and every golden is an example`() throws {
        let document = try Self.document()
        var shown: Set<String> = []
        for block in document.components(separatedBy: "```hex ").dropFirst() {
            let lines = block.components(separatedBy: "\n")
            let name = try #require(lines.first)
            let text = lines.dropFirst().prefix { $0 != "```" }.joined(separator: "\n") + "\n"
            #expect(try text == Golden.text(at: name), "\(name)")
            shown.insert(name)
        }
        let frames = try WireSamples.frames().map { "Frames/\($0.name)" }
        let records = try JournalSamples.records().map { "Records/\($0.name)" }
        let texts = try WireSamples.cbor().map { "CBOR/\($0.name)" }
        let messages = try ControlSamples.messages().map { "Control/\($0.name)" }
        #expect(shown == Set(frames + records + texts + messages))
    }
}
