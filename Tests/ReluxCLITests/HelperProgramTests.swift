import Foundation
@testable import ReluxCLI
import ReluxTestKit
import Testing

@Suite struct HelperProgramTests {
    private func put(_ name: String, in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil, attributes: [.posixPermissions: 0o755]))
    }

    private func console(beside folder: String, path: String = "") -> Console {
        Console(out: { _ in }, talk: { _ in }, environment: ["PATH": path], executableDirectory: folder)
    }

    @Test func `lint is relux-dev beside relux, before one in PATH, with all its arguments`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        try put("relux-dev", in: scratch.path + "/bin")
        try put("relux-dev", in: scratch.path + "/path")
        let here = console(beside: scratch.path + "/bin", path: scratch.path + "/path")
        let found = try #require(try HelperProgram(["lint", "--json", "Plugins"], here))
        #expect(found.path == scratch.path + "/bin/relux-dev")
        #expect(found.arguments == ["lint", "--json", "Plugins"])
        let elsewhere = console(beside: scratch.path, path: "/nowhere:" + scratch.path + "/path")
        #expect(try HelperProgram(["new"], elsewhere)?.path == scratch.path + "/path/relux-dev")
        #expect(try HelperProgram(["checklist", "Plugins/Notes"], elsewhere)?.path == scratch.path + "/path/relux-dev")
        #expect(try HelperProgram(["generate"], elsewhere)?.path == scratch.path + "/path/relux-dev")
        #expect(try HelperProgram(["graph", "--live"], elsewhere)?.arguments == ["graph", "--live"])
        // Not the program `relux-dev` without its word, as any other one would be.
        #expect(try HelperProgram(["dev", "Plugins/Notes"], elsewhere)?.arguments == ["dev", "Plugins/Notes"])
    }

    @Test func `help about a word of another program is that program's`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        try put("relux-dev", in: scratch.path)
        try put("relux-mine", in: scratch.path)
        let here = console(beside: scratch.path)
        let dev = try HelperProgram(["help", "new", "feature"], here)
        #expect(dev?.path == scratch.path + "/relux-dev" && dev?.arguments == ["new", "feature", "--help"])
        #expect(try HelperProgram(["help", "mine"], here)?.arguments == ["--help"])
        #expect(try HelperProgram(["help", "status"], here) == nil && HelperProgram(["help", "--help"], here) == nil)
        #expect(try HelperProgram(["help", "frob"], here) == nil)
    }

    @Test func `a checkout's own build of the tools is found without being in PATH`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        try put("relux-dev", in: scratch.path + "/.build/dev/debug")
        let found = try HelperProgram(["lint"], console(beside: scratch.path + "/.build/x86_64-unknown-linux-gnu/debug"))
        #expect(found?.path == scratch.path + "/.build/dev/debug/relux-dev")
    }

    @Test func `any other word is a program of that name without the word`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        try put("relux-mine", in: scratch.path)
        let found = try HelperProgram(["mine", "-x"], console(beside: "/nowhere", path: scratch.path))
        #expect(found == (try HelperProgram(["mine", "-x"], console(beside: scratch.path))))
        #expect(found?.arguments == ["-x"])
    }

    @Test(arguments: [["status"], ["help"], ["--help"], [], ["../evil"], ["Frob"], ["frob"]])
    func `relux's own words, options and what nobody provides stay with relux`(_ arguments: [String]) throws {
        #expect(try HelperProgram(arguments, console(beside: "/nowhere")) == nil)
    }

    @Test func `a missing relux-dev is named with the command that builds it`() throws {
        let here = console(beside: "/somewhere/relux/.build/x86_64-unknown-linux-gnu/debug")
        let error = #expect(throws: CLIError.self) { try HelperProgram(["lint"], here) }
        #expect(error?.status == .notFound)
        #expect(error?.hint.contains("swift build --package-path /somewhere/relux/Sources/relux-dev --scratch-path /somewhere/relux/.build/dev") == true)
        let test = TestConsole()
        #expect(test.run(["new", "domain", "Weather", "--json"]) == .notFound)
        #expect(test.talk.contains("tool.missing"))
    }
}
