import Foundation
import Glibc
@testable import ReluxCLI
import ReluxLoader
import ReluxTestKit
import Testing

/// The program's answers about the installation that it lies in.
@Suite struct InstallationTests {
    private let scratch = TemporaryDirectory(isMade: true)
    private var programs: String { scratch.file("lib/relux/1.2.3-0a") }

    private static let sums = "\(sha256(Array("one".utf8)))  libOne.so\n"
    private static let note = """
        {"schema": "relux.installation/1", "version": "1.2.3", "configuration": "../../../etc/relux/cluster.yaml", "sums": "\(sha256(Array(sums.utf8)))",
        "files": [{"name": "libOne.so", "size": 3, "executable": true}]}
        """

    private func install(_ note: String = Self.note) throws {
        for folder in [programs, scratch.file("etc/relux")] { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        try write(note, programs + "/installation.json")
        try write("cluster:\n  name: installed\n  directory: \(scratch.file("run"))\n", scratch.file("etc/relux/cluster.yaml"))
        try write("one", programs + "/libOne.so")
        chmod(programs + "/libOne.so", 0o755)
        try write(Self.sums, programs + "/SHA256SUMS")
    }

    @Test func `the version names the programs' folder, and an installation's configuration`() throws {
        let build = TestConsole()
        #expect(build.run(["version"], programs: "/somewhere/.build/debug") == .ok)
        #expect(build.out.contains("programs       /somewhere/.build/debug  (a build)") && !build.out.contains("configuration"), "\(build.out)")
        try install()
        let console = TestConsole()
        #expect(console.run(["version"], programs: programs) == .ok)
        #expect(console.out.contains("programs       \(programs)\n") && console.out.contains("configuration  \(scratch.file("etc/relux/cluster.yaml"))"), "\(console.out)")
        let json = TestConsole()
        #expect(json.run(["version", "--json"], programs: programs) == .ok)
        #expect(json.out.contains(#""configuration":"\#(scratch.file("etc/relux/cluster.yaml"))""#), "\(json.out)")
    }

    @Test func `the installed file is meant where no other is named or near`() throws {
        try install()
        let console = TestConsole()
        #expect(console.run(["up", "--plan"], directory: scratch.path, programs: programs) == .ok)
        #expect(console.talk.contains("no plugin is named in \(scratch.file("etc/relux/cluster.yaml"))"), "\(console.talk)")
        let near = scratch.file("deploy/cluster.yaml")
        try FileManager.default.createDirectory(atPath: scratch.file("deploy"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: scratch.file("etc/relux/cluster.yaml"), toPath: near)
        let nearer = TestConsole()
        #expect(nearer.run(["up", "--plan"], directory: scratch.path, programs: programs) == .ok && nearer.talk.contains(near), "\(nearer.talk)")
        // Taken away since.
        for file in [near, scratch.file("etc/relux/cluster.yaml")] { try FileManager.default.removeItem(atPath: file) }
        let none = TestConsole()
        #expect(none.run(["up", "--plan"], directory: scratch.path, programs: programs) == .notFound)
        #expect(none.talk.contains("there is no deploy/cluster.yaml in"), "\(none.talk)")
    }

    @Test func `a note that says nothing is refused by what needs it, with the remedy`() throws {
        for note in ["", "{", #"{"schema": "relux.installation/2", "version": "1", "configuration": "x"}"#] {
            try install(note)
            for command in [["version"], ["up", "--plan"], ["status"]] {
                let console = TestConsole()
                #expect(console.run(command, directory: scratch.path, programs: programs) == .failed)
                #expect((command == ["version"]) == console.out.contains("programs       \(programs)"), "\(console.out)")
                #expect(console.talk.contains("\(programs)/installation.json does not say what is installed") && console.talk.contains("install it again"), "\(console.talk)")
            }
            // Whoever names the run directory needs no file.
            let status = TestConsole()
            #expect(status.run(["status", "--run", scratch.file("run")], directory: scratch.path, programs: programs) == .unreachable, "\(status.talk)")
            let doctor = TestConsole()
            #expect(doctor.run(["doctor"], directory: scratch.path, programs: programs) == .failed)
            #expect(doctor.out.contains("fail  installation: \(programs)/installation.json does not say"), "\(doctor.out)")
        }
    }

    @Test func `a file that is missing, changed, of another size or not executable is named`() throws {
        try install()
        let installation = try #require(try Installation(in: programs))
        #expect(installation.faults(isThorough: true).isEmpty)
        let library = programs + "/libOne.so"
        func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        try write("two", library)
        chmod(library, 0o755)
        #expect(installation.faults(isThorough: false).isEmpty)
        #expect(installation.faults(isThorough: true) == ["\(library) is not the file that was installed"])
        try write("onetwo", library)
        #expect(installation.faults(isThorough: false) == ["\(library) has 6 bytes instead of 3"])
        try FileManager.default.removeItem(atPath: library)
        let console = TestConsole()
        #expect(console.run(["up", "--plan"], directory: scratch.path, programs: programs) == .failed)
        #expect(console.talk.contains("the installation in \(programs) is not whole: \(library) is missing"), "\(console.talk)")
        try write("one", library)
        chmod(library, 0o644)
        #expect(installation.faults(isThorough: false) == ["\(library) is not executable"])
        chmod(library, 0o755)
        try write("sums\n", programs + "/SHA256SUMS")
        #expect(installation.faults(isThorough: true) == ["\(programs)/SHA256SUMS is not the file that was installed"])
        try FileManager.default.removeItem(atPath: programs + "/SHA256SUMS")
        #expect(installation.faults(isThorough: true).first?.contains("SHA256SUMS cannot be read") == true)
    }
}
