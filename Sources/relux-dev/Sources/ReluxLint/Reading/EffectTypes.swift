import SwiftSyntax

/// Paths of the types that are declared to be effects, and other names that they were given.
struct EffectTypes {
    private var paths: Set<String> = []
    private var aliases: [String: (names: [String], scope: [String])] = [:]

    init(_ files: [SourceFile]) {
        for file in files {
            let visitor = ScopeVisitor(viewMode: .sourceAccurate)
            visitor.onType = { [visitor] name, inherited in
                guard let inherited, inherited.inheritedTypes.contains(where: { $0.type.trimmedDescription == "Relux.Effect" }) else { return }
                visitor.effects.insert((visitor.scope + [name]).joined(separator: "."))
            }
            visitor.onAlias = { [visitor] name, names in
                visitor.aliases[(visitor.scope + [name]).joined(separator: ".")] = (names, visitor.scope)
            }
            visitor.walk(file.tree)
            (visitor.onType, visitor.onAlias) = (nil, nil)
            aliases.merge(visitor.aliases) { first, _ in first }
            paths.formUnion(visitor.effects)
        }
    }

    /// The effect type that the names mean where they are written; nil when they mean none that is known.
    func resolve(_ names: [String], in scope: [String]) -> String? { resolve(names, in: scope, depth: 0) }

    /// - Parameter depth: aliases on the way; a circle of them means nothing.
    private func resolve(_ names: [String], in scope: [String], depth: Int) -> String? {
        guard depth < 8 else { return nil }
        for count in stride(from: scope.count, through: 0, by: -1) {
            let path = (scope.prefix(count) + names).joined(separator: ".")
            if paths.contains(path) { return path }
            if let alias = aliases[path], let type = resolve(alias.names, in: alias.scope, depth: depth + 1) { return type }
        }
        return nil
    }
}

/// Walks a file and knows the types around.
class ScopeVisitor: SyntaxVisitor {
    private(set) var scope: [String] = []
    private var depths: [Int] = []
    fileprivate var effects: Set<String> = []
    fileprivate var aliases: [String: (names: [String], scope: [String])] = [:]
    fileprivate var onType: ((String, InheritanceClauseSyntax?) -> Void)?
    fileprivate var onAlias: ((String, [String]) -> Void)?

    private func enter(_ names: [String], _ inherited: InheritanceClauseSyntax?) -> SyntaxVisitorContinueKind {
        if let name = names.last { onType?(name, inherited) }
        scope += names
        depths.append(names.count)
        return .visitChildren
    }
    private func leave() { scope.removeLast(depths.removeLast()) }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        onAlias?(node.name.text, node.initializer.value.trimmedDescription.split(separator: ".").map(String.init))
        return .skipChildren
    }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter([node.name.text], node.inheritanceClause) }
    override func visitPost(_ node: EnumDeclSyntax) { leave() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter([node.name.text], node.inheritanceClause) }
    override func visitPost(_ node: StructDeclSyntax) { leave() }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter([node.name.text], node.inheritanceClause) }
    override func visitPost(_ node: ClassDeclSyntax) { leave() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter([node.name.text], node.inheritanceClause) }
    override func visitPost(_ node: ActorDeclSyntax) { leave() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.extendedType.trimmedDescription.split(separator: ".").map(String.init), nil)
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave() }
}
