import ArgumentParser
import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire

extension TemporaryDirectory {
    /// A configuration of one module beside another, packed as far as `up` looks.
    func cluster(isPacked: Bool = true) throws -> (file: String, run: RunDirectory) {
        let file = "\(path)/cluster.yaml"
        let text = "cluster:\n  name: demo\n  directory: run\n  plugins:\n    - module: Auth\n    - module: Session\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        for module in ["Auth", "Session"] where isPacked {
            let directory = "\(path)/run/packed/\(module)/current"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(directory)/manifest.json"))
        }
        let run = RunDirectory(path: "\(path)/run")
        try run.create()
        return (file, run)
    }

    /// A supervisor that is a shell script.
    func script(_ text: String) throws -> String {
        let path = "\(path)/supervisor"
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }
}

extension BootWait {
    /// Runs the wait beside a supervisor that does nothing, and a broker that answers for it.
    static func beside(
        _ run: RunDirectory, _ console: Console,
        _ answer: @escaping @Sendable (_ request: ClientRequest.Body, _ supervisor: Int32) -> ClientResponse.Body
    ) throws -> ReluxCLI.ExitStatus {
        let sleeper = try DetachedProcess(
            executable: "/bin/sleep", arguments: ["60"], environment: [:], log: run.log(of: "supervisor"))
        let supervisor = sleeper.pid
        var child: DetachedProcess? = sleeper
        defer { kill(supervisor, SIGKILL) }
        let broker = try FakeBroker(run: run.path) { request in answer(request, supervisor) }
        defer { withExtendedLifetime(broker) {} }
        let session = CommandSession(console: console, options: try CommonOptions.parse(["--color", "never"]))
        return try BootWait(expected: ["Auth", "Session"], start: .now, session: session, run: run, logBegin: 0).run(&child, supervisor: supervisor)
    }
}
