/// The halves that read.
extension WireCode {
    mutating func decode(_ shape: WirePlan.Shape) {
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
                let given = value(of: wrapped)
                let test = "try reader.has(\"\(field.key)\", in: &fields)"
                if isKnown(wrapped) {
                    statement("let \(field.variable) = \(test) ? \(given) : nil")
                } else {
                    // A type that may be an optional itself: else `nil` would be taken as one of its own, and an absent field as one that is there.
                    statement("let \(field.variable): \(plan.spelled(field.type)) = \(test) ? .some(\(given)) : nil")
                }
            } else if case .foreign(let name) = field.type {
                line("let \(field.variable) = try reader.codable(\(name).self, key: \"\(field.key)\", in: &fields)")
            } else {
                line("try reader.need(\"\(field.key)\", in: &fields)")
                statement("let \(field.variable) = try \(value(of: field.type))")
            }
        }
        line("try reader.close(&fields)")
    }

    /// It is no optional, as all that generated code reads is not.
    private func isKnown(_ type: WireType) -> Bool {
        if case .model = type { true } else { reads(type) }
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
        case .codable(let name), .foreign(let name): return "reader.codable(\(name).self)"
        }
    }

    private func reads(_ type: WireType) -> Bool {
        switch type {
        case .model(let name): plan.isDecoded(name)
        case .list(let inner), .table(let inner), .optional(let inner): reads(inner)
        case .codable, .foreign: false
        default: true
        }
    }

    private static func argument(_ field: WirePlan.Field) -> String {
        field.label.map { "\($0): \(field.variable)" } ?? field.variable
    }
}
