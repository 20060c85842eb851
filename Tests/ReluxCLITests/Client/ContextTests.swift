import Foundation
@testable import ReluxCLI
import ReluxTestKit
import Testing

/// Clusters by name.
@Suite struct ContextTests {
    private let scratch = TemporaryDirectory(isMade: true)

    /// Where no cluster's file lies above.
    private func run(_ arguments: String..., environment: [String: String] = [:], directory: String? = nil) -> (status: ReluxCLI.ExitStatus, out: String, talk: String) {
        let console = TestConsole()
        let status = console.run(arguments, directory: directory ?? scratch.path, environment: ["HOME": scratch.path].merging(environment) { $1 })
        return (status, console.out, console.talk)
    }

    private func cluster(_ name: String, in folder: String? = nil) throws -> String {
        let folder = folder ?? scratch.file(name)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("cluster:\n  name: \(name)\n".utf8).write(to: URL(fileURLWithPath: folder + "/cluster.yaml"))
        return folder + "/cluster.yaml"
    }

    @Test func `a context is added, selected, left for the one before and taken away`() throws {
        #expect(run("context", "ls").out.hasPrefix("there are no contexts; add one"))
        let (a, b) = (try cluster("a"), try cluster("b"))
        // The first one is selected at once.
        #expect(run("context", "add", "one", "--config", "a/cluster.yaml").talk == "one is \(a), and selected")
        #expect(run("context", "add", "two", "--config", b, "--run", scratch.file("elsewhere")).talk == "two is \(b)")
        #expect(run("context", "ls").out == "   NAME  FILE\(String(repeating: " ", count: a.count - 4))  RUN DIRECTORY\n*  one   \(a)  -\n   two   \(b)  \(scratch.file("elsewhere"))")
        #expect(run("context", "select", "two").talk == "two is selected")
        #expect(run("context", "previous").talk == "one is selected" && run("context", "previous").talk == "two is selected")
        #expect(run("context", "ls", "-o", "jsonpath={.contexts[*].selected}").out == "false true")
        #expect(run("context", "show").out == "file           \(b)\nrun directory  \(scratch.file("elsewhere"))\nby             the context two, which is selected")
        #expect(run("context", "rm", "two").talk == "no context is selected" && run("context", "ls", "-o", "name").out == "one")
        #expect(run("status").status == .notFound && run("context", "previous").talk == "one is selected")
        #expect(run("context", "rm", "one").status == .ok && run("context", "previous").status == .notFound)
    }

    @Test func `flags go before variables, these before the file of the folder, and that before what is selected`() throws {
        let (a, b, near) = (try cluster("a"), try cluster("b"), try cluster("near", in: scratch.file("project/deploy")))
        for (name, file) in [("a", a), ("b", b)] { #expect(run("context", "add", name, "--config", file).status == .ok) }
        func by(_ arguments: String..., environment: [String: String] = [:], in directory: String? = nil) -> String {
            let console = TestConsole()
            let status = console.run(
                ["context", "show", "-o", "jsonpath={.config} {.by}"] + arguments, directory: directory ?? scratch.path,
                environment: ["HOME": scratch.path].merging(environment) { $1 })
            return status == .ok ? console.out : console.talk
        }
        let project = scratch.file("project")
        #expect(by() == "\(a) the context a, which is selected")
        #expect(by(in: project) == "\(near) the file in this folder or above it")
        #expect(by(environment: ["RELUX_CONTEXT": "b"], in: project) == "\(b) the context b, by RELUX_CONTEXT")
        #expect(by(environment: ["RELUX_CONFIG": a, "RELUX_CONTEXT": "b"], in: project) == "\(a) RELUX_CONFIG")
        #expect(by("--context", "b", environment: ["RELUX_CONFIG": a, "RELUX_RUN": "/elsewhere"], in: project) == "\(b) the context b, by --context")
        #expect(by("--config", b, environment: ["RELUX_CONTEXT": "a"]) == "\(b) --config")
        #expect(by("--run", scratch.path, environment: ["RELUX_CONTEXT": "a"]) == "null --run")
        for flag in ["--config", "--run"] { #expect(by("--context", "a", flag, b).hasPrefix("relux: --context a and \(flag) name a cluster each")) }
        #expect(by(environment: ["RELUX_CONTEXT": ""]).contains("RELUX_CONTEXT is set and empty"))
    }

    @Test func `what cannot be a context is refused with what is there`() throws {
        let (a, b) = (try cluster("a"), try cluster("b"))
        #expect(run("context", "add", "lab", "--config", a).status == .ok)
        let unknown = run("status", "--context", "lba")
        #expect(unknown.status == .notFound && unknown.talk == "relux: there is no context 'lba'\n       did you mean 'lab'?", "\(unknown.talk)")
        let taken = run("context", "add", "lab", "--config", b)
        #expect(taken.status == .refused && taken.talk.contains("the context lab is there already, for \(a)"), "\(taken.talk)")
        #expect(run("context", "add", "lab", "--config", a).status == .ok && run("context", "add", "lab", "--config", b, "--force").talk == "lab is \(b), and selected")
        for name in ["", "-x", ".x", "a b", "ä", String(repeating: "x", count: 65)] where name != "-x" {
            let refused = run("context", "add", "--config", a, "--", name)
            #expect(refused.status == .usage && refused.talk.contains("is no name of a context"), "\(name): \(refused.talk)")
        }
        #expect(run("context", "add", "x").talk.contains("say --config FILE, --run DIR or both"))
        #expect(run("context", "add", "x", "--config", scratch.file("none.yaml")).status == .notFound)
        #expect(run("context", "rm", "x").status == .notFound)
    }

    @Test func `a file of contexts that cannot be read is named, and hinders nobody who names the cluster`() throws {
        let a = try cluster("a")
        let file = scratch.file(".config/relux/contexts.json")
        try FileManager.default.createDirectory(atPath: scratch.file(".config/relux"), withIntermediateDirectories: true)
        for text in ["", "{}", "[]", #"{"schema": "relux.contextFile/2", "contexts": []}"#] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            for command in [["context", "ls"], ["status"]] {
                let console = TestConsole()
                #expect(console.run(command, directory: scratch.path, environment: ["HOME": scratch.path]) == .failed)
                #expect(console.talk.contains("\(file) has no contexts that this relux can read"), "\(console.talk)")
            }
            #expect(run("up", "--plan", "--config", a).status == .ok)
        }
        try FileManager.default.removeItem(atPath: scratch.file(".config/relux"))
        try Data().write(to: URL(fileURLWithPath: scratch.file(".config/relux")))
        let unwritten = run("context", "add", "x", "--config", a)
        #expect(unwritten.status == .failed && unwritten.talk.contains("\(file) cannot be written"), "\(unwritten.talk)")
        let homeless = run("context", "add", "x", "--config", a, environment: ["HOME": ""])
        #expect(homeless.status == .failed && homeless.talk.contains("HOME names none"), "\(homeless.talk)")
    }
}
