import Foundation
import Glibc
import ReluxControl
import ReluxTestKit

/// A user interface that a person has started beside the cluster, in a pipe instead of on a terminal: its frames are read, and lines typed.
final class Screen: Sendable {
    let child: Child
    private let keyboard: FileHandle
    private let frames = Watched<[[String]]>([])
    private let said = Watched("")

    /// - Parameters:
    ///   - program: for example `notes-ui`.
    ///   - host: the name under which its process takes part.
    init(_ cluster: Cluster, _ program: String, as host: String) throws {
        let (input, output, error) = (Pipe(), Pipe(), Pipe())
        child = try Child(
            Built.path(program), ["--run", cluster.run.path, "--host", host], environment: cluster.cli.environment,
            input: input.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor,
            error: error.fileHandleForWriting.fileDescriptor)
        keyboard = input.fileHandleForWriting
        try input.fileHandleForReading.close()
        for pipe in [output, error] { try pipe.fileHandleForWriting.close() }
        let (frames, said, out, err) = (frames, said, output.fileHandleForReading, error.fileHandleForReading)
        Thread {
            var rest = ""
            while case let data = out.availableData, !data.isEmpty {
                rest += String(decoding: data, as: UTF8.self)
                while let end = rest.range(of: "--\n") {
                    let lines = rest[..<end.lowerBound].split(separator: "\n").map(String.init)
                    rest = String(rest[end.upperBound...])
                    frames.update { $0.append(lines) }
                }
            }
        }.start()
        Thread {
            while case let data = err.availableData, !data.isEmpty { said.update { $0 += String(decoding: data, as: UTF8.self) } }
        }.start()
    }

    /// The frame that it shows now.
    var frame: [String] { frames.value.last ?? [] }
    /// The text that it has written beside the frames.
    var talk: String { said.value }

    func type(_ line: String) throws { try keyboard.write(contentsOf: Data((line + "\n").utf8)) }

    /// Waits until the latest frame is as wanted.
    func shows(_ what: String, where isWanted: @escaping @Sendable ([String]) -> Bool) async throws {
        do {
            try await frames.wait(for: "the screen to show \(what)") { $0.last.map(isWanted) ?? false }
        } catch {
            throw HarnessError("\(error); it shows \(frame); it said \(talk)")
        }
    }

    func shows(_ text: String) async throws {
        try await shows(text) { $0.contains { $0.contains(text) } }
    }

    func saysAside(_ text: String) async throws {
        try await said.wait(for: "the interface to say \(text)") { $0.contains(text) }
    }
}
