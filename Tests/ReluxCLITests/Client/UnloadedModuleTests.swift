import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxPlugin
import ReluxTap
import ReluxTestKit
import ReluxWire
import Testing

/// A module that is no member any more is no unknown one: whoever names it is told what brings it back.
@Suite struct UnloadedModuleTests {
    private let scratch: TemporaryDirectory
    private let broker: FakeBroker

    init() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let contracts = try Demo.contracts()
        var status = Demo.status
        status.unloaded = ["Notes", "Sync"]
        self.scratch = scratch
        broker = try FakeBroker(run: scratch.path) { [status] request in
            switch request {
            case .status: .status(status)
            case .contracts: contracts
            default: .refused(code: "unknown-module", message: "there is no module Notes")
            }
        }
        let topic = TopicContract(topic: "Notes.Business.Effect", cases: [CaseContract(name: "search")])
        _ = try Demo.pack("Notes", "1.0.0", in: scratch.path, contract: Contract(topics: [topic]))
    }

    private func run(_ arguments: [String]) -> (status: ReluxCLI.ExitStatus, out: String, talk: String) {
        let console = TestConsole()
        return (console.run(arguments + ["--run", scratch.path]), console.out, console.talk)
    }

    @Test(arguments: [
        ["module", "show"], ["module", "why-not"], ["module", "unload"], ["module", "restart"], ["module", "rollback"], ["module", "evict", "--dry-run"], ["logs"],
    ])
    func `each command says that it was unloaded, with what brings it back`(_ command: [String]) throws {
        let notes = run(command + ["Notes"])
        #expect(notes.status == .notFound && notes.talk == "relux: Notes was unloaded\n       relux module load Notes brings it back", "\(notes)")
        let sync = run(command + ["Sync"])
        #expect(sync.talk.contains("pack it again, for it is packed no more: relux module pack; then relux module load Sync brings it back"), "\(sync)")
        let near = run(command + ["Snyc"])
        #expect(near.status == .notFound && near.talk.contains("did you mean 'Sync'?") || command == ["logs"], "\(near)")
    }

    @Test func `its effects are said to be those of a module that was unloaded`() {
        let ended = run(["effect", "send", "Notes.Business.Effect.search"])
        #expect(ended.status == .notFound && ended.talk.contains("is an effect of Notes, which was unloaded\n       relux module load Notes brings it back"), "\(ended)")
        let wrong = run(["effect", "send", "Notes.Business.Effect.serach"])
        #expect(wrong.talk.contains("; Notes was unloaded") && wrong.talk.contains("did you mean 'search'?"), "\(wrong)")
        let sync = run(["effect", "send", "Sync.Business.Effect.start"])
        #expect(sync.status == .notFound && sync.talk.contains("'Sync.Business.Effect.start' is no effect of a module that is loaded; Sync was unloaded"), "\(sync)")
    }

    @Test func `a pattern for its effects is answered with it`() {
        let listed = run(["effect", "ls", "Notes.**"])
        #expect(listed.status == .notFound && listed.talk.contains("Notes was unloaded: relux module load Notes brings it back"), "\(listed)")
        let tapped = run(["tap", "Sync.**", "--timeout", "50ms"])
        #expect(tapped.talk.contains("Sync was unloaded: relux module load Sync brings it back"), "\(tapped)")
    }

    @Test func `the log that it has left is shown, and said to be that of a module that was unloaded`() throws {
        try FileManager.default.createDirectory(atPath: broker.directory.logs, withIntermediateDirectories: true)
        try Data("a last word\n".utf8).write(to: URL(fileURLWithPath: broker.directory.log(of: "Notes")))
        let ended = run(["logs", "Notes"])
        #expect(ended.status == .ok && ended.out.contains("a last word"), "\(ended)")
        #expect(ended.talk.contains("Notes was unloaded, and this is what its process wrote; relux module load Notes brings it back"), "\(ended)")
    }

    @Test func `the status names it for programs`() throws {
        let json = try JSONValue(parsing: run(["status", "--json"]).out)
        #expect(json["unloaded"] == .array(["Notes", "Sync"]))
    }
}
