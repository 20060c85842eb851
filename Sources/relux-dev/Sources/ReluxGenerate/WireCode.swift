/// Lines of Swift for the coders of a plan.
struct WireCode {
    private let plan: WirePlan
    private var lines: [String] = []
    private var indent = 0

    static let width = 140

    init(_ plan: WirePlan) { self.plan = plan }

    /// The text of all coders, without a head.
    static func text(_ plan: WirePlan) -> String {
        var code = WireCode(plan)
        for coder in plan.coders { code.add(coder) }
        return code.lines.joined(separator: "\n") + "\n"
    }

    private mutating func line(_ text: String) {
        lines.append(text.isEmpty ? "" : String(repeating: " ", count: indent * 4) + text)
    }

    private mutating func block(_ head: String, _ body: (inout WireCode) -> Void) {
        line("\(head) {")
        indent += 1
        body(&self)
        indent -= 1
        line("}")
    }

    /// `head(a, b)` on as many lines as it takes.
    private mutating func call(_ head: String, _ arguments: [String]) {
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
        guard case .optional(let wrapped) = field.type else {
            line("writer.key(\"\(field.key)\")")
            return line(written(value, wrapped: field.type))
        }
        block("if let \(field.variable == value ? value : "\(field.variable) = \(value)")") { code in
            code.line("writer.key(\"\(field.key)\")")
            code.line(code.written(field.variable, wrapped: wrapped))
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
        case .codable: return "try writer.codable(\(value))"
        }
    }

    /// It has no part that would be left to `Codable` time and again.
    private func writes(_ type: WireType) -> Bool {
        switch type {
        case .model(let name): plan.isEncoded(name)
        case .list(let inner), .table(let inner), .optional(let inner): writes(inner)
        case .codable: false
        default: true
        }
    }

    /// How many keys there will be.
    private static func count(_ fields: [WirePlan.Field], _ value: (WirePlan.Field) -> String) -> String {
        let certain = fields.filter { !$0.isOptional }.count
        let others = fields.filter(\.isOptional).map { "(\(value($0)) == nil ? 0 : 1)" }
        return ((certain > 0 || others.isEmpty ? ["\(certain)"] : []) + others).joined(separator: " + ")
    }

    private static func property(_ field: WirePlan.Field) -> String {
        field.variable == field.key ? field.key : "self.\(member(field.key))"
    }

    // MARK: Reading

    private mutating func decode(_ shape: WirePlan.Shape) {
        switch shape {
        case .structure(let fields, let initialiser):
            read(fields)
            if let initialiser {
                call("self.init", initialiser.map(Self.argument))
            } else {
                for field in fields { line("self.\(Self.member(field.key)) = \(field.variable)") }
            }
        case .enumeration(let cases):
            line("try reader.openCase()")
            for (index, one) in cases.enumerated() {
                line("\(index == 0 ? "" : "} else ")if reader.key(\"\(one.name)\") {")
                indent += 1
                read(one.fields)
                let member = "self = .\(Self.member(one.name))"
                if one.fields.isEmpty { line(member) } else { call(member, one.fields.map(Self.argument)) }
                indent -= 1
            }
            line("} else {")
            indent += 1
            line("throw CBORReader.unexpected")
            indent -= 1
            line("}")
        }
    }

    private mutating func read(_ fields: [WirePlan.Field]) {
        line("var fields = try reader.openFields()")
        for field in Self.ordered(fields) {
            if case .optional(let wrapped) = field.type {
                line("let \(field.variable) = try reader.has(\"\(field.key)\", in: &fields) ? \(value(of: wrapped)) : nil")
            } else {
                line("try reader.need(\"\(field.key)\", in: &fields)")
                line("let \(field.variable) = try \(value(of: field.type))")
            }
        }
        line("try reader.close(&fields)")
    }

    /// An expression that has to be tried.
    private func value(of type: WireType) -> String {
        switch type {
        case .text: return "reader.text()"
        case .bool: return "reader.bool()"
        case .double: return "reader.double()"
        case .float: return "reader.float()"
        case .bytes: return "ByteString(reader.byteString())"
        case .integer(let name): return "reader.integer(\(name).self)"
        case .raw(let name, let base): return "CBORReader.known(\(name)(rawValue: \(value(of: base))))"
        case _ where !reads(type): return "reader.codable(\(plan.spelled(type)).self)"
        case .model(let name): return "\(name)(cbor: &reader)"
        case .list(let element): return "reader.list { reader throws(WireError) in try \(value(of: element)) }"
        case .table(let element): return "reader.table { reader throws(WireError) in try \(value(of: element)) }"
        case .optional(let inner): return "reader.optional { reader throws(WireError) in try \(value(of: inner)) }"
        case .codable(let name): return "reader.codable(\(name).self)"
        }
    }

    private func reads(_ type: WireType) -> Bool {
        switch type {
        case .model(let name): plan.isDecoded(name)
        case .list(let inner), .table(let inner), .optional(let inner): reads(inner)
        case .codable: false
        default: true
        }
    }

    private static func argument(_ field: WirePlan.Field) -> String {
        field.label.map { "\($0): \(field.variable)" } ?? field.variable
    }

    // MARK: Names

    /// Keys of a map in their order (RFC 8949 §4.2.1): shorter ones first, then by bytes.
    private static func ordered(_ fields: [WirePlan.Field]) -> [WirePlan.Field] {
        fields.sorted { left, right in
            let (first, second) = (left.key.utf8, right.key.utf8)
            return first.count == second.count ? first.lexicographicallyPrecedes(second) : first.count < second.count
        }
    }

    /// Behind a dot nearly every word is a name.
    private static func member(_ name: String) -> String { ["init", "self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name }
}
