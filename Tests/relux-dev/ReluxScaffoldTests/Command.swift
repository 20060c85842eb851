import Foundation

/// A program that a scenario runs to its end.
enum Command {
    /// - Parameters:
    ///   - words: the program, found in PATH unless it has a slash, and its arguments.
    ///   - place: the folder that it runs in; nil for this process's own.
    ///   - variables: set besides this process's environment.
    /// - Returns: its exit status, and its output and errors as one text.
    static func run(_ words: [String], in place: String? = nil, _ variables: [String: String] = [:]) throws -> (status: Int32, text: String) {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("relux-command-\(UUID().uuidString)")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let writer = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        if let place { process.currentDirectoryURL = URL(fileURLWithPath: place) }
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = writer
        process.standardError = writer
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
    }
}
