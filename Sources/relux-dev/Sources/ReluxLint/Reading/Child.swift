import Foundation

/// A program that is awaited; found in `PATH` when it is named without a slash.
package enum Child {
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    package static func run(_ command: [String]) throws(LintError) -> Result {
        do { return try start(command) } catch {
            throw LintError("lint.program", "\(command[0]) cannot be started: \(FileReason.of(error))", hint: "put it into PATH")
        }
    }

    private static func start(_ command: [String]) throws -> Result {
        // Files, not pipes: a child that is started meanwhile would hold the pipe open, and two pipes can wait for each other.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("relux-dev-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, errors) = (folder.appendingPathComponent("output"), folder.appendingPathComponent("errors"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try writer(output)
        process.standardError = try writer(errors)
        try process.run()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: try text(output), errors: try text(errors))
    }

    private static func writer(_ file: URL) throws -> FileHandle {
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }

    private static func text(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
}
