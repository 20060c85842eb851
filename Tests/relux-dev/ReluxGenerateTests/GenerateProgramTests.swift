import Foundation
import Testing

/// The program itself: what it writes, what it says, and what it ends with.
@Suite struct GenerateProgramTests {
    private let folder = NSTemporaryDirectory() + "/relux-generate-\(UUID().uuidString)"

    private func put(_ text: String, _ path: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func generate(_ arguments: String...) throws -> (status: Int32, out: String) {
        let out = URL(fileURLWithPath: "\(folder)/out")
        try Data().write(to: out)
        let process = Process()
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        process.executableURL = URL(fileURLWithPath: "\(own)/relux-dev")
        process.arguments = ["generate"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: out, encoding: .utf8))
    }

    @Test func `a file is missing, written, current, stale, written again and removed`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try put(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(name: "Sky", targets: [.target(name: "SkyReluxInt")])
            """, "Package.swift")
        let effect = "import Relux\nenum Sky { enum Effect: Relux.Effect { case rained(Int) } }\n"
        try put(effect, "Sources/SkyReluxInt/Sky.swift")
        let path = "Sources/SkyReluxInt/Sky+Wire.generated.swift"
        func run(_ arguments: String...) throws -> String {
            let result = try arguments.isEmpty ? generate() : generate("--check")
            return "\(result.status) \(result.out)"
        }
        #expect(try run("--check") == "1 \(path): missing; run relux generate\n")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(path)"))
        #expect(try run() == "0 \(path): new\n")
        #expect(try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8).contains("extension Sky.Effect: CBORFastCodable {"))
        #expect(try run("--check") == "0 ")

        try put(effect.replacing("Int", with: "Int64"), "Sources/SkyReluxInt/Sky.swift")
        #expect(try run("--check") == "1 \(path): stale; run relux generate\n")
        #expect(try run() == "0 \(path): changed\n")

        // From half a type nothing follows.
        let current = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
        try put("import Relux\nenum Sky { enum Effect: Relux.Effect { case rained(\n", "Sources/SkyReluxInt/Sky.swift")
        #expect(try run("--check") == "1 ")
        #expect(try run() == "1 ")
        #expect(try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8) == current)

        try put("enum Sky {}\n", "Sources/SkyReluxInt/Sky.swift")
        #expect(try run("--check") == "1 \(path): codes nothing any more; run relux generate\n")
        #expect(try run() == "0 \(path): removed\n")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(path)"))
        try put(effect, "Sources/SkyReluxInt/Sky.swift")
        #expect(try generate("--existing") == (0, ""))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(path)"))
        try put("", path)
        #expect(try generate("--existing") == (0, "\(path): changed\n"))
        try put("enum Sky {}\n", "Sources/SkyReluxInt/Sky.swift")
        #expect(try generate("--existing") == (0, "\(path): codes nothing any more; run relux generate\n"))
        #expect(try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8).contains("extension Sky.Effect"))
        #expect(try generate("nowhere").status == 2)
    }
}
