import Foundation
import Glibc
@testable import ReluxDevLoop
import Synchronization
import Testing

/// With real files and real programs: scripts in the place of the package manager and of `relux`.
@Suite struct DevLoopTests {
    let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        for name in ["Package.swift", "Sources/AReluxImpl/A.swift"] { try sandbox.write(name) }
    }

    /// All steps succeed but those that are named; the module is served.
    private func plan(_ scripts: [DevStep: String] = [:]) -> DevPlan {
        var commands: [DevStep: StepCommand] = [:]
        for step in DevStep.allCases {
            let usual = step == .look ? #"echo '{"state": "ready"}'"# : "echo \(step.rawValue) is done"
            commands[step] = StepCommand(["/bin/sh", "-c", scripts[step] ?? usual])
        }
        return DevPlan(module: "A", packages: [sandbox.path], logs: sandbox.path + "/logs", commands: commands)
    }

    private func once() -> DevMachine.Options {
        var options = DevMachine.Options()
        options.isOnce = true
        return options
    }

    @Test func `once runs every step and tells it, with the log beside it`() async throws {
        let reports = Mutex<[DevReport]>([])
        let loop = try DevLoop(plan(), once()) { report in reports.withLock { $0.append(report) } }
        #expect(try await offPool { try loop.run() } == 0)
        let lines = reports.withLock { $0 }.flatMap { DevText.lines($0, module: "A") }.map { $0.replacing(#/ +\d+\.\ds/#, with: " T") }
        #expect(
            lines == [
                "A, round 1", "  build T  ok", "  lint T  ok  lint is done", "  test T  ok", "  pack T  ok", "  upgrade T  ok  upgrade is done",
                "A is up to date in the cluster",
            ])
        #expect(sandbox.text("logs/pack.log") == "pack is done\n")
    }

    @Test func `a step that fails shows its errors and its log, and nothing follows it`() async throws {
        let reports = Mutex<[DevReport]>([])
        let failing = plan([.pack: "echo wrong; echo layer.domainToDomain >&2; exit 6"])
        let loop = try DevLoop(failing, once()) { report in reports.withLock { $0.append(report) } }
        #expect(try await offPool { try loop.run() } == 6)
        let all = reports.withLock { $0 }
        #expect(all.last == .ended(round: 1, .failed(.pack)))
        guard case .step(let last) = all.dropLast().last else {
            Issue.record("\(all)")
            return
        }
        #expect(last.errors == ["wrong", "layer.domainToDomain"] && last.end == .failed(status: 6))
        let json = all.compactMap { DevText.json($0, module: "A") }
        #expect(json.count == 6, "five steps and the round")
        #expect(json[4].contains(#""errors":["wrong","layer.domainToDomain"],"event":"step","log":"\#(sandbox.path)/logs/pack.log""#))
        #expect(json[5] == #"{"event":"round","module":"A","outcome":"failed","round":1,"schema":"relux.dev/1","step":"pack"}"#)
    }

    @Test func `a program that is not there is an error that names it`() async throws {
        var commands = plan().commands
        commands[.build] = StepCommand(["relux-no-such-program"])
        let loop = try DevLoop(DevPlan(module: "A", packages: [sandbox.path], logs: sandbox.path + "/logs", commands: commands), once()) { _ in }
        let error = await #expect(throws: DevLoopError.self) { try await offPool { try loop.run() } }
        #expect(error?.code == "dev.start" && error?.message.contains("relux-no-such-program") == true)
    }

    @Test func `a change in the sources begins another round, and an interruption ends the loop`() async throws {
        let (stream, reports) = AsyncStream.makeStream(of: DevReport.self)
        // The first build fails, as long as the file says nothing.
        let source = sandbox.path + "/Sources/AReluxImpl/A.swift"
        let loop = try DevLoop(plan([.build: "grep good \(source)"]), DevMachine.Options()) { reports.yield($0) }
        async let status = offPool { try loop.run() }
        var ends: [DevMachine.RoundEnd] = []
        for await report in stream {
            if case .ended(_, let end) = report { ends.append(end) }
            guard report == .waiting else { continue }
            if ends.count == 1 { try sandbox.write("Sources/AReluxImpl/A.swift", "// good\n") } else { break }
        }
        loop.interrupt()
        #expect(try await status == 130)
        #expect(ends == [.failed(.build), .passed])
    }

    @Test(.timeLimit(.minutes(5)))
    func `what generating writes begins no round, and what an author writes meanwhile does`() async throws {
        let coders = try sandbox.write("Sources/AReluxInt/A+Wire.generated.swift")
        // The last event of the step lies before its end: were it heard of as a change, the build would be ended for it.
        let draft = sandbox.path + "/Sources/AReluxInt/.draft"
        let generating = "echo coders >\(draft); mv \(draft) \(coders); echo \(coders): changed"
        let meanwhile = "[ -e \(sandbox.path)/once ] || { touch \(sandbox.path)/once; echo >\(sandbox.path)/Sources/AReluxImpl/A.swift; sleep 1000; }"
        for (script, expected) in [(generating, [DevMachine.RoundEnd.passed]), (meanwhile, [.stale, .passed])] {
            let (stream, reports) = AsyncStream.makeStream(of: DevReport.self)
            let loop = try DevLoop(plan([.generate: script]), DevMachine.Options()) { reports.yield($0) }
            async let status = offPool { try loop.run() }
            var ends: [DevMachine.RoundEnd] = []
            for await report in stream {
                if case .ended(_, let end) = report { ends.append(end) }
                // A loop that begins rounds by itself would never wait.
                if report == .waiting || ends.count > expected.count { break }
            }
            loop.interrupt()
            #expect(try await status == 130)
            #expect(ends == expected)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [DevStep.generate, .build, .lint, .test])
    func `a step that ends by itself leaves nothing behind, groups of its own included`(step: DevStep) async throws {
        let pipe = try NamedPipe(sandbox.path + "/pipe")
        let leaving = plan([step: "exec 3>\(pipe.path); echo begun >&3; setsid sleep 1000 & exit 0"])
        let loop = try DevLoop(leaving, once()) { _ in }
        // Ends when nobody has it open.
        async let all = offPool { try pipe.readToEnd() }
        #expect(try await offPool { try loop.run() } == 0)
        #expect(try await all == "begun\n")
    }

    @Test(.timeLimit(.minutes(5)))
    func `a change in the midst of a build ends it with all that it has started, groups of their own included`() async throws {
        let pipe = try NamedPipe(sandbox.path + "/pipe")
        // The second child, and its own child, have a process group of their own, as the package manager's have, and do not hear SIGTERM.
        // Only the first build has the pipe, so that no later one waits for a reader or writes to the first one's.
        let script = """
            [ -p \(pipe.path) ] || exit 0
            exec 3>\(pipe.path); rm \(pipe.path); echo begun >&3
            setsid sh -c 'trap "" TERM; sleep 1000 & wait; sleep 1000' &
            touch \(sandbox.path)/Sources/AReluxImpl/B.swift
            wait
            """
        let (stream, reports) = AsyncStream.makeStream(of: DevReport.self)
        let loop = try DevLoop(plan([.build: script]), DevMachine.Options()) { reports.yield($0) }
        async let status = offPool { try loop.run() }
        // Ends when nobody has it open: all of the first build's processes have ended then.
        async let first = offPool { try pipe.readToEnd() }
        for await report in stream {
            if case .ended(let round, let end) = report, round == 1 {
                #expect(end == .stale)
                #expect(try await first == "begun\n")
            }
            if case .ended(_, .passed) = report { break }
        }
        loop.interrupt()
        #expect(try await status == 130)
    }
}
