import Foundation
@testable import ReluxCLI
import ReluxTestKit
import ReluxWire
import Testing

/// Which libraries are packed; what becomes of them is of ReluxPackTests and of the end-to-end stories.
@Suite struct ModulePackTests {
    /// A build folder of libraries that nobody can load, and a cluster that names modules.
    private func cluster(_ scratch: TemporaryDirectory, libraries: [String], plugins: [String]) throws -> [String] {
        let build = scratch.path + "/build"
        try FileManager.default.createDirectory(atPath: build, withIntermediateDirectories: true)
        for library in libraries { try "of an earlier build\n".write(toFile: "\(build)/\(library)", atomically: true, encoding: .utf8) }
        let file = scratch.path + "/cluster.yaml"
        try (["cluster:", "  name: demo", "  directory: run", "  plugins:"] + plugins.map { "    - \($0)" }).joined(separator: "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        return ["--build", build, "--config", file]
    }

    @Test func `what the cluster names is packed, whatever else lies in the build folder`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let arguments = try cluster(
            scratch,
            libraries: ["libAuthModels.so", "libAuthReluxImpl.so", "libCartReluxImpl.so", "libSessionOrchestration.so", "libSessionReluxImpl.so"],
            plugins: ["module: SessionOrchestration", "{path: <packed>/Auth/current, host: all}", "{path: /elsewhere/Cart/1.0.0-a, host: all}"])
        let console = TestConsole()
        #expect(console.run(["module", "pack", "--configured", "--dry-run"] + arguments) == .ok)
        let build = scratch.path + "/build"
        #expect(console.out == "PLAN  pack      \(build)/libSessionOrchestration.so\nPLAN  pack      \(build)/libAuthReluxImpl.so")
        #expect(console.run(["module", "pack", "--configured", "--all"] + arguments) == .usage)
    }

    @Test func `a module of another build stays as it was packed, and one that was never packed is named`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let arguments = try cluster(scratch, libraries: ["libAuthReluxImpl.so"], plugins: ["module: Auth", "module: Weather"])
        let missing = TestConsole()
        #expect(missing.run(["module", "pack", "--configured", "--dry-run"] + arguments) == .notFound)
        #expect(missing.talk.contains("nor packed before: Weather\n") && missing.talk.contains("relux module pack LIBRARY"), "\(missing.talk)")

        let packed = scratch.path + "/run/packed/Weather/current"
        try FileManager.default.createDirectory(atPath: packed, withIntermediateDirectories: true)
        try "{}".write(toFile: packed + "/manifest.json", atomically: true, encoding: .utf8)
        let console = TestConsole()
        #expect(console.run(["module", "pack", "--configured", "--dry-run"] + arguments) == .ok)
        #expect(console.out.hasSuffix("/build/libAuthReluxImpl.so") && console.talk.hasPrefix("note: Weather stays"), "\(console.talk)")
    }

    @Test func `a module that the file misspells is answered with the nearest that is built`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let arguments = try cluster(scratch, libraries: ["libNotesReluxImpl.so"], plugins: ["module: notes"])
        let console = TestConsole()
        #expect(console.run(["module", "pack", "--configured", "--dry-run"] + arguments) == .notFound)
        #expect(console.talk.contains("nor packed before: notes\n") && console.talk.contains("did you mean 'Notes'? Else build them there"), "\(console.talk)")
    }

    @Test func `without the cluster's file nothing is chosen by it`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["module", "pack", "--configured", "--run", scratch.path + "/run"]) == .notFound)
        #expect(console.talk.contains("--config FILE"))
    }

    @Test func `every library that is not packed is named, and the status is theirs`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let arguments = try cluster(scratch, libraries: ["libAuthReluxImpl.so", "libCartReluxImpl.so"], plugins: ["module: Auth"])
        let console = TestConsole()
        #expect(console.run(["module", "pack", "--all"] + arguments) == .refused)
        #expect(console.talk.hasPrefix("relux: not packed: 2 of 2 libraries\n"), "\(console.talk)")
        for library in ["libAuthReluxImpl.so", "libCartReluxImpl.so"] { #expect(console.talk.contains(library)) }
        #expect(console.talk.hasSuffix("\n       --configured takes only what the cluster's file names"))

        let json = TestConsole()
        #expect(json.run(["module", "pack", "--all", "--json"] + arguments) == .refused)
        #expect(try JSONValue(parsing: json.talk)["code"] == "pack.library")
        #expect(json.out.isEmpty)

        // As it always was for one.
        let one = TestConsole()
        #expect(one.run(["module", "pack", "--configured"] + arguments) == .refused)
        #expect(one.talk.hasPrefix("relux: loader.notElf: "), "\(one.talk)")
    }
}
