import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxJournal
import ReluxSupervisor
import ReluxTestKit
import ReluxWire

/// A run directory with journals on the disk: Auth says ten effects to Notes, which has settled seven and given up two more.
struct SampleBooks {
    static let topic: Topic = "Auth.Business.Effect"
    static let letter = EffectID(module: "Auth", position: 5)

    /// Tag 42476 around a byte string.
    static let sealed: [UInt8] =
        [0xa1, 0x65] + Array("login".utf8) + [0xa2, 0x65] + Array("email".utf8) + [0x65] + Array("a@b.c".utf8)
        + [0x68] + Array("password".utf8) + [0xd9, 0xa5, 0xec, 0x43, 1, 2, 3]

    let scratch: TemporaryDirectory
    let run: RunDirectory
    private let environment: JournalEnvironment

    /// - Parameter acknowledged: settlements that Auth has taken; more than nine were never said.
    init(acknowledged: UInt64 = 8) throws {
        let scratch = TemporaryDirectory(isMade: true)
        try self.init(in: scratch, RunDirectory(path: scratch.path), acknowledged: acknowledged)
    }

    init(in scratch: TemporaryDirectory, _ run: RunDirectory, acknowledged: UInt64 = 8) throws {
        (self.scratch, self.run) = (scratch, run)
        try run.create()
        var environment = try JournalEnvironment.live()
        environment.wallMilliseconds = { 1_790_000_000_000 }
        self.environment = environment
        var auth: [(Topic, [WireRecord])] = [
            (Self.topic, [.member(MemberRecord(sequence: 0, version: 1, recipients: ["Notes"]))])
        ]
        auth[0].1 += (1...10).map { .effect(EffectRecord(position: $0, sequence: $0, caseName: "login", payload: [0xa0])) }
        var settled: [WireRecord] = []
        var taken: [WireRecord] = []
        for number in UInt64(1)...9 {
            let status: SettledRecord.Status = number > 7 ? .deadLettered : number == 4 ? .failed : .succeeded
            settled.append(
                .settled(
                    SettledRecord(
                        sequence: number, topic: Self.topic, effects: EffectRuns(position: number, sequence: number), status: status)))
        }
        for number in UInt64(1)...acknowledged {
            let status: SettledRecord.Status = number > 7 ? .deadLettered : number == 4 ? .failed : .succeeded
            taken.append(
                .acked(
                    AckedRecord(
                        recipient: "Notes", settlementSequence: number, topic: Self.topic,
                        effects: EffectRuns(position: number, sequence: number), status: status)))
        }
        try write(auth + [(AckedRecord.topic, taken)], of: "Auth")
        let payload = Self.sealed
        let letters = (UInt64(8)...9).map { position in
            WireRecord.dead(
                DeadRecord(
                    effect: EffectID(module: "Auth", position: position), topic: Self.topic, caseName: "login",
                    deaths: position == 8 ? 5 : 0, wallTimeMilliseconds: 1_790_000_000_000 + position * 1000,
                    reason: position == 8
                        ? "its handler has ended the process 5 times, the last time while it ran alone"
                        : "Auth.Business.Effect Auth#9 could not be decoded",
                    payload: payload[...], contractFingerprint: position == 8 ? 0xAB : 0))
        }
        try write([(DeadRecord.topic, letters), (.settlements(of: "Auth"), settled)], of: "Notes")
    }

    /// Appends runs to the module's journal, as its process would.
    func write(_ runs: [(Topic, [WireRecord])], of module: ModuleID, epoch: UInt64 = 1) throws {
        let writer = try JournalWriter(
            directory: run.journal(of: module.rawValue), module: module, epoch: Epoch(epoch), environment: environment)
        var batch: [JournalRun] = []
        for (topic, records) in runs where !records.isEmpty {
            var builder = JournalRunBuilder(topic: topic)
            for record in records {
                let (sequence, position): (UInt64?, UInt64?) =
                    switch record {
                    case .effect(let effect): (effect.sequence, effect.position)
                    case .settled(let settled): (settled.sequence, nil)
                    default: (nil, nil)
                    }
                _ = try builder.append(record, sequence: sequence, position: position)
            }
            if let run = builder.finish() { batch.append(run) }
        }
        _ = try writer.append(batch)
        writer.close()
    }

    /// Notes marks a letter, as its host would.
    func mark(_ letter: DeadRecord, as resolution: DeadRecord.Resolution, epoch: UInt64) throws {
        var record = letter
        record.resolution = resolution
        try write([(DeadRecord.topic, [.dead(record)])], of: "Notes", epoch: epoch)
    }

    /// A crash report of Notes that names the effect.
    func crash(of effect: String) throws {
        var report = CrashReport(
            host: "notes", pid: 4711, status: .signalled(4), modules: ["Notes 1.4.0"],
            time: Date(timeIntervalSince1970: 1_790_000_000), directory: run.crashes,
            cause: "Program crashed: Illegal instruction at 0x1", message: "Notes/Flow.swift:7: Fatal error: a bad note\nof two lines",
            charge: try EffectID(parsing: effect))
        report.topFrames = ["Notes.Flow.apply(_:) in libNotesReluxImpl.so"]
        report.add([try EffectID(parsing: effect)], of: 1)
        _ = try report.write(to: run.crashes)
    }

    /// Status, data and talk of a command, without what differs from machine to machine.
    func output(_ arguments: [String], input: [String] = []) -> (status: ReluxCLI.ExitStatus, out: String, talk: String) {
        let console = TestConsole(input: input)
        let status = console.run(arguments + ["--run", scratch.path])
        func clean(_ text: String) -> String { text.replacingOccurrences(of: scratch.path, with: "RUN") }
        return (status, clean(console.out), clean(console.talk))
    }
}
