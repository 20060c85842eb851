import Foundation
import Relux
@testable import ReluxCLI
import ReluxControl
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// Whole commands against a fake broker on a real socket.
@Suite struct BrokerTests {
    private func broker(
        _ scratch: TemporaryDirectory, emitted: EmitAnswer? = nil,
        _ answer: @escaping @Sendable (ClientRequest.Body) -> ClientResponse.Body? = { _ in nil }
    ) throws -> FakeBroker {
        let contracts = try Demo.contracts()
        return try FakeBroker(run: scratch.path) { request in
            if let body = answer(request) { return body }
            switch request {
            case .status: return .status(Demo.status)
            case .contracts: return contracts
            case .emit: return emitted.map { .emitted($0) }
            default: return nil
            }
        }
    }

    private static let messages: [Relux.ActionResult.Status: String] = [
        .failed: "wrong\u{1b}[2J password",
        .parked: "imports SyncReluxInt, which no module provides; load Sync; the effect is kept until Session is back",
    ]

    private func answer(_ outcomes: [(ModuleID, Relux.ActionResult.Status, CBORValue?)], unhandled: Bool = false) -> EmitAnswer {
        EmitAnswer(
            effect: EffectID(module: "Cluster", position: 7), unhandled: unhandled,
            succeeded: outcomes.allSatisfy { $0.1 == .succeeded || $0.1 == .parked },
            outcomes: outcomes.map {
                .init(recipient: $0.0, status: $0.1, message: Self.messages[$0.1] ?? "",
                    value: ByteString($0.2?.encoded() ?? []))
            })
    }

    @Test(arguments: ["table", "wide", "name", "ndjson"])
    func `status prints what the broker says`(_ format: String) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let console = TestConsole()
        #expect(console.run(["status", "--run", scratch.path, "-o", format]) == .ok)
        try expectGolden(console.out, "BrokerTests/status-\(format)")
        #expect(broker.requests.count == 1)
    }

    @Test func `lists are filtered and sorted by the keys of their JSON, and the cluster is summed up as it is`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        func run(_ arguments: String...) -> (status: ReluxCLI.ExitStatus, out: String, talk: String) {
            let console = TestConsole()
            let status = console.run(arguments + ["--run", scratch.path], directory: scratch.path)
            return (status, console.out, console.talk)
        }
        let all = run("module", "ls", "-o", "name").out.split(separator: "\n").map(String.init)
        #expect(all.count == 2)
        #expect(run("module", "ls", "-o", "name", "--sort", "id:desc").out.split(separator: "\n").map(String.init) == all.sorted().reversed())
        #expect(run("status", "-o", "name", "--filter", "id=\(all[1])").out == all[1])
        #expect(run("status", "-o", "jsonpath={.modules[*].id}", "--filter", "id!=\(all[0])", "--filter", "id~\(all[1].lowercased())").out == all[1])
        let (whole, part) = (run("status").out.split(separator: "\n"), run("status", "--filter", "id=\(all[1])").out.split(separator: "\n"))
        #expect(part.count < whole.count && part.last == whole.last)
        let unknown = run("module", "ls", "--sort", "stat")
        #expect(unknown.status == .usage && unknown.talk.contains("no row has the key 'stat'") && unknown.talk.contains("did you mean 'state'?"), "\(unknown)")
        let empty = run("status", "--filter", "ready")
        #expect(empty.status == .usage && empty.talk.contains("--filter 'ready' compares nothing") && empty.talk.contains("state=ready"), "\(empty)")
        #expect(run("effect", "ls", "-o", "name", "--filter", "case=login").out.hasSuffix(".login"))
        _ = broker
    }

    @Test(arguments: [["status"], ["module", "ls"], ["module", "show", "Auth"], ["effect", "ls"], ["logs", "Auth"]])
    func `a broker that has not heard what belongs to the cluster is waited for, and its empty list is no answer`(_ command: [String]) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let asked = Mutex(0)
        let broker = try broker(scratch) { request in
            var status = Demo.status
            switch request {
            case .status:
                let count = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if count < 3 { (status.phase, status.modules) = (.idle, []) }
                for index in status.modules.indices { status.modules[index].host = "shared" }
                return .status(status)
            case .contracts: return asked.withLock { $0 } < 3 ? .contracts([:]) : nil
            default: return nil
            }
        }
        let run = RunDirectory(path: scratch.path)
        try run.create()
        try Data("a line of Auth\n".utf8).write(to: URL(fileURLWithPath: run.log(of: "shared")))
        let lock = try run.lockSupervisor()
        let console = TestConsole()
        #expect(console.run(command + ["--run", scratch.path]) == .ok, "\(console.talk)")
        #expect(console.out.contains("Auth"), "\(console.out)")
        #expect(console.talk.contains("waiting for the cluster to start"), "\(console.talk)")
        withExtendedLifetime(broker) {}
        withExtendedLifetime(lock) {}
    }

    @Test func `a module that nobody has named yet is waited for while the cluster starts`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let asked = Mutex(0)
        let broker = try broker(scratch) { request in
            switch request {
            case .status:
                var status = Demo.status
                let count = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if count < 3 { (status.phase, status.modules) = (.idle, []) }
                return .status(status)
            case .unload: return .done(lines: ["Auth is removed"])
            default: return nil
            }
        }
        let console = TestConsole()
        #expect(console.run(["module", "unload", "Auth", "--yes", "--run", scratch.path]) == .ok)
        #expect(console.talk.contains("waiting for the cluster to start"))
        withExtendedLifetime(broker) {}
    }

    @Test func `status as JSON has a schema and the run directory`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let console = TestConsole()
        #expect(console.run(["status", "--run", scratch.path, "--json"]) == .ok)
        try expectGolden(console.out.replacingOccurrences(of: scratch.path, with: "<run>"), "BrokerTests/status-json")
        #expect(console.talk.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func `show prints one module, or the nearest name with 3`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let console = TestConsole()
        #expect(console.run(["module", "show", "Auth", "--run", scratch.path]) == .ok)
        try expectGolden(console.out, "BrokerTests/module-show")
        #expect(console.run(["module", "show", "Autj", "--run", scratch.path]) == .notFound)
        #expect(console.talk.contains("did you mean 'Auth'?"))
        withExtendedLifetime(broker) {}
    }

    @Test func `effect ls shows fields, emitters and handlers`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let console = TestConsole()
        #expect(console.run(["effect", "ls", "--run", scratch.path]) == .ok)
        try expectGolden(console.out, "BrokerTests/effect-ls")
        let wide = TestConsole()
        #expect(wide.run(["effect", "ls", "Auth.Business.Effect.logout", "--run", scratch.path, "-o", "wide"]) == .ok)
        #expect(wide.out.contains("MEANING") && wide.out.contains("Ends the session. Without one nothing happens."))
        let json = TestConsole()
        #expect(json.run(["effect", "ls", "Auth.Business.Effect.logout", "--run", scratch.path, "-o", "ndjson"]) == .ok)
        #expect(json.out.contains(#""doc":"Ends the session.\nWithout one nothing happens.""#))
        #expect(console.run(["effect", "ls", "Notes.**", "--run", scratch.path]) == .notFound)
        withExtendedLifetime(broker) {}
    }

    @Test func `send emits the payload and prints a line per recipient`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let emitted = answer([("Auth", .succeeded, .text("u7")), ("Session", .succeeded, nil)])
        let broker = try broker(scratch, emitted: emitted)
        let console = TestConsole()
        let status = console.run([
            "effect", "send", "Auth.Business.Effect.logout", "--label", "night", "--deadline", "2s", "--run", scratch.path,
        ])
        #expect(status == .ok)
        try expectGolden(console.out, "BrokerTests/effect-send")
        guard case .emit(let topic, let payload, let deadline, let label, let contract, let everyone)? = broker.requests.last?.body else {
            Issue.record("nothing was emitted")
            return
        }
        #expect(topic == "Auth.Business.Effect")
        #expect(try CBORValue(decoding: payload.bytes) == .map([.init(.text("logout"), .map([]))]))
        #expect(deadline == 2000)
        #expect(label == "night")
        #expect(contract == Demo.catalog.fingerprint(of: topic)?.rawValue)
        #expect(everyone == nil)
    }

    @Test func `send prints who is parked and why, and ends with 0; everyone is waited for when that is asked`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, emitted: answer([("Auth", .succeeded, .text("u7")), ("Session", .parked, nil)]))
        let console = TestConsole()
        #expect(console.run(["effect", "send", "Auth.Business.Effect.logout", "--run", scratch.path]) == .ok)
        try expectGolden(console.out, "BrokerTests/effect-send-parked")
        let json = TestConsole()
        #expect(json.run(["effect", "send", "Auth.Business.Effect.logout", "--everyone", "--json", "--run", scratch.path]) == .ok)
        #expect(json.out.contains(#""succeeded":true"#) && json.out.contains(#""status":"parked","message":"imports SyncReluxInt"#))
        guard case .emit(_, _, _, _, _, everyone: true)? = broker.requests.last?.body else {
            Issue.record("nobody was asked to wait for everyone: \(broker.requests.map(\.body))")
            return
        }
    }

    @Test func `nothing is emitted that breaks the contract`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, emitted: answer([]))
        let console = TestConsole()
        let status = console.run([
            "effect", "send", "Auth.Business.Effect.login", #"{"emial": "x", "password": "y"}"#, "--run", scratch.path,
        ])
        #expect(status == .usage)
        #expect(console.talk.contains("did you mean 'email'?"))
        #expect(console.out.isEmpty)
        let emitted = broker.requests.contains { if case .emit = $0.body { true } else { false } }
        #expect(!emitted)
    }

    @Test func `a payload that the broker's socket would cut is refused at once, with the limit`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, emitted: answer([]))
        let console = TestConsole()
        try ClusterSealer.makeKeyFile(scratch.path + "/key")
        let text = String(repeating: "x", count: 3 << 20)
        let status = console.run([
            "effect", "send", "Auth.Business.Effect.login", #"{"email": "\#(text)", "password": "y"}"#, "--run", scratch.path,
        ])
        #expect(status == .refused && console.talk.contains("bytes, the broker takes 2097152; send a reference instead"), "\(console.talk.suffix(300))")
        let emitted = broker.requests.contains { if case .emit = $0.body { true } else { false } }
        #expect(!emitted)
    }

    @Test func `a secret from standard input is sealed with the cluster's key`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, emitted: answer([("Auth", .succeeded, nil)]))
        try ClusterSealer.makeKeyFile(broker.directory.key)
        let console = TestConsole(input: ["pa55word"])
        let status = console.run([
            "effect", "send", "Auth.Business.Effect.login", #"{"email": "x"}"#, "--secret", "password", "--run", scratch.path,
        ])
        #expect(status == .ok)
        guard case .emit(_, let payload, _, _, _, _)? = broker.requests.last?.body,
            case .tagged(SealedBytes.tag, .bytes(let sealed))? = try CBORValue(decoding: payload.bytes)["login"]?["password"]
        else {
            Issue.record("the password was not sealed")
            return
        }
        let plain = try ClusterSealer(keyFile: broker.directory.key).open(sealed)
        #expect(try CBORValue(decoding: plain) == .text("pa55word"))
        #expect(!(console.out + console.talk).contains("pa55word"))
        #expect(!String(decoding: payload.bytes, as: UTF8.self).contains("pa55word"))
    }

    @Test(arguments: [
        ([.succeeded, .failed], ReluxCLI.ExitStatus.failed), ([.succeeded, .lost], .lost), ([.succeeded, .unanswered], .timeout),
        ([.succeeded, .parked], .ok), ([.parked], .ok), ([.parked, .failed], .failed),
        ([.refused], .failed), ([.deadLettered], .failed), ([.succeeded], .ok), ([.lost, .failed], .failed),
    ] as [([Relux.ActionResult.Status], ReluxCLI.ExitStatus)])
    func `the exit status of send tells how it ended`(_ statuses: [Relux.ActionResult.Status], _ expected: ReluxCLI.ExitStatus) throws {
        let names: [ModuleID] = ["Auth", "Session"]
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, emitted: answer(zip(names, statuses).map { ($0, $1, nil) }))
        let console = TestConsole()
        #expect(console.run(["effect", "send", "Auth.Business.Effect.logout", "--run", scratch.path]) == expected)
        #expect(!console.out.contains("\u{1b}"))
        withExtendedLifetime(broker) {}
    }

    @Test func `an effect that nobody handles is a success that says so`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, emitted: answer([], unhandled: true))
        let console = TestConsole()
        #expect(console.run(["effect", "send", "Auth.Business.Effect.logout", "--run", scratch.path]) == .ok)
        #expect(console.out == "Cluster#7  Auth.Business.Effect.logout  unhandled")
        withExtendedLifetime(broker) {}
    }

    @Test func `a broker that keeps silent ends with 5 in the given time`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try FakeBroker(run: scratch.path) { _ in nil }
        let console = TestConsole()
        #expect(console.run(["status", "--run", scratch.path, "--timeout", "100ms"]) == .timeout)
        #expect(console.talk.contains("did not answer"))
        withExtendedLifetime(broker) {}
    }

    @Test func `a refusal of the broker ends with 6, of an unknown module with 3`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch) { request in
            switch request {
            case .restart: .refused(code: "no-supervisor", message: "no supervisor")
            case .whyNot: .refused(code: "unknown-module", message: "there is no module X")
            default: nil
            }
        }
        let console = TestConsole()
        #expect(console.run(["module", "restart", "Auth", "--run", scratch.path]) == .refused)
        #expect(console.run(["module", "why-not", "X", "--run", scratch.path, "--json"]) == .notFound)
        #expect(console.talk.contains(#""code":"refused.unknown-module""#))
        withExtendedLifetime(broker) {}
    }

    @Test func `why-not ends with 6 while something is unmet, notes do not count`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let unmet = try broker(scratch) { request in
            guard case .whyNot(let module) = request else { return nil }
            return .whyNot(unmet: module == "Auth" ? [] : ["imports NotesReluxInt"], notes: ["emits X"])
        }
        let console = TestConsole()
        #expect(console.run(["module", "why-not", "Session", "--run", scratch.path]) == .refused)
        #expect(console.run(["module", "why-not", "Auth", "--run", scratch.path]) == .ok)
        #expect(console.out == "Session: imports NotesReluxInt\nSession: note: emits X\nAuth: note: emits X")
        withExtendedLifetime(unmet) {}
    }

    @Test func `unloading what others import needs a yes off a terminal, after the plan`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch) { request in
            if case .unload = request { return .done(lines: ["Auth is removed"]) }
            return nil
        }
        let console = TestConsole()
        #expect(console.run(["module", "unload", "Auth", "--run", scratch.path]) == .usage)
        #expect(console.talk.contains("PLAN  waiting   Session until Auth returns"))
        #expect(console.run(["module", "unload", "Auth", "--dry-run", "--run", scratch.path]) == .ok)
        #expect(broker.requests.allSatisfy { if case .status = $0.body { true } else { false } })
        #expect(console.run(["module", "unload", "Auth", "--yes", "--run", scratch.path]) == .ok)
        #expect(console.out.hasSuffix("Auth is removed"))
    }

    @Test func `a mode that no action knows is said to whoever has sent it`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        var status = Demo.status
        status.barriers = [.init(module: "Auth", isOpen: true, isStuck: false, text: "", unknownMode: .init(mode: "headles", known: ["headless"]))]
        let known = status
        let broker = try broker(scratch, emitted: answer([("Auth", .succeeded, nil)])) { if case .status = $0 { .status(known) } else { nil } }
        let console = TestConsole()
        #expect(console.run(["effect", "send", "Auth.Opened", "{\"tab\": \"x\"}", "--run", scratch.path]) == .ok)
        #expect(
            console.talk == "Auth: it is in the mode 'headles', which no action knows, so nothing is left out; did you mean 'headless'?", "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [
        ("effect-ls", ["effect", "ls", "Auth.Opened"]), ("effect-send", ["effect", "send", "Auth.Business.Effect.logout"]), ("module-ls", ["module", "ls"]),
        ("module-show", ["module", "show", "Auth"]), ("module-show-cluster", ["module", "show", "Cluster"]), ("why-not", ["module", "why-not", "Session"]),
        ("plan", ["module", "unload", "Session", "--dry-run"]),
    ])
    func `what a program reads keeps its schema, an id with its parts`(_ name: String, _ arguments: [String]) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let emitted = EmitAnswer(
            effect: EffectID(module: "Cluster", position: Epoch(3).start + 42), unhandled: false, succeeded: true,
            outcomes: [.init(recipient: "Auth", status: .succeeded, message: "", value: ByteString(CBORValue.text("u7").encoded()))])
        let broker = try broker(scratch, emitted: emitted) { request in
            guard case .whyNot = request else { return nil }
            return .whyNot(unmet: ["it imports NotesReluxInt, which is missing"], notes: ["it was ready before"])
        }
        let console = TestConsole()
        _ = console.run(arguments + ["--json", "--run", scratch.path])
        try expectGolden(console.out, "BrokerTests/\(name)-json")
        withExtendedLifetime(broker) {}
    }
}
