import SwiftSyntax

/// Finds effects that a module dispatches and does not list among its `emits`: they are refused wherever the module runs.
///
/// It judges what is written out: an effect's type, known from its declaration, in the closure of a dispatch, and lists of types. What a
/// router or a variable hands over, and a list that is put together, it leaves to the running module, which refuses and says so.
struct EmissionCheck {
    let graph: ModuleGraph

    func findings() -> [Finding] {
        let known = EffectTypes(graph.inOrder.flatMap(\.files))
        // A domain's views are a module of their own, in a package of their own.
        let packages = Dictionary(grouping: graph.inOrder.filter { !$0.isContext && Self.speaks($0.role) }) { $0.package }
        return packages.sorted { $0.key < $1.key }.flatMap { package, modules in
            findings(graph.packages[package].name, modules.flatMap(\.files), known)
        }
    }

    /// Whether code of that role runs in a module's process, in its name.
    private static func speaks(_ role: ModuleRole) -> Bool {
        switch role {
        case .layer(let layer, _): layer != .testSupport && role.owner != nil
        case .orchestrator, .part: true
        case .program, .tests, .view, .core, .other: false
        }
    }

    private func findings(_ package: String, _ files: [SourceFile], _ known: EffectTypes) -> [Finding] {
        let variables = NamedLists(files)
        let lists = files.flatMap { EmitLists(in: $0, known, variables).found }
        guard !lists.isEmpty else { return [] }
        var findings: [Finding] = []
        for list in lists {
            var said = list.types
            for file in files {
                for dispatch in Dispatches(in: file, known).found where said.insert(dispatch.type).inserted {
                    findings.append(
                        Finding(
                            .undeclaredEmission, dispatch.place,
                            "\(package) dispatches \(dispatch.type), which `emits` at \(list.place.file):\(list.place.line) does not have"))
                }
            }
        }
        return findings
    }
}

/// Paths of the types that are declared to be effects.
struct EffectTypes {
    private var paths: Set<String> = []

    init(_ files: [SourceFile]) {
        for file in files {
            let visitor = ScopeVisitor(viewMode: .sourceAccurate)
            visitor.onType = { [visitor] name, inherited in
                guard let inherited, inherited.inheritedTypes.contains(where: { $0.type.trimmedDescription == "Relux.Effect" }) else { return }
                visitor.effects.insert((visitor.scope + [name]).joined(separator: "."))
            }
            visitor.walk(file.tree)
            visitor.onType = nil
            paths.formUnion(visitor.effects)
        }
    }

    /// The effect type that the names mean where they are written; nil when they mean none that is known.
    func resolve(_ names: [String], in scope: [String]) -> String? {
        for count in stride(from: scope.count, through: 0, by: -1) {
            let path = (scope.prefix(count) + names).joined(separator: ".")
            if paths.contains(path) { return path }
        }
        return nil
    }
}

/// Walks a file and knows the types around.
class ScopeVisitor: SyntaxVisitor {
    private(set) var scope: [String] = []
    private var depths: [Int] = []
    fileprivate var effects: Set<String> = []
    fileprivate var onType: ((String, InheritanceClauseSyntax?) -> Void)?

    private func enter(_ names: [String], _ inherited: InheritanceClauseSyntax?) -> SyntaxVisitorContinueKind {
        if let name = names.last { onType?(name, inherited) }
        scope += names
        depths.append(names.count)
        return .visitChildren
    }
    private func leave() { scope.removeLast(depths.removeLast()) }

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

/// Effects that are written out in the closure of a dispatch.
private final class Dispatches: ScopeVisitor {
    private static let verbs: Set = ["actions", "action", "performAsync"]

    private(set) var found: [(type: String, place: Place)] = []
    private let file: SourceFile
    private let known: EffectTypes
    /// How many closures of dispatches are around.
    private var depth = 0
    private var aliases: [String: [String]] = [:]

    init(in file: SourceFile, _ known: EffectTypes) {
        self.file = file
        self.known = known
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
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
            for body in bodies { note(body) }
            return .visitChildren
        }
        return .visitChildren
    }

    private func note(_ body: ClosureExprSyntax) {
        let visitor = EffectVisitor(viewMode: .sourceAccurate)
        visitor.onNames = { names, node in
            var names = names
            if let alias = self.aliases[names[0]] { names = alias + names.dropFirst() }
            // A case of an enum, or a struct that is made.
            guard let type = self.known.resolve(Array(names.dropLast()), in: self.scope) ?? self.known.resolve(names, in: self.scope),
                names.last.map({ $0 != "self" && $0 != "wireTopic" }) == true,
                type.hasSuffix(names.last ?? "") || names.last?.first?.isLowercase == true
            else { return }
            self.found.append((type, self.file.place(of: node)))
        }
        visitor.walk(body)
        visitor.onNames = nil
    }
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
    // What is compared or matched is not dispatched.
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// What the module says that it emits: in its declaration and in itself.
private final class EmitLists: ScopeVisitor {
    struct List {
        var types: Set<String>
        var place: Place
    }

    private(set) var found: [List] = []
    private let file: SourceFile
    private let known: EffectTypes
    private let variables: NamedLists

    init(in file: SourceFile, _ known: EffectTypes, _ variables: NamedLists) {
        self.file = file
        self.known = known
        self.variables = variables
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.calledExpression.lastName
        guard name == "ModuleDeclaration" || name == "exportModule",
            let list = node.arguments.first(where: { $0.label?.text == "emits" })?.expression
        else { return .visitChildren }
        note(list)
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings where binding.pattern.trimmedDescription == "emits" {
            if let list = binding.writtenValue { note(list) }
        }
        return .visitChildren
    }

    private func note(_ written: ExprSyntax) {
        guard let list = written.as(ArrayExprSyntax.self) ?? written.lastName.flatMap({ variables.lists[$0] }) else { return }
        var types: Set<String> = []
        for element in list.elements {
            if let literal = element.expression.as(StringLiteralExprSyntax.self) {
                types.insert(literal.segments.trimmedDescription)
                continue
            }
            guard let names = element.expression.names, let last = names.last, last == "self" || last == "wireTopic" else { return }
            let type = Array(names.dropLast())
            types.insert(known.resolve(type, in: scope) ?? type.joined(separator: "."))
        }
        found.append(List(types: types, place: file.place(of: written)))
    }
}

/// Lists of types that have a name, by that; one that is there twice is none.
private struct NamedLists {
    private(set) var lists: [String: ArrayExprSyntax] = [:]

    init(_ files: [SourceFile]) {
        let visitor = ListVisitor(viewMode: .sourceAccurate)
        for file in files { visitor.walk(file.tree) }
        lists = visitor.lists.compactMapValues { $0.count == 1 ? $0[0] : nil }
    }
}

private final class ListVisitor: SyntaxVisitor {
    var lists: [String: [ArrayExprSyntax]] = [:]

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            guard let list = binding.writtenValue?.as(ArrayExprSyntax.self) else { continue }
            lists[binding.pattern.trimmedDescription, default: []].append(list)
        }
        return .visitChildren
    }
}

extension PatternBindingSyntax {
    /// What it is set to, or what its getter of one statement answers with.
    fileprivate var writtenValue: ExprSyntax? {
        if let value = initializer?.value { return value }
        guard let accessors = accessorBlock?.accessors else { return nil }
        if case .getter(let items) = accessors { return items.onlyAnswer }
        return nil
    }
}
