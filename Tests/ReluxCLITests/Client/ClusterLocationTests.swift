import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import Testing

/// Which cluster is meant, by flags, variables and files.
@Suite struct ClusterLocationTests {
    @Test func `a broken file is in nobody's way who only needs the run directory`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        let broker = try FakeBroker(run: run.path) { request in if case .status = request { .status(Demo.status) } else { nil } }
        try Data("cluster: [\n".utf8).write(to: URL(fileURLWithPath: file))
        for (arguments, environment) in [
            (["status", "--run", run.path, "--config", file], [:]), (["status"], ["RELUX_RUN": run.path, "RELUX_CONFIG": file]),
            (["status", "--run", run.path], ["RELUX_CONFIG": file]),
        ] {
            let console = TestConsole()
            #expect(console.run(arguments, environment: environment) == .ok, "\(arguments): \(console.talk)")
            #expect(console.talk.contains("the cluster's file is not heeded, and not needed for this: "), "\(console.talk)")
        }
        for command in ["up", "apply"] {
            let console = TestConsole()
            #expect(console.run([command, "--run", run.path, "--config", file]) == .usage)
            #expect(console.talk.contains("cluster.yaml"), "\(console.talk)")
        }
        for environment in [["RELUX_RUN": run.path], [:]] {
            let doctor = TestConsole()
            #expect(doctor.run(["doctor", "--config", file], environment: environment) == .failed)
            #expect(doctor.out.contains("fail  configuration: ") && doctor.out.contains("cluster.yaml"), "\(doctor.out)")
        }
        let unnamed = TestConsole()
        #expect(unnamed.run(["status", "--config", file]) == .usage && unnamed.talk.contains("a cluster that runs is reached with --run DIR"), "\(unnamed.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `a run directory by flag and a file by variable belong together, and a variable that is empty names nothing`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = try scratch.cluster().file
        let console = TestConsole()
        let elsewhere = "\(scratch.path)/elsewhere"
        _ = console.run(["up", "--plan", "--run", elsewhere], environment: ["RELUX_CONFIG": file])
        #expect(console.talk.contains("\(elsewhere)/packed/Auth"), "\(console.talk)")
        for (arguments, environment, isSaid) in [
            (["--config", file], ["RELUX_RUN": elsewhere], true), (["--config", file, "--run", elsewhere], ["RELUX_RUN": scratch.path], false),
            (["--config", file], ["RELUX_RUN": "\(scratch.path)/run"], false), ([], ["RELUX_RUN": elsewhere, "RELUX_CONFIG": file], false),
        ] {
            let other = TestConsole()
            _ = other.run(["up", "--plan"] + arguments, environment: environment)
            #expect(other.talk.contains("\(elsewhere)/packed/Auth") || environment["RELUX_RUN"] != elsewhere && !isSaid, "\(other.talk)")
            let conflict = "the run directory is \(elsewhere), as RELUX_RUN says, and not \(scratch.path)/run, as \(file) says: --run chooses"
            #expect(other.talk.contains(conflict) == isSaid, "\(other.talk)")
        }
        for name in ["RELUX_RUN", "RELUX_CONFIG"] {
            let empty = TestConsole()
            #expect(empty.run(["status"], environment: [name: ""]) == .usage)
            #expect(empty.talk.contains("\(name) is set and empty"), "\(empty.talk)")
        }
    }
}
