import ArgumentParser
import Foundation
@testable import ReluxCLI
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct CommandLineTests {
    @Test(arguments: [
        ["frob"], ["status", "--frob"], ["effect", "send"], ["module", "unload"], ["up", "--timeout", "soon"],
        ["status", "-o", "xml"], ["tap", "-n", "many"], ["completion", "tcsh"], ["module", "frob"],
        ["module", "upgrade"], ["module", "move", "A"], ["module", "move", "A", "--own", "--host", "b"], ["module", "evict"],
    ])
    func `a wrong command line ends with 2 and says so on standard error`(_ arguments: [String]) {
        let console = TestConsole()
        #expect(console.run(arguments) == .usage)
        #expect(console.out.isEmpty)
        #expect(!console.talk.isEmpty)
    }

    @Test func `a time that somebody gives is for the whole command, and a moment is always left`() throws {
        func timeout(_ words: [String], after gone: Duration) throws -> Duration {
            let console = Console(out: { _ in }, talk: { _ in })
            return CommandSession(console: console, options: try CommonOptions.parse(words), start: .now - gone).timeout(.seconds(30))
        }
        #expect(try timeout([], after: .seconds(20)) == .seconds(30))
        #expect(try timeout(["--timeout", "1h"], after: .zero) == .seconds(3600))
        #expect(try timeout(["--timeout", "1h"], after: .seconds(1800)) <= .seconds(1800))
        #expect(try timeout(["--timeout", "1h"], after: .seconds(7200)) == .seconds(2))
        #expect(try timeout(["--timeout", "100ms"], after: .seconds(7200)) == .milliseconds(100))
    }

    @Test func `a pattern that breaks the grammar ends with 2 before anything is asked`() {
        let console = TestConsole()
        #expect(console.run(["tap", "**.Auth", "--run", "/nowhere"]) == .usage)
        #expect(console.talk.contains("may only be its last segment"))
    }

    @Test(arguments: [
        (["help", "modle"], "'modle' is no command of `relux`", "did you mean 'module'?"),
        (["help", "module", "unlod"], "'unlod' is no command of `relux module`", "did you mean 'unload'?"),
        (["modle"], "'modle' is no command of `relux`", "did you mean 'module'?"),
        (["lnit"], "'lnit' is no command of `relux`", "did you mean 'lint'?"),
        (["module", "unlod"], "'unlod' is no command of `relux module`", "did you mean 'unload'?"),
        (["module", "unlod", "--help"], "'unlod' is no command of `relux module`", "did you mean 'unload'?"),
        (["module", "zebra"], "'zebra' is no command of `relux module`", "known are: ls, show"),
        (["help", "status", "x"], "'x' is no command of `relux status`", "`relux status --help` tells all of it"),
        (["help", "--hlep"], "'--hlep' is no option of `relux help`", "did you mean '--help'?"),
        (["status", "--zebra"], "'--zebra' is no option of `relux status`", "`relux status --help` names those that there are"),
        (["tap", "--count", "3"], "'--count' is no option of `relux tap`", "`relux tap --help` names those that there are"),
        (["status", "--jsno"], "'--jsno' is no option of `relux status`", "did you mean '--json'?"),
        (["module", "load", "--pakced", "Auth"], "'--pakced' is no option of `relux module load`", "did you mean '--packed'?"),
        (["module", "load", "--host", "a", "--pakced=yes"], "'--pakced' is no option of `relux module load`", "did you mean '--packed'?"),
        (["logs", "-fx"], "'-x' is no option of `relux logs`", "`relux logs --help` names those that there are"),
        (["--run", "x", "status"], "'--run' is no option of `relux`", "it stands behind the command: `relux status --run`"),
        (["module", "--dry-run"], "'--dry-run' is no option of `relux module`", "it stands behind the command: `relux module load --dry-run`"),
        (["status", "-o", "jsno"], "'jsno' is no value of -o", "did you mean 'json'?"),
        (["status", "--output=wdie"], "'wdie' is no value of --output", "did you mean 'wide'?"),
        (["logs", "-qojsno"], "'jsno' is no value of -o", "did you mean 'json'?"),
        (["completion", "bahs"], "'bahs' is no value of `relux completion`", "did you mean 'bash'?"),
    ])
    func `a word that means nothing where it stands is answered with the nearest that would`(_ arguments: [String], _ message: String, _ hint: String) {
        let console = TestConsole()
        #expect(console.run(arguments) == .usage)
        #expect(console.talk.hasPrefix("relux: \(message)\n       \(hint)") && console.out.isEmpty, "\(console.talk)")
        #expect(!console.talk.contains("Did you mean"), "\(console.talk)")
    }

    @Test(arguments: [
        (["modle"], "'modle' is no command of `relux`"), (["status", "--zebra"], "'--zebra' is no option of `relux status`"),
        (["status", "-o", "jsno"], "'jsno' is no value of -o"),
    ])
    func `the same in JSON mode`(_ arguments: [String], _ message: String) throws {
        let console = TestConsole()
        #expect(console.run(arguments + ["--json"]) == .usage)
        #expect(try JSONValue(parsing: console.talk)["message"]?.string == message, "\(console.talk)")
    }

    @Test(arguments: [["status", "--timeout", "soon"], ["effect", "send"], ["module", "move", "A", "--own", "--host"], ["tap", "-n", "many"]])
    func `of words that mean something the parser says what else is wrong`(_ arguments: [String]) {
        let console = TestConsole()
        #expect(console.run(arguments) == .usage)
        #expect(console.talk.hasPrefix("Error: "), "\(console.talk)")
    }

    @Test func `a usage error in JSON mode is one JSON object`() throws {
        let console = TestConsole()
        #expect(console.run(["effect", "send", "--json"]) == .usage)
        let error = try JSONValue(parsing: console.talk)
        #expect(error["schema"] == "relux.error/1")
        #expect(error["code"] == "usage")
        #expect(error["status"] == 2)
    }

    @Test(arguments: [
        ["up"], ["apply"], ["down"], ["status"], ["tap"], ["logs"], ["doctor"], ["version"], ["schema"], ["completion"], ["effect", "ls"],
        ["effect", "send"], ["module", "ls"], ["module", "show"], ["module", "load"], ["module", "unload"],
        ["module", "restart"], ["module", "why-not"], ["module", "pack"], ["module", "upgrade"], ["module", "rollback"],
        ["module", "move"], ["module", "evict"],
        ["context", "ls"], ["context", "show"], ["context", "add"], ["context", "select"], ["context", "previous"], ["context", "rm"],
        ["journal", "ls"], ["journal", "show"], ["journal", "verify"], ["journal", "repair"], ["contract", "diff"],
        ["schedule", "ls"], ["schedule", "fire"], ["schedule", "pause"], ["schedule", "resume"],
    ])
    func `the help of each verb ends with two examples of itself`(_ verb: [String]) throws {
        let console = TestConsole()
        #expect(console.run(verb + ["--help"]) == .ok)
        #expect(console.talk.isEmpty)
        let examples = try #require(console.out.components(separatedBy: "EXAMPLES:\n").last).split(separator: "\n")
        #expect(examples.count == 2)
        #expect(examples.allSatisfy { $0.contains("relux \(verb.joined(separator: " "))") })
    }

    @Test func `help is data and ends with 0`() throws {
        let console = TestConsole()
        #expect(console.run(["--help"]) == .ok)
        try expectGolden(console.out, "CommandLineTests/help")
    }

    @Test func `a group without a verb shows its verbs`() {
        let console = TestConsole()
        #expect(console.run(["module"]) == .ok)
        #expect(console.out.contains("why-not"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `each shell has a completion script`(_ shell: String) {
        let console = TestConsole()
        #expect(console.run(["completion", shell]) == .ok)
        #expect(console.out.contains("why-not"))
    }

    /// The program of the authors is a stand-in that says what it was asked.
    @Test func `bash completes the words of the authors' tools by their own script, and the others by this one`() throws {
        let own = ReluxCommand.completionScript(for: .bash)
        let authors = #"_relux-dev() { COMPREPLY=("asked:$1:${COMP_WORDS[*]}"); }"#
        let script = AuthorsCompletion.joined(.bash, own: own, authors: authors, words: HelperProgram.words)
        let folder = TemporaryDirectory(isMade: true)
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder.file("script")))
        func complete(_ words: String...) throws -> String {
            let line = words.joined(separator: " ")
            let commands = """
                source '\(folder.file("script"))'
                COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1)
                _relux_and_authors relux "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                echo "${COMPREPLY[*]}"
                """
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", commands]
            process.standardOutput = output
            try process.run()
            let text = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
        #expect(try complete("relux", "l") == "logs lint")
        #expect(try complete("relux", "module", "unl") == "unload")
        #expect(try complete("relux", "lint", "--j") == "asked:relux-dev:relux lint --j")
    }

    @Test func `without a cluster's name nothing is guessed`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["status"], directory: scratch.path) == .notFound)
        #expect(console.talk.contains("--config FILE or --run DIR"))
    }

    @Test func `a cluster that does not run ends with 4 and the remedy`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["status", "--run", scratch.path, "--json"]) == .unreachable)
        let error = try JSONValue(parsing: console.talk)
        #expect(error["code"] == "cluster.unreachable")
        #expect(error["hint"]?.string?.contains("relux up") == true)
    }

    @Test func `the run directory may come from the environment`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["status"], environment: ["RELUX_RUN": scratch.path]) == .unreachable)
        #expect(console.talk.contains(scratch.path))
    }

    @Test(arguments: [["status"], ["down"], ["logs"], ["journal", "ls"], ["audit"], ["dlq", "ls"], ["module", "ls"]])
    func `a run directory that is a file is said to be none`(_ arguments: [String]) {
        let console = TestConsole()
        #expect(console.run(arguments, environment: ["RELUX_RUN": "/dev/null"]) == .usage)
        #expect(console.talk == "relux: the run directory /dev/null is no directory\n       name another by --run, RELUX_RUN or cluster.directory")
        let doctor = TestConsole()
        #expect(doctor.run(["doctor"], environment: ["RELUX_RUN": "/dev/null"]) == .failed)
        #expect(doctor.out.contains("fail  configuration: the run directory /dev/null is no directory"), "\(doctor.out)")
    }

    @Test func `a cluster's file that is a directory is said to be one`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["status", "--config", scratch.path]) == .notFound)
        #expect(console.talk.contains("\(scratch.path): it is a directory; name the cluster's file with --config"), "\(console.talk)")
    }

    @Test(arguments: [("-", "it was read from standard input"), ("{", "put the object into single quotes, or give it on standard input and - here")])
    func `JSON that is none is answered by where it came from`(_ json: String, _ hint: String) {
        let console = TestConsole(input: ["{"])
        #expect(console.run(["effect", "send", "Auth.Business.Effect.login", json, "--run", "/nowhere"]) == .usage)
        #expect(console.talk.hasSuffix("\n       \(hint)"), "\(console.talk)")
    }

    @Test func `down without a cluster is done already`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["down", "--run", scratch.path]) == .ok)
        #expect(console.talk.contains("no cluster runs in"))
    }
}
