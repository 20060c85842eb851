import Foundation

/// Lines of Swift for the coders of a plan.
struct WireCode {
    let plan: WirePlan
    private var lines: [String] = []
    var indent = 0

    static let width = 140

    init(_ plan: WirePlan) { self.plan = plan }

    /// The text of all coders, without a head.
    static func text(_ plan: WirePlan) -> String {
        var code = WireCode(plan)
        for coder in plan.coders { code.add(coder) }
        return code.lines.joined(separator: "\n") + "\n"
    }

    mutating func line(_ text: String) {
        lines.append(text.isEmpty ? "" : String(repeating: " ", count: indent * 4) + text)
    }

    /// Writes a statement on the lines that it needs: each closure may have its own.
    mutating func statement(_ text: String) {
        let opening = " throws(WireError) in"
        let isTooLong = text.utf8.count + indent * 4 > Self.width
        guard isTooLong, let start = text.range(of: opening + " "), let end = text.range(of: " }", options: .backwards) else { return line(text) }
        line(text[..<start.lowerBound] + opening)
        indent += 1
        statement(String(text[start.upperBound..<end.lowerBound]))
        indent -= 1
        line("}" + text[end.upperBound...])
    }

    private mutating func block(_ head: String, _ body: (inout WireCode) -> Void) {
        line("\(head) {")
        indent += 1
        body(&self)
        indent -= 1
        line("}")
    }

    /// Writes `head(a, b)` on one line, or on one for each argument if that is too long.
    mutating func call(_ head: String, _ arguments: [String]) {
        let whole = "\(head)(\(arguments.joined(separator: ", ")))"
        guard whole.utf8.count + indent * 4 > Self.width else { return line(whole) }
        line("\(head)(")
        indent += 1
        for (index, argument) in arguments.enumerated() { line(argument + (index == arguments.count - 1 ? ")" : ",")) }
        indent -= 1
    }

    private mutating func add(_ coder: WirePlan.Coder) {
        guard coder.isEncoded || coder.isDecoded else { return }
        let access = coder.type.isRoot ? (coder.type.isPublic ? "public " : "") : "fileprivate "
        line("")
        block("extension \(coder.type.name)\(coder.type.isRoot ? ": CBORFastCodable" : "")") { code in
            if coder.isEncoded {
                code.block("\(access)func encodeCBOR(into writer: inout CBORWriter) throws(WireError)") { $0.encode(coder.shape) }
            }
            if coder.isEncoded, coder.isDecoded { code.line("") }
            if coder.isDecoded {
                code.block("\(access)init(cbor reader: inout CBORReader) throws(WireError)") { $0.decode(coder.shape) }
            }
        }
    }

    // MARK: Writing

    private mutating func encode(_ shape: WirePlan.Shape) {
        switch shape {
        case .structure(let fields, _):
            line("writer.map(count: \(Self.count(fields) { Self.property($0) }))")
            for field in Self.ordered(fields) { encode(field, as: Self.property(field)) }
        case .enumeration(let cases):
            line("switch self {")
            for one in cases {
                let names = one.fields.map { "let \($0.variable)" }.joined(separator: ", ")
                line("case .\(Self.member(one.name))\(names.isEmpty ? "" : "(\(names))"):")
                indent += 1
                line("writer.open(case: \"\(one.name)\", fields: \(Self.count(one.fields) { $0.variable }))")
                for field in Self.ordered(one.fields) { encode(field, as: field.variable) }
                indent -= 1
            }
            line("}")
        }
    }

    private mutating func encode(_ field: WirePlan.Field, as value: String) {
        if case .foreign = field.type { return line("try writer.codable(\(value), key: \"\(field.key)\")") }
        guard case .optional(let wrapped) = field.type else {
            line("writer.key(\"\(field.key)\")")
            return statement(written(value, wrapped: field.type))
        }
        block("if let \(field.variable == value ? value : "\(field.variable) = \(value)")") { code in
            code.line("writer.key(\"\(field.key)\")")
            code.statement(code.written(field.variable, wrapped: wrapped))
        }
    }

    private func written(_ value: String, wrapped type: WireType) -> String {
        switch type {
        case .text: return "writer.text(\(value))"
        case .bool: return "writer.bool(\(value))"
        case .double: return "writer.double(\(value))"
        case .float: return "writer.float(\(value))"
        case .bytes: return "writer.byteString(\(value).bytes)"
        case .integer: return "writer.integer(\(value))"
        case .raw(_, let base): return written("\(value).rawValue", wrapped: base)
        case _ where !writes(type): return "try writer.codable(\(value))"
        case .model: return "try \(value).encodeCBOR(into: &writer)"
        case .list(let element): return "try writer.list(\(value)) { writer, item throws(WireError) in \(written("item", wrapped: element)) }"
        case .table(let element): return "try writer.table(\(value)) { writer, item throws(WireError) in \(written("item", wrapped: element)) }"
        case .optional(let inner): return "try writer.optional(\(value)) { writer, item throws(WireError) in \(written("item", wrapped: inner)) }"
        case .codable, .foreign: return "try writer.codable(\(value))"
        }
    }

    /// It has no part that would be left to `Codable` time and again.
    private func writes(_ type: WireType) -> Bool {
        switch type {
        case .model(let name): plan.isEncoded(name)
        case .list(let inner), .table(let inner), .optional(let inner): writes(inner)
        case .codable, .foreign: false
        default: true
        }
    }

    /// How many keys there will be.
    private static func count(_ fields: [WirePlan.Field], _ value: (WirePlan.Field) -> String) -> String {
        let certain = fields.filter { !$0.isOptional && !$0.isForeign }.count
        let others = fields.filter { $0.isOptional || $0.isForeign }.map { field in
            field.isForeign ? "CBORWriter.count(\(value(field)))" : "(\(value(field)) == nil ? 0 : 1)"
        }
        return ((certain > 0 || others.isEmpty ? ["\(certain)"] : []) + others).joined(separator: " + ")
    }

    private static func property(_ field: WirePlan.Field) -> String {
        field.variable == field.key ? field.key : "self.\(member(field.key))"
    }

    // MARK: Names

    /// Keys of a map in their order (RFC 8949 §4.2.1): shorter ones first, then by bytes.
    static func ordered(_ fields: [WirePlan.Field]) -> [WirePlan.Field] {
        fields.sorted { left, right in
            let (first, second) = (left.key.utf8, right.key.utf8)
            return first.count == second.count ? first.lexicographicallyPrecedes(second) : first.count < second.count
        }
    }

    /// Behind a dot nearly every word is a name.
    static func member(_ name: String) -> String { ["init", "self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name }
}
