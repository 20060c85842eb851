import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

@Suite struct ApplyTests {
    private let scratch: TemporaryDirectory
    private let file: String

    init() throws {
        scratch = TemporaryDirectory(isMade: true)
        file = "\(scratch.path)/cluster.yaml"
        let text = "cluster:\n  name: demo\n  directory: run\n  plugins:\n    - module: Auth\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    /// - Returns: how it ended, what it said, and what it has asked for.
    private func run(_ differences: [MembershipDifference], _ arguments: String..., loaded: ModuleState = ModuleState(.ready), later: [MembershipDifference] = []) throws -> (status: ReluxCLI.ExitStatus, console: TestConsole, asked: [ClientRequest.Body]) {
        // A difference that was carried out is none any more; then there are those of `later`.
        let left = Mutex((now: differences, later: later))
        let broker = try FakeBroker(run: "\(scratch.path)/run") { request in
            if case .compare = request { return .differences(left.withLock { $0.now }) }
            if case .status = request {
                var status = Demo.status
                for index in status.modules.indices { status.modules[index].state = loaded }
                return .status(status)
            }
            left.withLock { left in
                left.now.removeAll { $0.isDone(by: request) }
                if left.now.allSatisfy({ $0.step == .none }) { left = (left.now + left.later, []) }
            }
            return .done(lines: ["so it is"])
        }
        let console = TestConsole()
        let status = console.run(["apply", "--config", file] + arguments)
        return (status, console, broker.requests.map(\.body).filter { if case .status = $0 { false } else { true } })
    }

    private let all: [MembershipDifference] = [
        MembershipDifference("Auth stays out: it was unloaded", step: .load(HostSpec(id: "Auth", plugins: ["packed/Auth/1.4.0-a"]))),
        MembershipDifference("Notes runs in host Auth", step: .move("Notes", to: "Notes")),
        MembershipDifference("Auth 2.0.0 is packed but not served"),
        MembershipDifference("host Auth runs with another restart", step: .configure(HostSpec(id: "Auth", plugins: []))),
        MembershipDifference("Files runs, and the file does not name it", step: .unload("Files")),
    ]

    @Test func `a plan says what would be done, and asks for nothing`() throws {
        let ended = try run(all, "--plan")
        #expect(ended.status == .ok && ended.asked.count == 1)
        #expect(
            ended.console.out == """
                PLAN  load      Auth stays out: it was unloaded
                PLAN  move      Notes runs in host Auth
                PLAN  leave     Auth 2.0.0 is packed but not served
                PLAN  restart   host Auth runs with another restart
                PLAN  remove    Files runs, and the file does not name it
                """)
    }

    @Test func `a plan without differences says that there is nothing to carry out`() throws {
        let ended = try run([], "--plan")
        #expect(ended.status == .ok && ended.asked.count == 1 && ended.console.out.isEmpty)
        #expect(ended.console.talk == "the cluster is as its file says: there is nothing to carry out")
        let json = try run([], "--plan", "--json")
        #expect(json.status == .ok && json.console.out.contains("relux.plan/1"), "\(json.console.out)")
    }

    @Test func `nothing to carry out is one document, too`() throws {
        let json = try run([], "--json")
        #expect(json.status == .ok && json.console.out.contains("relux.done/1"), "\(json.console.out)")
    }

    @Test func `what ends something needs a yes, and nothing is done before`() throws {
        let ended = try run(all)
        #expect(ended.status == .usage && ended.asked.count == 1)
        #expect(ended.console.talk.contains("PLAN  remove    Files") && ended.console.talk.contains("say --yes"))
    }

    @Test func `all is carried out in order, and the broker is told that it was`() throws {
        let ended = try run(all, "--yes")
        #expect(ended.status == .ok && ended.asked.count == 7, "\(ended.console.talk)")
        guard ended.asked.count == 7, case .compare(_, false) = ended.asked[0], case .load(let host, false, true?, _) = ended.asked[1],
            case .move("Notes", "Notes"?, false) = ended.asked[2], case .configure(let configured) = ended.asked[3],
            case .unload("Files", true) = ended.asked[4], case .compare(_, false) = ended.asked[5], case .compare(_, true) = ended.asked[6]
        else { throw CLIError(.failed, "test", "\(ended.asked)") }
        #expect(host.id == "Auth" && configured.id == "Auth")
        #expect(ended.console.talk.contains("4 carried out: the cluster is as its file says") == false)
        #expect(ended.console.talk.contains("4 carried out; what is left:\nAuth 2.0.0 is packed but not served"), "\(ended.console.talk)")
    }

    @Test func `what ends nothing needs no yes`() throws {
        let ended = try run(Array(all.prefix(2)))
        #expect(ended.status == .ok && ended.asked.count == 5)
    }

    @Test func `what shows only when the first is done is carried out too, and nothing more is claimed`() throws {
        let (move, configure) = (all[1], all[3])
        let ended = try run([move], "--yes", later: [configure])
        #expect(ended.asked.contains { if case .configure = $0 { true } else { false } }, "\(ended.asked)")
        #expect(ended.console.talk.contains("2 carried out: the cluster is as its file says"), "\(ended.console.talk)")
        let halted = try run([move], later: [configure])
        #expect(halted.status == .ok && !halted.asked.contains { if case .configure = $0 { true } else { false } })
        #expect(halted.console.talk.contains("1 carried out; what is left:\nhost Auth runs with another restart"), "\(halted.console.talk)")
    }

    @Test func `nothing is carried out for an executable that is not there`() throws {
        let host = HostSpec(id: "Auth", plugins: [], executable: "/nonexistent/host")
        let ended = try run([all[1], MembershipDifference("host Auth runs with another executable", step: .configure(host))], "--yes")
        #expect(ended.status == .notFound && ended.asked.count == 1)
        #expect(ended.console.talk.contains("/nonexistent/host, the executable of host Auth in the cluster's file, is no executable"), "\(ended.console.talk)")
    }

    @Test func `a setting that only a start takes up is named`() throws {
        let run = RunDirectory(path: "\(scratch.path)/run")
        try run.create()
        SettingsInForce(run).write(["cluster.name": "demo", "dispatch.deadline": "1s"])
        let ended = try self.run([], "--plan")
        #expect(ended.console.out.contains("dispatch.deadline is 1s since the start, and 30s now (default): relux down and relux up take it up"), "\(ended.console.out)")
        #expect(!ended.console.out.contains("cluster.name"))
    }

    @Test func `what is refused when it is loaded ends it, and the differences stay`() throws {
        let ended = try run(all, "--yes", loaded: ModuleState(.refused, why: "other runtime"))
        #expect(ended.status == .refused && ended.asked.count == 2)
        #expect(ended.console.talk.contains("Auth is refused: other runtime"), "\(ended.console.talk)")
    }
}

extension MembershipDifference {
    fileprivate func isDone(by request: ClientRequest.Body) -> Bool {
        switch (step, request) {
        case (.load(let host), .load(let loaded, _, _, _)): host.id == loaded.id
        case (.move(let module, _), .move(let moved, _, _)): module == moved
        case (.configure(let host), .configure(let configured)): host.id == configured.id
        case (.unload(let module), .unload(let unloaded, _)): module == unloaded
        default: false
        }
    }
}
