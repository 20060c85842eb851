import Foundation
import Testing

@Suite struct GenerateGuardTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// A checkout somewhere else, with what the script reads.
    private func checkout() throws -> String {
        let folder = NSTemporaryDirectory() + "relux-guard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: "\(folder)/deploy", withIntermediateDirectories: true)
        for name in ["Package.swift", "Sources", "deploy/generate-guard", "deploy/output"] {
            try FileManager.default.copyItem(atPath: "\(Self.root)/\(name)", toPath: "\(folder)/\(name)")
        }
        return folder
    }

    /// Runs the script; returns its exit code and what it printed.
    private func guardScript(_ folder: String, _ arguments: String...) throws -> (code: Int32, output: String) { try guardScript(folder, arguments) }

    private func guardScript(_ folder: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "\(folder)/deploy/generate-guard")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test func `the guard follows the core's sources and nothing else`() throws {
        let folder = try checkout()
        let elsewhere = try checkout()
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            try? FileManager.default.removeItem(atPath: elsewhere)
        }
        let first = try guardScript(folder)
        #expect(first.code == 0)
        #expect(first.output.hasPrefix("relux_abi_"))
        #expect(try guardScript(folder, "--check").code == 0)
        #expect(try guardScript(elsewhere).output == first.output, "it does not depend on where the checkout lies")

        let host = "\(folder)/Sources/ReluxHost/Added.swift"
        try "// not of the core".write(toFile: host, atomically: true, encoding: .utf8)
        #expect(try guardScript(folder, "--check").code == 0)

        let core = "\(folder)/Sources/ReluxWire/Added.swift"
        try "func added() {}".write(toFile: core, atomically: true, encoding: .utf8)
        let stale = try guardScript(folder, "--check")
        #expect(stale.code == 1)
        #expect(stale.output.contains("run deploy/generate-guard"))
        #expect(try guardScript(folder).output != first.output)
        #expect(try guardScript(folder, "--check").code == 0)
    }

    @Test(arguments: [["--help"], ["-h"], ["--chek"], ["--check", "--check"], [""]])
    func `only no word at all writes the guard`(arguments: [String]) throws {
        let folder = try checkout()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/Sources/ReluxPlugin/RuntimeGuard.generated.swift"
        try "stale".write(toFile: file, atomically: true, encoding: .utf8)
        let result = try guardScript(folder, arguments)
        let isHelp = ["--help", "-h"].contains(arguments[0])
        #expect(result.code == (isHelp ? 0 : 2) && result.output.contains(isHelp ? "--check    fail" : "is not understood"), "\(result)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "stale")
    }

    @Test func `a package without the core's product is refused by name`() throws {
        let folder = try checkout()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "let package = 1".write(toFile: "\(folder)/Package.swift", atomically: true, encoding: .utf8)
        let result = try guardScript(folder, "--check")
        #expect(result.code == 2)
        #expect(result.output.contains("Package.swift has no line"))
    }
}
