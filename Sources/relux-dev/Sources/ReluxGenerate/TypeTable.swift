import SwiftParser
import SwiftSyntax

/// A source file of one Swift module.
package struct ModuleSource: Sendable {
    package let module: String
    package let text: String

    package init(module: String, text: String) {
        self.module = module
        self.text = text
    }
}

/// The types of some modules by name.
struct TypeTable {
    private(set) var types: [String: DeclaredType] = [:]
    /// In the order of the sources.
    private(set) var names: [String] = []

    init(_ sources: [ModuleSource]) {
        let readers = sources.map { DeclarationReader(module: $0.module, Parser.parse(source: $0.text)) }
        for type in readers.flatMap(\.declared) {
            if types[type.name] == nil { names.append(type.name) }
            types[type.name] = type
        }
        for (name, addition) in readers.flatMap(\.additions) {
            guard var type = types[name] else { continue }
            type.inherits += addition.inherits
            type.initialisers += addition.initialisers
            type.obscurity = type.obscurity ?? addition.obscurity
            types[name] = type
        }
        for (name, type) in types where type.obscurity == nil {
            if let strange = type.strangeInheritance { types[name]?.obscurity = "\(strange) may change how it is coded" }
        }
    }

    /// The type that a name means inside of others, aliases followed; nil for one of other modules.
    func find(_ name: [String], in scope: [String]) -> String? {
        guard let first = name.first else { return nil }
        for depth in stride(from: scope.count, through: 0, by: -1) {
            guard var found = types[(scope.prefix(depth) + [first]).joined(separator: ".")] else { continue }
            for part in name.dropFirst() {
                guard let owner = resolved(found), let inner = types["\(owner.name).\(part)"] else { return nil }
                found = inner
            }
            return found.name
        }
        return nil
    }

    /// The type itself, or the declared one that an alias stands for.
    private func resolved(_ type: DeclaredType, depth: Int = 0) -> DeclaredType? {
        guard case .alias(let target) = type.kind else { return type }
        guard depth < 16, let name = target.names, let found = find(name, in: type.scope) else { return nil }
        return types[found].flatMap { resolved($0, depth: depth + 1) }
    }
}

extension TypeSyntax {
    /// As ``names``, whatever the last one's arguments are.
    var baseNames: [String]? {
        if let type = self.as(IdentifierTypeSyntax.self) { return [type.name.identifierText] }
        if let type = self.as(MemberTypeSyntax.self) { return type.baseType.names.map { $0 + [type.name.identifierText] } }
        return nil
    }

    /// `A`, `B` of `A.B`; nil where it is more than names.
    var names: [String]? {
        if let type = self.as(IdentifierTypeSyntax.self), type.genericArgumentClause == nil { return [type.name.identifierText] }
        if let type = self.as(MemberTypeSyntax.self), type.genericArgumentClause == nil {
            return type.baseType.names.map { $0 + [type.name.identifierText] }
        }
        return nil
    }
}
