import ArgumentParser
import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// What people are used to from other tools: watching, ages, words that a shell offers, a cheat sheet.
@Suite struct HabitTests {
    @Test(arguments: [(0, "0s"), (119, "119s"), (120, "2m"), (7199, "119m"), (7200, "2h"), (172_799, "47h"), (172_800, "2d"), (8_640_000, "100d")])
    func `an age has the largest unit of which there are two`(_ seconds: Int, _ text: String) {
        #expect(StatusOutput.ageText(.seconds(seconds)) == text)
    }

    @Test func `the age of a process is the time since its start`() throws {
        let facts = try #require(ProcessFiles.facts(of: getpid()))
        let age = try #require(ProcessFiles.age(of: facts))
        // This process has run for a while, and not longer than the machine.
        let up = try #require(String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: " ").first.flatMap { Double($0) })
        #expect(age > .zero && age <= .seconds(up + 1), "\(age) of \(up)")
    }

    /// Watches a list that is another at each look, until nobody reads any more.
    private func watch(_ looks: [[String]], isTerminal: Bool) throws -> [String] {
        let out = Mutex<[String]>([])
        let look = Mutex(0)
        var console = Console(out: { line in out.withLock { $0.append(line) } }, talk: { _ in }, isTerminal: isTerminal)
        console.hasLostReader = { look.withLock { $0 } >= looks.count }
        let options = try WatchOptions.parse(["--watch", "--interval", "1ms"])
        let session = CommandSession(console: console, options: try CommonOptions.parse([]))
        let status = try options.run(session) { session throws(CLIError) in
            let lines = looks[look.withLock { number in defer { number += 1 }; return number }]
            if lines == ["gone"] { throw CLIError(.unreachable, "cluster.down", "no cluster answers", hint: "start it") }
            for line in lines { session.print(line) }
            return .ok
        }
        #expect(status == .readerGone)
        return out.withLock { $0 }
    }

    @Test func `what is watched is shown again when it has changed, not when it has only grown older, and a cluster that is gone is waited for`() throws {
        let looks = [["a ready 5s"], ["a ready 6s"], ["a ready 2m", "b ready 0s"], ["gone"], ["gone"], ["a ready 3m"]]
        #expect(try watch(looks, isTerminal: false) == ["a ready 5s", "a ready 2m", "b ready 0s", "relux: no cluster answers", "       start it", "a ready 3m"])
        // There it is drawn in the same place, ages too.
        let drawn = try watch(looks, isTerminal: true)
        #expect(drawn.count == 5 && drawn.allSatisfy { $0.hasPrefix("\u{1b}[H\u{1b}[2J") }, "\(drawn)")
    }

    @Test func `a template that leads nowhere ends a watch`() throws {
        let console = TestConsole()
        #expect(console.run(["module", "ls", "-w", "-o", "jsonpath={.a"]) == .usage)
        let options = try WatchOptions.parse(["--watch"])
        let session = CommandSession(console: Console(out: { _ in }, talk: { _ in }), options: try CommonOptions.parse(["-o", "jsonpath={.a}"]))
        let error = #expect(throws: CLIError.self) {
            try options.run(session) { session throws(CLIError) in
                session.print(["b": 1])
                return .ok
            }
        }
        #expect(error?.code == "usage.jsonpath")
    }

    @Test func `a shell is offered the names of the cluster that the words name, and nothing where none answers`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let contracts = try Demo.contracts()
        let broker = try FakeBroker(run: scratch.path) { request in
            switch request {
            case .status: .status(Demo.status)
            case .contracts: contracts
            default: nil
            }
        }
        func listed(_ command: String..., words: [String]) -> [String] { Completions.listed(command, words, environment: [:], directory: "/") }
        #expect(listed("module", "ls", "-o", "name", words: ["relux", "module", "show", "--run", scratch.path, ""]) == ["Auth", "Session"])
        #expect(listed("effect", "ls", "-o", "name", words: ["relux", "--run=\(scratch.path)"]).contains("Auth.Business.Effect.login"))
        #expect(listed("module", "ls", "-o", "name", words: ["relux", "--run", scratch.path + "/none"]) == [])
        #expect(listed("module", "ls", "-o", "name", words: ["relux", "--run"]) == [])
        withExtendedLifetime(broker) {}
        for shell in ["bash", "zsh", "fish"] {
            let script = TestConsole()
            #expect(script.run(["completion", shell]) == .ok && script.out.contains("---completion module show"), "\(shell)")
        }
        // Nothing but words is printed.
        let asked = TestConsole()
        #expect(asked.run(["---completion", "module", "show", "--", "positional@0", "3", "0", "relux", "module", "show", ""]) == .ok)
        #expect(!asked.out.contains("EXAMPLES"), "\(asked.out)")
    }

    @Test func `each command of the cheat sheet is one of relux, and a subject is found by its name`() throws {
        for line in CheatCommand.sheet.flatMap(\.lines) {
            let words = Self.words(line.command)
            try #require(words.first == "relux")
            let command = try ReluxCommand.parseAsRoot(Array(words.dropFirst()))
            #expect(command is any SessionCommand, "\(line.command)")
            #expect(line.want.count <= 76 && line.command.count <= 118, "\(line.command)")
        }
        let all = TestConsole()
        #expect(all.run(["cheat"]) == .ok && all.out.contains("\n  # why is it not ready\n  relux module why-not Notes\n"), "\(all.out)")
        let one = TestConsole()
        #expect(one.run(["cheat", "effect", "-o", "name"]) == .ok && one.out.hasPrefix("relux effect ls 'Notes.**'\n"), "\(one.out)")
        let none = TestConsole()
        #expect(none.run(["cheat", "modul"]) == .notFound && none.talk.contains("did you mean 'module'?"), "\(none.talk)")
    }

    /// As a shell takes a line apart; only single quotes are used.
    private static func words(_ line: String) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().reduce(into: [""]) { words, part in
            if part.offset % 2 == 1 { words[words.count - 1] += part.element } else {
                let pieces = part.element.split(separator: " ", omittingEmptySubsequences: false)
                words[words.count - 1] += pieces[0]
                words += pieces.dropFirst().map(String.init)
            }
        }.filter { !$0.isEmpty }
    }
}
