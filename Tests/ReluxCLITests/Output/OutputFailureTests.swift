import ArgumentParser
import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

/// Every command with a standard output that takes nothing: a full device, and a reader that has gone.
@Suite struct OutputFailureTests {
    /// Words of every command, and its arguments where it has something to print.
    static let printing: [(words: String, arguments: [String])] = [
        ("status", []), ("module ls", []), ("module show", ["Auth"]), ("module why-not", ["Auth"]), ("module load", ["PACKED", "--dry-run"]),
        ("module unload", ["Auth", "--dry-run"]), ("module restart", ["Auth", "--dry-run"]), ("module upgrade", ["Auth", "PACKED", "--dry-run"]),
        ("module rollback", ["Auth", "--dry-run"]), ("module move", ["Auth", "--own", "--dry-run"]), ("module evict", ["Auth", "--dry-run"]),
        ("module pack", ["libAuthReluxImpl.so", "--dry-run"]), ("effect ls", []), ("effect send", ["Auth.Business.Effect.logout"]),
        ("contract diff", ["PACKED", "PACKED", "--json"]), ("signal ls", ["-o", "json"]), ("tap", []), ("audit", []), ("dlq ls", []),
        ("dlq show", ["Auth#8"]), ("dlq retry", ["Auth#8", "--dry-run"]), ("dlq drop", ["Auth#8", "--dry-run"]), ("schedule ls", []),
        ("schedule fire", ["Auth", "poll"]), ("schedule pause", ["Auth", "poll"]), ("schedule resume", ["Auth", "poll"]),
        ("journal ls", []),
        ("journal show", ["Auth"]), ("journal verify", []), ("journal repair", ["Auth", "--json"]), ("logs", []), ("logs", ["-f"]), ("doctor", []),
        ("version", []), ("explain", []), ("schema", []), ("cheat", []), ("context ls", []), ("context show", []), ("sdk show", ["--sdk", "SDK"]), ("completion", ["bash"]), ("up", ["--dry-run", "--reset-members"]), ("apply", ["--plan"]),
    ]
    /// Commands whose output needs more than a broker that answers: `relux down` a supervisor, `relux signal complete` a signal.
    private static let unprinted: Set = ["down", "signal complete", "context add", "context select", "context previous", "context rm", "sdk export", "sdk add"]

    private static func leaves(of command: any ParsableCommand.Type, _ words: [String]) -> [[String]] {
        let below = command.configuration.subcommands
        if below.isEmpty { return [words] }
        return below.flatMap { leaves(of: $0, words + [$0.configuration.commandName ?? ""]) }
    }

    private static let commands = leaves(of: ReluxCommand.self, []).map { $0.joined(separator: " ") }

    static func books() throws -> (SampleBooks, FakeBroker, FakeHost, [String: String]) {
        let books = try SampleBooks()
        try books.write(
            [(ScheduleRecord.topic, [.schedule(ScheduleRecord(scheduleName: "poll", rule: "every 30s", last: 0, next: 30_000))])], of: "Auth", epoch: 2)
        let packed = try Demo.pack("Auth", "1.4.0", in: books.scratch.path)
        try Data("a line\n".utf8).write(to: URL(fileURLWithPath: books.run.log(of: "Auth")))
        try Demo.writeSDK(books.scratch.path + "/sdk")
        let configuration = books.scratch.path + "/cluster.yaml"
        try Data("cluster: {directory: ., plugins: [{path: \(packed)}]}\n".utf8).write(to: URL(fileURLWithPath: configuration))
        let host = try FakeHost(directory: books.run, topic: "Auth.Business.Effect", publisher: "Auth") { sequence in
            EffectRecord(position: sequence, sequence: sequence, caseName: "logout", payload: [0xa1, 0x66] + Array("logout".utf8) + [0xa0])
        }
        let known = host.host
        let contracts = try Demo.contracts()
        let broker = try FakeBroker(run: books.scratch.path) { request in
            switch request {
            case .contracts: return contracts
            case .whyNot: return .whyNot(unmet: ["it waits"])
            case .compare: return .differences([MembershipDifference("Notes runs, and the file does not name it", step: .unload("Notes"))])
            case .emit: return .emitted(EmitAnswer(effect: EffectID(module: "Cluster", position: 7), unhandled: false, succeeded: true, outcomes: []))
            case .status:
                var status = Demo.status
                status.picture.hosts = [known]
                status.modules.append(Demo.module("Notes", "domain", ModuleState(.ready), pid: 103))
                return .status(status)
            default: return .done(lines: ["done"])
            }
        }
        return (books, broker, host, ["RELUX_CONFIG": configuration, "PACKED": packed, "SDK": books.scratch.path + "/sdk"])
    }

    @Test func `every command stands in the table`() {
        #expect(Set(Self.printing.map(\.words)).union(Self.unprinted) == Set(Self.commands))
    }

    @Test(arguments: Program.Output.allCases)
    func `a command whose output cannot be written fails`(_ output: Program.Output) async throws {
        let (books, broker, host, environment) = try Self.books()
        for row in Self.printing {
            let arguments = row.arguments.map { ["PACKED", "SDK"].contains($0) ? environment[$0]! : $0 }
            let ended = try await Program.run(
                row.words.split(separator: " ").map(String.init) + arguments + ["--timeout", "30s"], output, environment: environment)
            let name = "\(row.words) \(row.arguments)"
            switch output {
            case .full:
                #expect(ended.status == 74, "\(name): \(ended)")
                #expect(ended.talk.contains("relux: standard output cannot be written: No space left on device"), "\(name): \(ended)")
            case .abandoned, .abandonedUnnoticed:
                #expect(ended.status == 141, "\(name): \(ended)")
                #expect(!ended.talk.contains("relux: "), "\(name): \(ended)")
            }
        }
        withExtendedLifetime((books, broker, host)) {}
    }

    @Test func `so does its help`() async throws {
        let isFull = ProcessInfo.processInfo.environment["RELUX_TEST_FULL"] != nil
        for words in isFull ? Self.commands : ["status", "module pack", "journal repair"] {
            let ended = try await Program.run(words.split(separator: " ").map(String.init) + ["--help"], .full)
            #expect(ended.status == 74, "\(words): \(ended)")
        }
    }

    @Test(arguments: ["tap", "logs"])
    func `a command that only waits ends when its reader has gone`(_ word: String) async throws {
        let (books, broker, host, environment) = try Self.books()
        // Nothing matches, nothing is written, nothing would fail.
        try Data().write(to: URL(fileURLWithPath: books.run.log(of: "Auth")))
        let ended = try await Program.run(word == "tap" ? ["tap", "Notes.**", "-q"] : ["logs", "-f"], .abandonedUnnoticed, environment: environment)
        #expect(ended.status == 141, "\(ended)")
        withExtendedLifetime((books, broker, host)) {}
    }

    @Test func `the supervisor's configuration that cannot be written fails too`() async throws {
        let (books, broker, host, environment) = try Self.books()
        let rows: [([String], Program.Output, Int32)] = [
            (["--config", environment["RELUX_CONFIG"]!, "--print"], .full, 74), (["--help"], .full, 74), (["--help"], .abandonedUnnoticed, 141),
        ]
        for (arguments, output, status) in rows {
            let ended = try await Program.run(arguments, output, program: "relux-supervisor")
            #expect(ended.status == status, "\(arguments): \(ended)")
        }
        withExtendedLifetime((books, broker, host)) {}
    }

    @Test func `input that is no text is refused with the place of the byte`() async throws {
        let (books, broker, host, environment) = try Self.books()
        let json = Array(#"{"email": "a"#.utf8) + [0xff] + Array(#""}"#.utf8)
        let ended = try await Program.run(["effect", "send", "Auth.Business.Effect.login", "-"], .full, input: json, environment: environment)
        #expect(ended.status == 2)
        #expect(ended.talk.contains("standard input is not UTF-8 text: byte 12 of 15"), "\(ended)")
        let secret = try await Program.run(
            ["effect", "send", "Auth.Business.Effect.login", #"{"email": "a"}"#, "--secret", "password"], .full, input: [0x61, 0xc3, 0x28, 0x0a],
            environment: environment)
        #expect(secret.status == 2)
        #expect(secret.talk.contains("is not UTF-8 text: byte 1 of 3") && !secret.talk.contains("a("), "\(secret)")
        withExtendedLifetime((books, broker, host)) {}
    }
}
