import ArgumentParser
import Foundation
import Synchronization

/// Shell completion of names in the running cluster: the lines that the listing command prints with `-o name`.
///
/// A cluster that does not answer within a moment offers nothing, and nothing is said.
enum Completions {
    static let modules = names("module", "ls")
    static let effects = names("effect", "ls")
    static let deadLetters = names("dlq", "ls")
    static let signals = names("signal", "ls")
    static let journals = names("journal", "ls")
    static let schedules = names("schedule", "ls")
    static let contexts = names("context", "ls")
    static let hosts = kind { words in
        // Several modules may be in one.
        Set(listed(["status", "-o", "jsonpath={range .modules[*]}{.host}{\"\\n\"}{end}"], words)).sorted()
    }

    private static func names(_ command: String...) -> CompletionKind { kind { listed(command + ["-o", "name"], $0) } }

    private static func kind(_ list: @escaping @Sendable ([String]) -> [String]) -> CompletionKind {
        .custom { words, _, prefix in list(words).filter { $0.hasPrefix(prefix) } }
    }

    /// The lines that a command prints, for the cluster that the words so far name.
    private static func listed(_ command: [String], _ words: [String]) -> [String] {
        let environment = ProcessInfo.processInfo.environment
        return listed(command, words, environment: environment, directory: FileManager.default.currentDirectoryPath)
    }

    static func listed(_ command: [String], _ words: [String], environment: [String: String], directory: String) -> [String] {
        let lines = Mutex<[String]>([])
        let console = Console(
            out: { line in lines.withLock { $0 += line.split(separator: "\n").map(String.init) } }, talk: { _ in }, environment: environment,
            workingDirectory: directory, executableDirectory: Console.ownDirectory)
        guard CommandLineTool.run(command + ["--timeout", "500ms", "--quiet"] + location(words), console: console) == .ok else { return [] }
        return lines.withLock { $0 }
    }

    /// The options among the words that name the cluster.
    private static func location(_ words: [String]) -> [String] {
        words.indices.flatMap { index -> [String] in
            let word = words[index]
            if ["--run", "--config", "--context"].contains(word), words.indices.contains(index + 1) { return [word, words[index + 1]] }
            return ["--run=", "--config=", "--context="].contains(where: word.hasPrefix) ? [word] : []
        }
    }
}
