import Foundation
import Glibc
import PageKit
import ReluxTestKit

/// A command of a page's second terminal: `relux tap`, which runs until it is interrupted.
final class TerminalProgram: Sendable {
    let command: Page.Command
    private let child: Child
    private let printed = Watched<[String]>([])
    /// Names of effects that the page is not about.
    private let strangers = Watched<[String]>([])

    init(_ command: Page.Command, in folder: String, _ environment: [String: String]) throws {
        self.command = command
        let pipe = Pipe()
        let output = pipe.fileHandleForWriting.fileDescriptor
        child = try Child(
            "/bin/sh", ["-c", "cd '\(folder)' && exec \(command.text)"], environment: environment,
            input: FileHandle.nullDevice.fileDescriptor, output: output, error: output)
        try pipe.fileHandleForWriting.close()
        let (reader, printed) = (pipe.fileHandleForReading, printed)
        Thread {
            var rest = Data()
            while case let data = reader.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    printed.update { $0.append(line) }
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
        }.start()
    }

    /// Sends the first of the effects, with its fields as JSON if they follow it, until all of them have been shown: subscriptions take their time, and nothing tells when they have
    /// arrived. A person takes longer to go to the other terminal.
    func hear(_ words: [String], _ cli: CLI) async throws {
        let (effects, fields) = (words.filter { !$0.hasPrefix("{") }, words.first { $0.hasPrefix("{") } ?? "{}")
        guard let first = effects.first else { throw HarnessError("\(command.text) names no effect that harms nobody") }
        strangers.update { $0 = effects }
        let clock = ContinuousClock()
        let end = clock.now + watchdog
        while !effects.allSatisfy({ effect in printed.value.contains { $0.contains(effect) } }) {
            guard clock.now < end else { throw HarnessError("\(command.text) hears nothing: \(printed.value)") }
            let sent = try await cli("effect", "send", first, fields)
            guard sent.status == 0 else { throw HarnessError("\(sent)") }
        }
    }

    /// Interrupts it when as many lines have been shown as the page says, those of the warm-up not counted.
    /// - Returns: those lines.
    func end() async throws -> [String] {
        let (count, strangers) = (command.prints.count, strangers.value)
        @Sendable func own(_ lines: [String]) -> [String] { lines.filter { line in !strangers.contains { line.contains($0) } } }
        try await printed.wait(for: "\(count) lines of \(command.text)") { own($0).count >= count }
        child.signal(SIGINT)
        try await child.ended(command.text)
        return own(printed.value).filter { !$0.hasPrefix("seen ") }
    }
}
