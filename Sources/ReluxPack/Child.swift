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
        let errors = FileManager.default.temporaryDirectory.appendingPathComponent("relux-child-\(UUID().uuidString)")
        // A file, not a second pipe: whoever reads one pipe to its end must not have the child stuck on the other.
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        defer { try? FileManager.default.removeItem(at: errors) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
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
