import Foundation
@testable import ReluxCLI
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

    @Test func `a pattern that breaks the grammar ends with 2 before anything is asked`() {
        let console = TestConsole()
        #expect(console.run(["tap", "**.Auth", "--run", "/nowhere"]) == .usage)
        #expect(console.talk.contains("may only be its last segment"))
    }

    @Test(arguments: [
        (["help", "modle"], "did you mean 'module'?"), (["help", "module", "unlod"], "did you mean 'unload'?"), (["modle"], "did you mean 'module'?"),
        (["module", "unlod"], "did you mean 'unload'?"), (["help", "status", "x"], "`relux status --help` tells all of it"),
    ])
    func `a word that is no command is answered with the nearest, also behind help`(_ arguments: [String], _ hint: String) {
        let console = TestConsole()
        #expect(console.run(arguments) == .usage)
        #expect(console.talk.contains(hint) && console.out.isEmpty, "\(console.talk)")
    }

    @Test func `no option is guessed at that has nothing in common with the one that was written`() {
        for arguments in [["status", "--sort"], ["tap", "--count"]] {
            let console = TestConsole()
            #expect(console.run(arguments) == .usage)
            #expect(!console.talk.contains("Did you mean"), "\(console.talk)")
        }
        let near = TestConsole()
        #expect(near.run(["status", "--jsno"]) == .usage && near.talk.contains("Did you mean '--json'?"), "\(near.talk)")
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
        ["up"], ["apply"], ["down"], ["status"], ["tap"], ["logs"], ["doctor"], ["version"], ["completion"], ["effect", "ls"],
        ["effect", "send"], ["module", "ls"], ["module", "show"], ["module", "load"], ["module", "unload"],
        ["module", "restart"], ["module", "why-not"], ["module", "pack"], ["module", "upgrade"], ["module", "rollback"],
        ["module", "move"], ["module", "evict"],
        ["journal", "ls"], ["journal", "show"], ["journal", "verify"], ["journal", "repair"], ["contract", "diff"],
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

    @Test func `without a cluster's name nothing is guessed`() throws {
        let scratch = try Scratch()
        let console = TestConsole()
        #expect(console.run(["status"], directory: scratch.path) == .notFound)
        #expect(console.talk.contains("--config FILE or --run DIR"))
    }

    @Test func `a cluster that does not run ends with 4 and the remedy`() throws {
        let scratch = try Scratch()
        let console = TestConsole()
        #expect(console.run(["status", "--run", scratch.path, "--json"]) == .unreachable)
        let error = try JSONValue(parsing: console.talk)
        #expect(error["code"] == "cluster.unreachable")
        #expect(error["hint"]?.string?.contains("relux up") == true)
    }

    @Test func `the run directory may come from the environment`() throws {
        let scratch = try Scratch()
        let console = TestConsole()
        #expect(console.run(["status"], environment: ["RELUX_RUN": scratch.path]) == .unreachable)
        #expect(console.talk.contains(scratch.path))
    }

    @Test func `down without a cluster is done already`() throws {
        let scratch = try Scratch()
        let console = TestConsole()
        #expect(console.run(["down", "--run", scratch.path]) == .ok)
        #expect(console.talk.contains("no cluster runs in"))
    }
}
