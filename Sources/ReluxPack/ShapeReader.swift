import ReluxPlugin

/// Finds out how Swift's synthesized coding writes the types of an interface.
struct ShapeReader {
    let table: SymbolTable

    /// Types of other modules whose coding is documented.
    private static let known: [String: PayloadShape.Kind] = [
        "String": .text, "Substring": .text, "Character": .text, "UUID": .text, "Topic": .text, "ModuleID": .text,
        "Int": .int, "Int8": .int, "Int16": .int, "Int32": .int, "Int64": .int, "UInt": .int, "UInt8": .int,
        "UInt16": .int, "UInt32": .int, "UInt64": .int, "Bool": .bool, "Double": .double, "Float": .double,
        "Date": .double, "TimeInterval": .double, "ByteString": .bytes, "SealedBytes": .sealed,
    ]

    /// The fields of an enum's case, labels as they are on the wire.
    func fields(ofCase symbol: SymbolGraph.Symbol, within: [String] = []) -> [FieldContract] {
        let declaration = symbol.declaration
        guard let open = declaration.firstIndex(of: "("), let close = declaration.lastIndex(of: ")") else { return [] }
        let labels = Self.labels(symbol.pathComponents.last ?? "")
        let parts = splitOutsideBrackets(declaration[declaration.index(after: open)..<close], at: ",")
        return parts.enumerated().map { index, part in
            let label = index < labels.count && labels[index] != "_" ? labels[index] : "_\(index)"
            let pieces = splitOutsideBrackets(part, at: ":")
            let type = splitOutsideBrackets(pieces[pieces.count - 1], at: "=")[0]
            return field(label, type, within)
        }
    }

    /// The stored properties of a struct.
    private func fields(ofStruct path: String, within: [String]) -> [FieldContract] {
        table.members(of: path, kind: "swift.property").compactMap { symbol in
            let declaration = symbol.declaration[...]
            // Accessors in braces belong to what is computed, but also to what has observers or a narrower setter.
            let brace = declaration.firstIndex(of: "{") ?? declaration.endIndex
            guard table.stored.contains(symbol.identifier.precise), let name = symbol.pathComponents.last else {
                return nil
            }
            let pieces = splitOutsideBrackets(declaration[..<brace], at: ":")
            guard pieces.count == 2 else { return nil }
            return field(name, splitOutsideBrackets(pieces[1], at: "=")[0], within)
        }
    }

    private func field(_ label: String, _ text: Substring, _ within: [String]) -> FieldContract {
        var written = text.drop { $0 == " " }
        while written.last == " " { written = written.dropLast() }
        let type = TypeText(String(written))
        switch type {
        case .optional(let wrapped):
            let name = written.hasSuffix("?") ? String(written.dropLast()) : String(written)
            return FieldContract(label: label, type: name, optional: true, shape: shape(of: wrapped, within))
        default: return FieldContract(label: label, type: String(written), shape: shape(of: type, within))
        }
    }

    /// Nil for a type whose coding is not synthesized or not known.
    func shape(of type: TypeText, _ within: [String] = []) -> PayloadShape? {
        switch type {
        case .optional(let wrapped):
            shape(of: wrapped, within).map { PayloadShape(.optional, of: [$0]) }
        case .array(let element): shape(of: element, within).map { PayloadShape(.array, of: [$0]) }
        case .map(let key, let value): map(key, value, within)
        case .named("Secret", let arguments) where arguments.count == 1:
            PayloadShape(.sealed, of: shape(of: arguments[0], within).map { [$0] } ?? [])
        case .named("Data", _): PayloadShape(.array, type: "Data", of: [PayloadShape(.int)])
        case .named(let name, let arguments) where arguments.isEmpty: named(name, within)
        case .named, .other: nil
        }
    }

    /// Only text, whole numbers and what declares itself a coding key make a map; Swift writes any other dictionary as
    /// a list of keys and values in turn.
    private func map(_ key: TypeText, _ value: TypeText, _ within: [String]) -> PayloadShape? {
        guard case .named(let name, _) = key, isMapKey(name), let key = shape(of: key, within),
            let value = shape(of: value, within)
        else { return nil }
        return PayloadShape(.map, of: [key, value])
    }

    private func isMapKey(_ name: String) -> Bool {
        if let symbol = table.byPath[name] { return table.conforms(symbol, to: "Swift.CodingKeyRepresentable") }
        return ["String", "Int", "Topic", "ModuleID"].contains(name)
    }

    private func named(_ name: String, _ within: [String]) -> PayloadShape? {
        guard let symbol = table.byPath[name] else {
            return Self.known[name.hasPrefix("Swift.") ? String(name.dropFirst(6)) : name].map { PayloadShape($0) }
        }
        if within.contains(name) { return PayloadShape(.reference, type: name) }
        let within = within + [name]
        if symbol.kind.identifier == "swift.typealias" {
            let sides = splitOutsideBrackets(symbol.declaration[...], at: "=")
            return sides.count == 2 ? shape(of: TypeText(String(sides[1])), within) : nil
        }
        guard table.conforms(symbol, to: "s:SE"), !hasOwnCoding(name) else { return nil }
        if table.conforms(symbol, to: "s:SY") { return raw(name, within) }
        switch symbol.kind.identifier {
        case "swift.enum": return PayloadShape(.enumeration, type: name, cases: cases(of: name, within: within))
        case "swift.struct": return PayloadShape(.structure, type: name, fields: fields(ofStruct: name, within: within))
        default: return nil
        }
    }

    /// The shape of a named type; for snapshots.
    func shape(ofType path: String) -> PayloadShape? { named(path, []) }

    func cases(of path: String, within: [String] = []) -> [CaseContract] {
        table.members(of: path, kind: "swift.enum.case").map { symbol in
            let name = (symbol.pathComponents.last ?? "").prefix { $0 != "(" }
            // Nobody asks for the documentation of types further in.
            return CaseContract(name: String(name), fields: fields(ofCase: symbol, within: within), doc: within.isEmpty ? symbol.doc : nil)
        }
    }

    /// A hand-written `encode(to:)` or keys: what is on the wire is not what the declaration shows.
    func hasOwnCoding(_ path: String) -> Bool {
        table.members(of: path).contains { symbol in
            let name = symbol.pathComponents.last ?? ""
            return name == "encode(to:)" || (symbol.kind.identifier == "swift.enum" && name.hasSuffix("CodingKeys"))
        }
    }

    /// A raw value is written as itself; its type stands in the initialiser.
    private func raw(_ path: String, _ within: [String]) -> PayloadShape? {
        for symbol in table.members(of: path, kind: "swift.init") where symbol.pathComponents.last == "init(rawValue:)" {
            guard let colon = symbol.declaration.lastIndex(of: ":"),
                let close = symbol.declaration.lastIndex(of: ")"), colon < close,
                var shape = shape(
                    of: TypeText(String(symbol.declaration[..<close].suffix(from: colon).dropFirst())), within)
            else { continue }
            shape.type = path
            if shape.kind == .text || shape.kind == .int { shape.values = table.rawValues[path] ?? [] }
            return shape
        }
        return nil
    }

    /// `opened(_:tab:)` gives `_` and `tab`.
    private static func labels(_ title: String) -> [String] {
        guard let open = title.firstIndex(of: "(") else { return [] }
        return title[title.index(after: open)...].split(separator: ":").dropLast().map(String.init)
    }
}
