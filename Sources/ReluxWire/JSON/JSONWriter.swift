extension JSONValue {
    /// This value as text: on one line, or indented by two blanks per level.
    public func text(pretty: Bool = false) -> String {
        var writer = JSONWriter(isPretty: pretty)
        writer.write(self)
        return writer.text
    }
}

private struct JSONWriter {
    let isPretty: Bool
    var text = ""
    private var level = 0

    init(isPretty: Bool) { self.isPretty = isPretty }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): write(value)
        case .array(let elements): write(elements, "[", "]") { $0.write($1) }
        case .object(let members):
            write(members, "{", "}") { writer, member in
                writer.write(member.key)
                writer.text += writer.isPretty ? ": " : ":"
                writer.write(member.value)
            }
        }
    }

    private mutating func write<Element>(
        _ elements: [Element], _ open: String, _ close: String, _ body: (inout JSONWriter, Element) -> Void
    ) {
        text += open
        level += 1
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            breakLine()
            body(&self, element)
        }
        level -= 1
        if !elements.isEmpty { breakLine() }
        text += close
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        text += "\n" + String(repeating: "  ", count: level)
    }

    private mutating func write(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // People look at JSON too.
            case _ where scalar.isSteering:
                for unit in UTF16.encode(scalar)! {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
