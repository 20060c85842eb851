import Foundation

/// One child process that is awaited; found in `PATH` when named without a slash.
enum Child {
    struct Result: Sendable {
        /// The exit code, or the signal's number plus 128.
        let status: Int32
        let output: String
        let errors: String
    }

    static func run(_ command: [String]) throws -> Result {
        // Its own, and gone with it: compilers leave folders behind in theirs.
        let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("relux-child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: temporary) }
        let errors = temporary.appendingPathComponent("errors")
        // A file, not a second pipe: whoever reads one pipe to its end must not have the child stuck on the other.
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.path]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let signalled = process.terminationReason == .uncaughtSignal
        return Result(
            status: signalled ? 128 + process.terminationStatus : process.terminationStatus,
            output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
