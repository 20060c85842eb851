import Foundation

/// A page whose commands and edits are executed, in its order.
///
/// It says by whom, in a sentence of its text: `executed by a test (PATH)`. Its folder is an empty one then, which the page calls `~/work`.
/// `executed in the checkout by a test (PATH)` are commands that a person gives there; such a page changes no file, and its Swift is for reading.
///
/// - `console`: commands behind `$ `, each with the lines that it prints, on whichever of its outputs. Each ends with 0.
/// - `tap`: a command of another terminal, which is interrupted when it has printed its lines, and they may come in any order. Behind the word
///   stand an effect that harms nobody, its fields as JSON without blanks, and what it leads to: whoever hears these hears all.
/// - `swift`: a new file, named by a comment in its first line; not in the checkout.
/// - `diff`: changes of the file that is named behind `---`. The lines with a blank and a minus stand together in it just once, those with a
///   blank and a plus stand there afterwards; `@@` divides several.
///
/// All other blocks are for reading, and show no output of commands: `deploy/check-documents` sees to that. A line `…` stands for any lines, and `…` in a line for anything; see also ``Transcript``.
package struct Page: Sendable {
    package struct Command: Sendable, Hashable {
        package let text: String
        package let prints: [String]
        /// In the page.
        package let line: Int

        package init(text: String, prints: [String], line: Int) {
            (self.text, self.prints, self.line) = (text, prints, line)
        }
    }

    package struct Change: Sendable, Hashable {
        package let before: String
        package let after: String

        package init(before: String, after: String) {
            (self.before, self.after) = (before, after)
        }
    }

    package enum Step: Sendable, Hashable {
        case run(Command)
        case tap(Command, warmUp: [String])
        case write(file: String, text: String)
        case change(file: String, [Change])
    }

    /// The test that executes it, from the root of the repository; nil when nobody does.
    package let executor: String?
    package let isInCheckout: Bool
    package let steps: [Step]

    package init(_ text: String) throws {
        let words = text.firstMatch(of: /executed(\s+in\s+the\s+checkout)?\s+by\s+a\s+test\s+\(`([\w\/+.-]+\.swift)`/)
        executor = words.map { String($0.output.2) }
        isInCheckout = words?.output.1 != nil
        guard executor != nil else {
            steps = []
            return
        }
        var (steps, block): ([Step], (words: [String], line: Int, lines: [String])?) = ([], nil)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated() {
            if let open = block {
                if line == "```" {
                    steps += try Self.steps(open.words, open.lines, open.line, isInCheckout)
                    block = nil
                } else {
                    block?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                block = (line.dropFirst(3).split(separator: " ").map(String.init), index + 2, [])
            }
        }
        if let block { throw PageError("the block before line \(block.line) is not closed") }
        self.steps = steps
    }

    private static func steps(_ words: [String], _ lines: [String], _ line: Int, _ isInCheckout: Bool) throws -> [Step] {
        switch words.first {
        case "console": return try commands(lines, line).map { .run($0) }
        case "tap": return try commands(lines, line).map { .tap($0, warmUp: Array(words.dropFirst())) }
        case "swift" where !isInCheckout:
            guard let head = lines.first, head.hasPrefix("// ") else { throw PageError("line \(line) names no file: // PATH") }
            return [.write(file: String(head.dropFirst(3)), text: lines.joined(separator: "\n") + "\n")]
        case "diff":
            guard !isInCheckout else { throw PageError("line \(line) would change the checkout") }
            guard let head = lines.first, head.hasPrefix("--- ") else { throw PageError("line \(line) names no file: --- PATH") }
            let parts = lines.dropFirst().split(separator: "@@")
            return [.change(file: String(head.dropFirst(4)), try parts.map { try change(Array($0), line) })]
        default: return []
        }
    }

    private static func commands(_ lines: [String], _ line: Int) throws -> [Command] {
        var commands: [Command] = []
        for (index, text) in lines.enumerated() {
            if text.hasPrefix("$ ") {
                commands.append(Command(text: String(text.dropFirst(2)), prints: [], line: line + index))
            } else if let last = commands.popLast() {
                commands.append(Command(text: last.text, prints: last.prints + [text], line: last.line))
            } else {
                throw PageError("line \(line) belongs to no command: \(text)")
            }
        }
        return commands
    }

    private static func change(_ lines: [String], _ line: Int) throws -> Change {
        var (before, after): ([Substring], [Substring]) = ([], [])
        for text in lines {
            let rest = text.dropFirst()
            switch text.first {
            case " ", nil:
                before.append(rest)
                after.append(rest)
            case "-": before.append(rest)
            case "+": after.append(rest)
            default: throw PageError("the change at line \(line) has a line that is neither ' ' nor '-' nor '+': \(text)")
            }
        }
        return Change(before: before.map { $0 + "\n" }.joined(), after: after.map { $0 + "\n" }.joined())
    }
}
