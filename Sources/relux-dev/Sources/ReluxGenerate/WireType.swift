import SwiftSyntax

/// How a field is coded.
indirect enum WireType: Hashable {
    case text, bool, double, float, bytes
    /// A whole number, by Swift's name for it.
    case integer(String)
    /// An enum with raw values.
    case raw(String, WireType)
    /// A struct or an enum of the package.
    case model(String)
    case list(WireType)
    /// A dictionary by text.
    case table(WireType)
    case optional(WireType)
    /// Anything else, as the generated file spells it: `Codable` codes it.
    case codable(String)
    /// The same, by a name that is not declared here: it may be another one for an optional, which only the compiler knows.
    case foreign(String)

    static func leaf(_ name: String) -> WireType? {
        switch name {
        case "String": .text
        case "Bool": .bool
        case "Double": .double
        case "Float": .float
        case "ByteString": .bytes
        case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64": .integer(name)
        default: nil
        }
    }
}

/// Reads the types of fields.
struct TypeReader {
    let table: TypeTable

    func type(_ syntax: TypeSyntax, in scope: [String], depth: Int = 0) -> WireType {
        // Aliases may lead in a circle, which no compiler takes.
        guard depth < 32 else { return .codable(syntax.trimmedDescription) }
        if let plain = sugared(syntax, in: scope) { return type(plain, in: scope, depth: depth + 1) }
        if let optional = syntax.as(OptionalTypeSyntax.self) {
            return .optional(type(optional.wrappedType, in: scope, depth: depth + 1))
        }
        if let array = syntax.as(ArrayTypeSyntax.self) { return .list(type(array.element, in: scope, depth: depth + 1)) }
        if let map = syntax.as(DictionaryTypeSyntax.self) {
            guard type(map.key, in: scope, depth: depth + 1) == .text else { return .codable(spelled(syntax, in: scope)) }
            return .table(type(map.value, in: scope, depth: depth + 1))
        }
        guard let names = syntax.names else {
            let isForeign = syntax.baseNames.map { table.find($0, in: scope).flatMap { table.types[$0] } == nil && !Self.isPlain($0) } ?? false
            return isForeign ? .foreign(spelled(syntax, in: scope)) : .codable(spelled(syntax, in: scope))
        }
        guard let found = table.find(names, in: scope), let declared = table.types[found] else {
            let name = names.joined(separator: ".")
            return WireType.leaf(name.hasPrefix("Swift.") ? String(name.dropFirst(6)) : name) ?? (Self.isPlain(names) ? .codable(name) : .foreign(name))
        }
        if case .alias(let target) = declared.kind { return type(target, in: declared.scope, depth: depth + 1) }
        guard declared.isCodable, declared.obscurity == nil else { return .codable(found) }
        switch declared.kind {
        case .enumeration:
            if let base = declared.inherits.first.flatMap(WireType.leaf) {
                switch base {
                case .text, .integer: return .raw(found, base)
                default: return .codable(found)
                }
            }
            return declared.cases.isEmpty ? .codable(found) : .model(found)
        case .structure: return .model(found)
        case .alias, .other: return .codable(found)
        }
    }

    /// Well known, and no optional.
    private static func isPlain(_ names: [String]) -> Bool {
        ["Secret", "Set", "Date", "Data", "Decimal", "UUID", "URL", "Range", "ClosedRange"].contains(names.last)
    }

    /// The usual spelling of a type that is written out, or in parentheses: to the compiler `Optional<Int>` and `Int?` are one type, and what it
    /// makes for `Codable` leaves out the keys of both. Nil where there is nothing to change.
    private func sugared(_ syntax: TypeSyntax, in scope: [String]) -> TypeSyntax? {
        if let tuple = syntax.as(TupleTypeSyntax.self), tuple.elements.count == 1 { return tuple.elements.first?.type }
        if let unwrapped = syntax.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return TypeSyntax(OptionalTypeSyntax(wrappedType: unwrapped.wrappedType.trimmed))
        }
        var name: String
        var clause: GenericArgumentClauseSyntax?
        if let type = syntax.as(IdentifierTypeSyntax.self) {
            (name, clause) = (type.name.identifierText, type.genericArgumentClause)
            // A type of the package itself is left as it is.
            guard table.find([name], in: scope) == nil else { return nil }
        } else if let type = syntax.as(MemberTypeSyntax.self), type.baseType.names == ["Swift"] {
            (name, clause) = (type.name.identifierText, type.genericArgumentClause)
        } else {
            return nil
        }
        let arguments = (clause?.arguments ?? []).compactMap { argument -> TypeSyntax? in
            if case .type(let type) = argument.argument { type.trimmed } else { nil }
        }
        switch (name, arguments.count) {
        case ("Optional", 1): return TypeSyntax(OptionalTypeSyntax(wrappedType: arguments[0]))
        case ("Array", 1): return TypeSyntax(ArrayTypeSyntax(element: arguments[0]))
        case ("Dictionary", 2): return TypeSyntax(DictionaryTypeSyntax(key: arguments[0], value: arguments[1]))
        default: return nil
        }
    }

    /// The type with the full names of the package's own, which mean the same everywhere.
    func spelled(_ syntax: TypeSyntax, in scope: [String]) -> String {
        if let names = syntax.names { return table.find(names, in: scope) ?? names.joined(separator: ".") }
        if let optional = syntax.as(OptionalTypeSyntax.self) { return spelled(optional.wrappedType, in: scope) + "?" }
        if let array = syntax.as(ArrayTypeSyntax.self) { return "[\(spelled(array.element, in: scope))]" }
        if let map = syntax.as(DictionaryTypeSyntax.self) { return "[\(spelled(map.key, in: scope)): \(spelled(map.value, in: scope))]" }
        if let type = syntax.as(IdentifierTypeSyntax.self), let arguments = type.genericArgumentClause?.arguments {
            let inner = arguments.map { argument in
                if case .type(let type) = argument.argument { return spelled(type, in: scope) }
                return argument.argument.trimmedDescription
            }
            return "\(type.name.text)<\(inner.joined(separator: ", "))>"
        }
        return syntax.trimmedDescription
    }
}
