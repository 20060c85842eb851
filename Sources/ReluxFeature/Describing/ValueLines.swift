/// Values as lines of text, one for each field, for diffs.
package enum ValueLines {
    static let depthLimit = 16

    package static func of(_ value: Any) -> [String] {
        var lines: [String] = []
        describe(value, label: "", indent: 0, &lines)
        return lines
    }

    private static func describe(_ value: Any, label: String, indent: Int, _ lines: inout [String]) {
        let prefix = String(repeating: "  ", count: indent) + (label.isEmpty ? "" : label + ": ")
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let inner = mirror.children.first else { return lines.append(prefix + "nil") }
            describe(inner.value, label: label, indent: indent, &lines)
        case .enum:
            guard let inner = mirror.children.first else { return lines.append("\(prefix).\(value)") }
            open(prefix + "." + (inner.label ?? "?") + "(", ")", fields(of: inner.value), indent, &lines)
        case .struct, .class:
            if mirror.children.isEmpty || value is any CustomStringConvertible & Hashable & LosslessStringConvertible {
                return lines.append(prefix + text(value))
            }
            open("\(prefix)\(type(of: value))(", ")", Array(mirror.children), indent, &lines)
        case .tuple: open(prefix + "(", ")", Array(mirror.children), indent, &lines)
        case .collection, .set:
            let children = mirror.displayStyle == .set ? mirror.children.sorted { "\($0.value)" < "\($1.value)" } : Array(mirror.children)
            open(prefix + "[", "]", children, indent, &lines)
        case .dictionary:
            let pairs = mirror.children.map { Array(Mirror(reflecting: $0.value).children) }
                .map { pair in Mirror.Child(label: "\(pair[0].value)", value: pair[1].value) }
                .sorted { $0.label ?? "" < $1.label ?? "" }
            open(prefix + "[", "]", pairs, indent, &lines)
        default: lines.append(prefix + text(value))
        }
    }

    private static func fields(of payload: Any) -> [Mirror.Child] {
        let mirror = Mirror(reflecting: payload)
        return mirror.displayStyle == .tuple ? Array(mirror.children) : [(nil, payload)]
    }

    private static func open(_ head: String, _ tail: String, _ children: [Mirror.Child], _ indent: Int, _ lines: inout [String]) {
        guard !children.isEmpty, indent < depthLimit else { return lines.append(head + (children.isEmpty ? "" : "…") + tail) }
        lines.append(head)
        for child in children {
            let label = child.label.map { $0.first == "." || $0.first == "_" ? "" : $0 } ?? ""
            describe(child.value, label: label, indent: indent + 1, &lines)
        }
        lines.append(String(repeating: "  ", count: indent) + tail)
    }

    private static func text(_ value: Any) -> String { value is String || value is Substring ? "\"\(value)\"" : "\(value)" }
}
