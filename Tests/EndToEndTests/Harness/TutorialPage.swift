import Foundation

/// A page whose commands and edits are executed, in its order.
///
/// - `console`: commands behind `$ `, each with the lines that it prints, on whichever of its outputs. Each ends with 0.
/// - `tap`: a command of another terminal, which is interrupted when it has printed its lines, and they may come in any order.
/// - `swift`: a new file, named by a comment in its first line.
/// - `diff`: changes of the file that is named behind `---`. The lines with a blank and a minus stand together in it just once, those with a
///   blank and a plus stand there afterwards; `@@` divides several.
///
/// All other blocks are for reading. A line `…` stands for any lines, and `…` in a line for anything; see also ``Transcript``.
struct TutorialPage: Sendable {
    struct Command: Sendable, Hashable {
        let text: String
        let prints: [String]
        /// In the page.
        let line: Int
    }

    struct Change: Sendable, Hashable {
        let before: String
        let after: String
    }

    enum Step: Sendable, Hashable {
        case run(Command)
        case tap(Command)
        case write(file: String, text: String)
        case change(file: String, [Change])
    }

    let steps: [Step]

    init(_ text: String) throws {
        var (steps, block): ([Step], (language: String, line: Int, lines: [String])?) = ([], nil)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated() {
            if let open = block {
                if line == "```" {
                    steps += try Self.steps(open.language, open.lines, open.line)
                    block = nil
                } else {
                    block?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                block = (String(line.dropFirst(3)), index + 2, [])
            }
        }
        if let block { throw HarnessError("the block before line \(block.line) is not closed") }
        self.steps = steps
    }

    private static func steps(_ language: String, _ lines: [String], _ line: Int) throws -> [Step] {
        switch language {
        case "console": return try commands(lines, line).map { .run($0) }
        case "tap": return try commands(lines, line).map { .tap($0) }
        case "swift":
            guard let head = lines.first, head.hasPrefix("// ") else { throw HarnessError("line \(line) names no file: // PATH") }
            return [.write(file: String(head.dropFirst(3)), text: lines.joined(separator: "\n") + "\n")]
        case "diff":
            guard let head = lines.first, head.hasPrefix("--- ") else { throw HarnessError("line \(line) names no file: --- PATH") }
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
                throw HarnessError("line \(line) belongs to no command: \(text)")
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
            default: throw HarnessError("the change at line \(line) has a line that is neither ' ' nor '-' nor '+': \(text)")
            }
        }
        return Change(before: before.map { $0 + "\n" }.joined(), after: after.map { $0 + "\n" }.joined())
    }
}
