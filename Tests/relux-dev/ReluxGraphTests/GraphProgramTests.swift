import Foundation
import Testing

/// The program itself: what it prints where, and what it ends with.
@Suite struct GraphProgramTests {
    /// A copy of relux-dev with another program beside it, which it takes for `relux`.
    private final class Tools {
        let folder: String

        init(relux script: String) throws {
            folder = NSTemporaryDirectory() + "/relux-graph-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
            try FileManager.default.copyItem(atPath: "\(own)/relux-dev", toPath: "\(folder)/relux-dev")
            #expect(
                FileManager.default.createFile(
                    atPath: "\(folder)/relux", contents: Data("#!/bin/sh\n\(script)\n".utf8), attributes: [.posixPermissions: 0o755]))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func graph(_ arguments: String...) throws -> (status: Int32, out: String, talk: String) {
            let files = try ["out", "talk"].map { name in
                let file = URL(fileURLWithPath: "\(folder)/\(name)")
                try Data().write(to: file)
                return file
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "\(folder)/relux-dev")
            process.arguments = ["graph"] + arguments
            process.currentDirectoryURL = URL(fileURLWithPath: folder)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: files[0])
            process.standardError = try FileHandle(forWritingTo: files[1])
            try process.run()
            process.waitUntilExit()
            return (
                process.terminationStatus, try String(contentsOf: files[0], encoding: .utf8), try String(contentsOf: files[1], encoding: .utf8)
            )
        }
    }

    @Test func `a running cluster is asked by the relux beside the program, with the cluster's options`() throws {
        let tools = try Tools(
            relux: """
                echo "$@" > asked
                echo '{"schema": "relux.status/1", "modules": [{"id": "Auth", "version": "1.0.0", "kind": "domain", "state": "ready",\
                 "imports": [], "handles": ["Auth.Business.Effect"], "emits": []}]}'
                """)
        let drawn = try tools.graph("--live", "--run", "/somewhere")
        #expect(drawn.status == 0 && drawn.out == "domains\n  Auth 1.0.0 ready (AuthReluxInt)\n", "\(drawn)")
        #expect(drawn.talk == "1 module, 1 interface, 0 dependencies\n")
        #expect(try String(contentsOfFile: tools.folder + "/asked", encoding: .utf8) == "status --json --run /somewhere\n")
        let dot = try tools.graph("--live", "-o", "dot")
        #expect(dot.out.hasPrefix("digraph relux {") && dot.out.hasSuffix("}\n"))
    }

    @Test func `what relux refuses is said in its words and with its status`() throws {
        let tools = try Tools(
            relux: """
                echo '{"schema": "relux.error/1", "code": "cluster.unreachable", "status": 4, "message": "nobody answers", "hint": "relux up"}' >&2
                exit 4
                """)
        let refused = try tools.graph("--live")
        #expect(refused.status == 4 && refused.out.isEmpty && refused.talk == "relux: nobody answers\n       relux up\n", "\(refused)")
        let json = try tools.graph("--live", "--json")
        #expect(json.status == 4 && json.talk.contains("\"code\":\"cluster.unreachable\""))
    }

    @Test func `a wrong command line ends with 2`() throws {
        let tools = try Tools(relux: "exit 0")
        #expect(try tools.graph("--live", "Plugins").status == 2)
        #expect(try tools.graph("--run", "/somewhere").status == 2)
        #expect(try tools.graph("-o", "png").status == 2)
        let nowhere = try tools.graph("/nowhere")
        #expect(nowhere.status == 2 && nowhere.talk.contains("there is no Package.swift in /nowhere"))
        #expect(try tools.graph("--live").talk.contains("relux: this is no answer of relux status --json"))
    }
}
