import SwiftSyntax

/// A comment that silences a rule where it stands: `// lint:allow RULE: the reason`.
///
/// It holds for its own line and, when it has that line for itself, for the next line of code.
struct Silence {
    static let mark = "lint:allow"

    let rule: String
    let reason: String
    let line: Int
    /// Lines that it covers.
    let lines: Set<Int>

    static func all(in tree: SourceFileSyntax, line: (AbsolutePosition) -> Int) -> [Silence] {
        var found: [Silence] = []
        // A comment on a line of its own leads the next token.
        for token in tree.tokens(viewMode: .sourceAccurate) {
            let next = line(token.positionAfterSkippingLeadingTrivia)
            scan(token.leadingTrivia, from: token.position) { comment, position in
                found.append(Silence(comment, line: line(position), also: next))
            }
            scan(token.trailingTrivia, from: token.endPositionBeforeTrailingTrivia) { comment, position in
                found.append(Silence(comment, line: line(position), also: nil))
            }
        }
        return found
    }

    private init(_ comment: Substring, line: Int, also next: Int?) {
        let words = comment.drop { $0 == " " }
        let rule = words.prefix { $0 != " " && $0 != ":" }
        self.rule = String(rule)
        reason = String(words.dropFirst(rule.count).drop { $0 == " " || $0 == ":" })
        self.line = line
        lines = Set([line] + (next.map { [$0] } ?? []))
    }

    private static func scan(_ trivia: Trivia, from start: AbsolutePosition, _ body: (Substring, AbsolutePosition) -> Void) {
        var offset = start.utf8Offset
        for piece in trivia {
            if case .lineComment(let text) = piece, !text.hasPrefix("///") {
                let content = text.dropFirst(2).drop { $0 == " " }
                if content.hasPrefix(mark) { body(content.dropFirst(mark.count), AbsolutePosition(utf8Offset: offset)) }
            }
            offset += piece.sourceLength.utf8Length
        }
    }
}
