import SwiftSyntax

/// Effects that a file dispatches, as far as they are written out in it.
final class Dispatches: ScopeVisitor {
    private static let verbs: Set = ["actions", "action", "performAsync"]

    private(set) var found: [(type: String, place: Place)] = []
    private let file: SourceFile
    private let known: EffectTypes
    /// Whether an action that its functions answer with is dispatched too.
    private let answers: Bool
    /// Effects that have a name in the file, by that.
    private var named: [String: (type: String, place: Place)] = [:]
    private var used: Set<String> = []
    private var aliases: [String: [String]] = [:]

    init(in file: SourceFile, _ known: EffectTypes, answers: Bool) {
        self.file = file
        self.known = known
        self.answers = answers
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
        // Wherever in the file it stands.
        found += used.sorted().compactMap { named[$0] }
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        aliases[node.name.text] = node.initializer.value.trimmedDescription.split(separator: ".").map(String.init)
        return .skipChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if Self.verbs.contains(node.calledExpression.lastName ?? "") {
            let labels: Set = ["actions", "action"]
            let bodies = [node.trailingClosure].compactMap(\.self)
                + node.arguments.filter { labels.contains($0.label?.text ?? "") }.compactMap { $0.expression.as(ClosureExprSyntax.self) }
            for body in bodies {
                found += effects(in: body)
                used.formUnion(Names.all(in: body))
            }
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if answers, let type = node.signature.returnClause?.type, let body = node.body { note(type, body) }
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            let type = binding.typeAnnotation?.type
            if let value = binding.initializer?.value {
                let made = effects(in: value).first ?? type.flatMap(effect).flatMap { Self.isImplicit(value) ? ($0, file.place(of: value)) : nil }
                if let made { named[binding.pattern.trimmedDescription] = made }
            } else if answers, let type, let accessors = binding.accessorBlock {
                note(type, accessors)
            }
        }
        return .visitChildren
    }

    /// Notes the effects that a function or a getter of that type answers with.
    private func note(_ type: TypeSyntax, _ body: some SyntaxProtocol) {
        if let effect = effect(type) {
            guard let place = Implicit.first(in: body) else { return }
            found.append((effect, file.place(of: place)))
        } else if ["Relux.Action", "Relux.Effect"].contains(where: type.trimmedDescription.contains), !type.trimmedDescription.contains(".Type") {
            found += effects(in: body)
        }
    }

    /// The effect type that is written there, alone, as an optional or in a list.
    private func effect(_ type: TypeSyntax) -> String? {
        let names = type.trimmedDescription.filter { !"[]?".contains($0) }.split(separator: ".").map(String.init)
        guard let first = names.first else { return nil }
        return known.resolve(aliases[first].map { $0 + names.dropFirst() } ?? names, in: scope)
    }

    private static func isImplicit(_ value: ExprSyntax) -> Bool {
        let called = value.as(FunctionCallExprSyntax.self)?.calledExpression ?? value
        return called.as(MemberAccessExprSyntax.self).map { $0.base == nil } ?? false
    }

    private func effects(in body: some SyntaxProtocol) -> [(type: String, place: Place)] {
        var made: [(type: String, place: Place)] = []
        let visitor = EffectVisitor(viewMode: .sourceAccurate)
        visitor.onNames = { names, node in
            var names = names
            if let alias = self.aliases[names[0]] { names = alias + names.dropFirst() }
            // A case of an enum, or a struct that is made.
            guard let type = self.known.resolve(Array(names.dropLast()), in: self.scope) ?? self.known.resolve(names, in: self.scope),
                names.last.map({ $0 != "self" && $0 != "wireTopic" }) == true,
                type.hasSuffix(names.last ?? "") || names.last?.first?.isLowercase == true
            else { return }
            made.append((type, self.file.place(of: node)))
        }
        visitor.walk(body)
        visitor.onNames = nil
        return made
    }
}

/// Names that are used as values.
private final class Names: SyntaxVisitor {
    private var found: Set<String> = []

    static func all(in body: some SyntaxProtocol) -> Set<String> {
        let visitor = Names(viewMode: .sourceAccurate)
        visitor.walk(body)
        return visitor.found
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        found.insert(node.baseName.text)
        return .visitChildren
    }
}

/// The first `.name` whose type the context says.
private final class Implicit: SyntaxVisitor {
    private var found: ExprSyntax?

    static func first(in body: some SyntaxProtocol) -> ExprSyntax? {
        let visitor = Implicit(viewMode: .sourceAccurate)
        visitor.walk(body)
        return visitor.found
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.base == nil, found == nil else { return .visitChildren }
        found = ExprSyntax(node)
        return .skipChildren
    }
    // A value that is compared or matched is not answered.
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

private final class EffectVisitor: SyntaxVisitor {
    var onNames: (([String], ExprSyntax) -> Void)?

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard let names = ExprSyntax(node).names, names.count > 1, names[0].first?.isUppercase == true else { return .visitChildren }
        onNames?(names, ExprSyntax(node))
        return .skipChildren
    }
    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let made = node.calledExpression.as(DeclReferenceExprSyntax.self), made.baseName.text.first?.isUppercase == true {
            onNames?([made.baseName.text], node.calledExpression)
        }
        return .visitChildren
    }
    // A value that is compared or matched is not dispatched.
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
