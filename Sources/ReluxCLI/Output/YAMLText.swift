import ReluxWire
internal import Yams

extension JSONValue {
    /// The same document as YAML, its members in their order, without a line's end at its end.
    var yaml: String {
        // The tree has only nodes that Yams can write.
        let text = (try? Yams.serialize(node: node, allowUnicode: true)) ?? ""
        return String(text.drop { $0 == "\n" }.reversed().drop { $0 == "\n" }.reversed())
    }

    /// Whether a reader takes it for a text without quotes, as it does not take `1.0`, `true` or nothing.
    private static func isPlain(_ text: String) -> Bool { Node(text).tag == Tag(.str) && !text.isEmpty }

    private var node: Node {
        switch self {
        case .null: .scalar(.init("null", Tag(.null)))
        case .bool(let value): .scalar(.init("\(value)", Tag(.bool)))
        case .integer(let value): .scalar(.init("\(value)", Tag(.int)))
        case .number: .scalar(.init(text(), Tag(.float)))
        case .string(let text): .scalar(.init(text, Tag(.str), Self.isPlain(text) ? .any : .singleQuoted))
        case .array(let elements): .sequence(.init(elements.map(\.node)))
        case .object(let members): .mapping(.init(members.map { (Node.scalar(.init($0.key, Tag(.str))), $0.value.node) }))
        }
    }
}
