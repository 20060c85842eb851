import ArgumentParser
import Foundation

/// A program of its own behind a word of the command line, as git has them: `relux lint` is `relux-dev lint`, `relux mine` is `relux-mine`.
struct HelperProgram: Equatable {
    static let authors = "relux-dev"
    /// The words of `relux-dev`; it is built apart, for it reads Swift.
    static let words = ["checklist", "dev", "generate", "graph", "lint", "new"]

    let path: String
    let arguments: [String]

    /// - Returns: nil when the first word is one of `relux` itself, or nobody's.
    /// - Throws: `tool.missing`, for a word of `relux-dev`, with the command that builds it.
    init?(_ arguments: [String], _ console: Console) throws(CLIError) {
        let arguments = Self.helped(arguments)
        guard let word = arguments.first, Self.isPlain(word), !Self.isOwn(word) else { return nil }
        let isAuthors = Self.words.contains(word)
        let name = isAuthors ? Self.authors : "relux-\(word)"
        guard let path = Self.find(name, console) else {
            if isAuthors { throw Self.missing(word, console) }
            return nil
        }
        self.path = path
        self.arguments = isAuthors ? arguments : Array(arguments.dropFirst())
    }

    /// `help lint` asks the program behind the word, as `lint --help` does; what it has below the word it knows itself.
    private static func helped(_ arguments: [String]) -> [String] {
        guard arguments.first == "help", arguments.count > 1, !isOwn(arguments[1]) else { return arguments }
        return Array(arguments.dropFirst()) + ["--help"]
    }

    /// Becomes that program.
    func become(_ console: Console) throws(CLIError) {
        let why = console.become(path, arguments)
        throw CLIError(.failed, "tool.start", "\(path) cannot be started: \(why)", hint: "build it again, or remove it")
    }

    /// Beside `relux`, then in the folder of the authors' tools in the same build, then in PATH.
    static func find(_ name: String, _ console: Console) -> String? {
        let build = build(console).map { ["\($0)/dev/debug"] } ?? []
        let path = (console.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return ([console.executableDirectory] + build + path).lazy.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The folder `.build` that `relux` lies in.
    private static func build(_ console: Console) -> String? {
        guard let end = console.executableDirectory.range(of: "/.build/") else { return nil }
        return String(console.executableDirectory[..<end.upperBound].dropLast())
    }

    private static func missing(_ word: String, _ console: Console) -> CLIError {
        let root = build(console).map { String($0.dropLast("/.build".count)) }
        return CLIError(
            .notFound, "tool.missing", "relux \(word) is in the program relux-dev, which is neither beside relux nor in PATH",
            hint: root.map { "build it: swift build --package-path \($0)/Sources/relux-dev --scratch-path \($0)/.build/dev --product relux-dev" }
                ?? "install it: the package relux-dev, or deploy/install --sdk from Relux's checkout")
    }

    private static func isOwn(_ word: String) -> Bool {
        word == "help" || ReluxCommand.configuration.subcommands.contains { $0.configuration.commandName == word || $0.configuration.aliases.contains(word) }
    }

    /// A word that can be part of a file's name.
    private static func isPlain(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d } && !word.hasPrefix("-")
    }
}
