import Foundation
import ReluxTestKit
import ReluxWire

/// A program that has run to its end.
struct Outcome: Sendable, CustomStringConvertible {
    let command: String
    let status: Int32
    let stdout: String
    let stderr: String

    var lines: [String] { stdout.split(separator: "\n").map(String.init) }
    var description: String { "$ \(command)\n\(stdout)\(stderr)exit status \(status)" }

    func json() throws -> JSONValue { try JSONValue(parsing: stdout) }
}

/// `relux`, and whatever else a person would start from a shell.
struct CLI: Sendable {
    /// The cluster that is meant.
    let run: String
    let config: String

    /// `relux ARGUMENTS` for this cluster.
    func callAsFunction(_ arguments: String..., input: String = "") async throws -> Outcome { try await relux(arguments, input: input) }

    func relux(_ arguments: [String], input: String = "") async throws -> Outcome {
        try await Self.run(Built.path("relux"), arguments, environment: environment, input: input)
    }

    var environment: [String: String] {
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RELUX_") }
        variables["RELUX_CONFIG"] = config
        variables["RELUX_RUN"] = nil
        variables["NO_COLOR"] = "1"
        return variables
    }

    /// Runs any program to its end, under a watchdog that kills it.
    static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], input: String = "",
        directory: String = "/", limit: Duration = watchdog * 2
    ) async throws -> Outcome {
        let command = "\(URL(fileURLWithPath: executable).lastPathComponent) \(arguments.joined(separator: " "))"
        // Files, not pipes: who inherits them cannot keep this waiting.
        let (out, outPath) = try scratchFile()
        let (err, errPath) = try scratchFile()
        defer {
            for path in [outPath, errPath] { try? FileManager.default.removeItem(atPath: path) }
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardOutput = out
        process.standardError = err
        let stdin = Pipe()
        process.standardInput = stdin
        let ended = Watched<Int32?>(nil)
        process.terminationHandler = { process in ended.update { $0 = process.terminationStatus } }
        try process.run()
        try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try? stdin.fileHandleForWriting.close()
        let pid = process.processIdentifier
        do {
            try await ended.wait(for: "the end of `\(command)`", limit: limit) { $0 != nil }
        } catch {
            kill(pid, SIGKILL)
            throw HarnessError("\(error)\n\(text(outPath))\(text(errPath))")
        }
        return Outcome(command: command, status: ended.value ?? -1, stdout: text(outPath), stderr: text(errPath))
    }

    private static func scratchFile() throws -> (FileHandle, String) {
        let path = "/tmp/rxe-out-\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw HarnessError("\(path) cannot be made") }
        return (handle, path)
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
