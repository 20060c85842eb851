import Foundation
import Glibc
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
    /// Besides the test's own.
    var variables: [String: String] = [:]

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
        return variables.merging(self.variables) { $1 }
    }

    /// Runs any program to its end, under a watchdog that kills it.
    static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], input: String = "",
        limit: Duration = watchdog * 2
    ) async throws -> Outcome {
        let command = "\(URL(fileURLWithPath: executable).lastPathComponent) \(arguments.joined(separator: " "))"
        // Files, not pipes: who inherits them cannot keep this waiting.
        let files = [try scratchFile(input), try scratchFile(), try scratchFile()]
        defer {
            for file in files { try? FileManager.default.removeItem(atPath: file.path) }
        }
        let child = try Child(
            executable, arguments, environment: environment, input: files[0].handle.fileDescriptor, output: files[1].handle.fileDescriptor,
            error: files[2].handle.fileDescriptor)
        do {
            let status = try await child.ended("`\(command)`", limit: limit)
            return Outcome(command: command, status: status, stdout: text(files[1].path), stderr: text(files[2].path))
        } catch {
            child.signal(SIGKILL)
            throw HarnessError("\(error)\n\(text(files[1].path))\(text(files[2].path))")
        }
    }

    private static func scratchFile(_ contents: String = "") throws -> (handle: FileHandle, path: String) {
        let path = "/tmp/rxe-out-\(UUID().uuidString)"
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(contents.utf8), attributes: mode),
            let handle = FileHandle(forUpdatingAtPath: path)
        else { throw HarnessError("\(path) cannot be made") }
        return (handle, path)
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
