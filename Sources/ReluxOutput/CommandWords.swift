/// The words that a program's command line takes, as its parser describes them: the parser's `_dumpHelp()`, decoded.
package struct CommandWords: Sendable, Decodable {
    /// The parser's description of a whole program.
    package struct Program: Sendable, Decodable {
        package let command: CommandWords
    }

    struct Argument: Sendable, Decodable {
        enum Kind: String, Sendable, Decodable { case positional, option, flag }

        struct Name: Sendable, Decodable {
            let kind: String
            let name: String
            var written: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        let kind: Kind
        let names: [Name]?
        /// The only values that it takes; nil where any text may be one.
        let allValues: [String]?
        let isRepeating: Bool

        var written: [String] { (names ?? []).map(\.written) }
    }

    let commandName: String
    let aliases: [String]?
    let subcommands: [CommandWords]?
    let arguments: [Argument]?

    var below: [CommandWords] { subcommands ?? [] }
    var options: [String] { (arguments ?? []).flatMap(\.written) }
    var positionals: [Argument] { (arguments ?? []).filter { $0.kind == .positional } }

    func below(_ word: String) -> CommandWords? { below.first { $0.commandName == word || $0.aliases?.contains(word) == true } }

    func option(_ written: String) -> Argument? { arguments?.first { $0.written.contains(written) } }
}
