/// A type as a declaration spells it, parsed as far as coding needs.
package indirect enum TypeText: Hashable, Sendable {
    case named(String, arguments: [TypeText])
    case array(TypeText)
    case map(TypeText, TypeText)
    case optional(TypeText)
    /// A tuple, a function, an existential: nothing that synthesized coding takes.
    case other

    package init(_ text: String) {
        var parser = Parser(rest: text.filter { $0 != " " }[...])
        let type = parser.type()
        self = parser.rest.isEmpty ? type : .other
    }

    private struct Parser {
        var rest: Substring

        mutating func take(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func type() -> TypeText {
            var type = base()
            while take("?") { type = .optional(type) }
            return type
        }

        private mutating func base() -> TypeText {
            if take("[") {
                let first = type()
                let result: TypeText = take(":") ? .map(first, type()) : .array(first)
                return take("]") ? result : .other
            }
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "`" }
            guard !name.isEmpty else { return .other }
            rest = rest.dropFirst(name.count)
            var arguments: [TypeText] = []
            if take("<") {
                repeat { arguments.append(type()) } while take(",")
                guard take(">") else { return .other }
            }
            switch (name, arguments.count) {
            case ("Optional", 1): return .optional(arguments[0])
            case ("Array", 1), ("Set", 1): return .array(arguments[0])
            case ("Dictionary", 2): return .map(arguments[0], arguments[1])
            default: return .named(name.filter { $0 != "`" }, arguments: arguments)
            }
        }
    }
}

/// Splits at a separator outside of any bracket.
func splitOutsideBrackets(_ text: Substring, at separator: Character) -> [Substring] {
    var parts: [Substring] = []
    var depth = 0
    var start = text.startIndex
    for index in text.indices {
        switch text[index] {
        case "(", "[", "<": depth += 1
        case ")", "]", ">": depth -= 1
        case separator where depth == 0:
            parts.append(text[start..<index])
            start = text.index(after: index)
        default: break
        }
    }
    parts.append(text[start...])
    return parts
}
