import Foundation
@testable import ReluxCLI
import ReluxControl
import Synchronization

/// A console that keeps what was written.
final class TestConsole: Sendable {
    private struct Texts: Sendable {
        var out: [String] = []
        var talk: [String] = []
    }
    private let texts = Mutex(Texts())
    private let input: Mutex<[String]>
    private let start: StartFacts

    init(input: [String] = [], start: StartFacts = StartFacts()) {
        self.input = Mutex(input)
        self.start = start
    }

    var out: String { texts.withLock { $0.out.joined(separator: "\n") } }
    var talk: String { texts.withLock { $0.talk.joined(separator: "\n") } }

    func run(_ arguments: [String], directory: String = "/", environment: [String: String] = [:], programs: String = "/") -> ExitStatus {
        var console = Console(
            out: { line in self.texts.withLock { $0.out.append(line) } },
            talk: { line in self.texts.withLock { $0.talk.append(line) } },
            readAll: { () throws(CLIError) in self.input.withLock { Array($0.joined(separator: "\n").utf8) } },
            readLine: { (_) throws(CLIError) in self.input.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } },
            columns: 80, environment: environment, workingDirectory: directory, executableDirectory: programs)
        console.start = start
        return CommandLineTool.run(arguments, console: console)
    }
}
