/// The first word of a command line that means nothing where it stands, with the nearest that would.
///
/// Parsers guess too, but at the option that shares most letters, however few: `--json` for `--sort`.
package struct UnknownWord: Sendable, Equatable {
    /// The kind of word that the word is not: the last part of a stable code.
    package enum Kind: String, Sendable { case command, operand, option, value }

    package let kind: Kind
    /// `'--sort' is no option of `relux status``
    package let message: String
    package let hint: String

    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - others: what may stand for a command of the program besides its own.
    ///   - isAnswered: the parser takes the line for a question, and answers with help: then it is of no matter what options stand in it.
    /// - Returns: nil when every word means something, whatever else may be wrong.
    package static func first(in arguments: [String], of program: CommandWords, beside others: [String] = [], isAnswered: Bool) -> UnknownWord? {
        // Every parser's own question, and no command's option.
        if arguments.contains("--generate-completion-script") { return nil }
        let word = first(in: arguments, Reading(program, others))
        return isAnswered && arguments.first != "help" && word?.kind != .command ? nil : word
    }

    private static func first(in arguments: [String], _ start: Reading) -> UnknownWord? {
        var reading = start
        var rest = arguments[...]
        if rest.first == "help" {
            rest.removeFirst()
            for word in rest {
                if let unknown = reading.topic(word) { return unknown }
            }
            return nil
        }
        while let word = rest.popFirst(), word != "--" {
            if let unknown = word.hasPrefix("-") && word != "-" ? reading.option(word, &rest) : reading.plain(word) { return unknown }
        }
        return nil
    }

    /// Where in a command line one has come to.
    private struct Reading {
        private let program: String
        private var command: CommandWords
        private var path: String
        private var others: [String]
        private var place = 0

        init(_ program: CommandWords, _ others: [String]) {
            command = program
            self.program = program.commandName
            path = program.commandName
            self.others = others
        }

        mutating func topic(_ word: String) -> UnknownWord? {
            guard word.hasPrefix("-") else { return command.below.isEmpty ? excess(word) : step(word) }
            return ["-h", "--help"].contains(word) ? nil : UnknownWord(kind: .option, message: "'\(word)' is no option of `\(program) help`", hint: Self.hint(word, ["--help"], of: "\(program) help"))
        }

        mutating func plain(_ word: String) -> UnknownWord? {
            if !command.below.isEmpty { return step(word) }
            let positionals = command.positionals
            guard let last = positionals.last, place < positionals.count || last.isRepeating else { return surplus(word, behind: positionals.count) }
            let taken = place < positionals.count ? positionals[place] : last
            place += 1
            return value(word, of: taken, named: "`\(path)`")
        }

        mutating func option(_ word: String, _ rest: inout ArraySlice<String>) -> UnknownWord? {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if let option = command.option(parts[0]) {
                guard option.kind == .option else { return nil }
                if parts.count == 2 { return value(parts[1], of: option, named: parts[0]) }
                guard let next = rest.first, !next.hasPrefix("-") || next == "-" else { return negative(rest.first, of: parts[0]) }
                rest.removeFirst()
                return value(next, of: option, named: parts[0])
            }
            if !word.hasPrefix("--"), word.count > 2 { return letters(word, &rest) }
            return unknownOption(parts[0], in: rest)
        }

        /// Several short options in one word, of which one that takes a value takes what is left: `-qojson`.
        private mutating func letters(_ word: String, _ rest: inout ArraySlice<String>) -> UnknownWord? {
            var left = word.dropFirst()
            while let letter = left.popFirst() {
                guard let option = command.option("-\(letter)") else { return unknownOption("-\(letter)", in: rest) }
                if option.kind == .flag { continue }
                if !left.isEmpty { return value(String(left.first == "=" ? left.dropFirst() : left), of: option, named: "-\(letter)") }
                guard let next = rest.first, !next.hasPrefix("-") else { return negative(rest.first, of: "-\(letter)") }
                rest.removeFirst()
                return value(next, of: option, named: "-\(letter)")
            }
            return nil
        }

        private mutating func step(_ word: String) -> UnknownWord? {
            if let next = command.below(word) {
                command = next
                path += " \(next.commandName)"
                others = []
                return nil
            }
            let hint = NearestName.hint(word, among: command.below.map(\.commandName) + others)
            return UnknownWord(kind: .command, message: "'\(word)' is no command of `\(path)`", hint: hint)
        }

        private func excess(_ word: String) -> UnknownWord {
            UnknownWord(kind: .command, message: "'\(word)' is no command of `\(path)`", hint: "`\(path) --help` tells all of it")
        }

        private func surplus(_ word: String, behind count: Int) -> UnknownWord {
            let hint = command.option("--module") == nil ? "`\(path) --help` tells what it takes" : "a module is named by --module"
            return UnknownWord(kind: .operand, message: "'\(word)' is too much: `\(path)` takes \(count == 0 ? "no operand" : count == 1 ? "one operand" : "\(count) operands")", hint: hint)
        }

        private func value(_ word: String, of argument: CommandWords.Argument, named name: String) -> UnknownWord? {
            guard let known = argument.allValues, !known.isEmpty, !known.contains(where: { Self.stands($0, for: word) }) else { return nil }
            return UnknownWord(kind: .value, message: "'\(word)' is no value of \(name)", hint: NearestName.hint(word, among: known))
        }

        /// `jsonpath=TEMPLATE` stands for all that begin as it does.
        private static func stands(_ known: String, for word: String) -> Bool {
            known == word || known.firstIndex(of: "=").map { word.hasPrefix(known[...$0]) } ?? false
        }

        /// A number below zero where a value is wanted, which the parser takes for an option.
        private func negative(_ word: String?, of name: String) -> UnknownWord? {
            guard let word, word.dropFirst().first?.isNumber == true else { return nil }
            return UnknownWord(kind: .value, message: "'\(word)' is no value of \(name): it is below zero", hint: "`\(path) --help` tells what it takes")
        }

        private func unknownOption(_ word: String, in rest: ArraySlice<String>) -> UnknownWord {
            let taking = command.below.filter { $0.option(word) != nil }
            let next = taking.first { command in rest.contains { $0 == command.commandName } } ?? taking.first
            return UnknownWord(
                kind: .option, message: "'\(word)' is no option of `\(path)`",
                hint: next.map { "it stands behind the command: `\(path) \($0.commandName) \(word)`" } ?? Self.hint(word, command.options, of: path))
        }

        /// Dashes make no two options alike, so the names alone are compared; a word is no slip for a letter.
        private static func hint(_ word: String, _ known: [String], of path: String) -> String {
            let known = known.filter { $0.hasPrefix("--") == word.hasPrefix("--") }
            func bare(_ text: String) -> String { String(text.drop { $0 == "-" }) }
            let near = NearestName.of(bare(word), among: known.map(bare))
            let written = near.flatMap { near in known.first { bare($0) == near } }
            return written.map { "did you mean '\($0)'?" } ?? "`\(path) --help` names those that there are"
        }
    }
}
