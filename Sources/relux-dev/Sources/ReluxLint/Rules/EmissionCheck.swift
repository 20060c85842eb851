import ReluxLayers
import SwiftSyntax

/// Finds effects that a module dispatches and does not list among its `emits`: they are refused wherever the module runs.
///
/// It judges what is written out: an effect's type, known from its declaration, in the closure of a dispatch, in a variable that such a closure
/// names, in what the module's own functions answer with as an action, and lists of types. What comes from further away, and a list that is
/// put together, it leaves to the running module, which refuses and says so.
struct EmissionCheck {
    let graph: ModuleGraph

    func findings() -> [Finding] {
        let known = EffectTypes(graph.inOrder.flatMap(\.files))
        // A domain's views are a module of their own, in a package of their own.
        let packages = Dictionary(grouping: graph.inOrder.filter { !$0.isContext && Self.speaks($0.role) }) { $0.package }
        return packages.sorted { $0.key < $1.key }.flatMap { package, modules in
            findings(graph.packages[package].name, modules.map { ($0.files, Self.answersForItself($0.role)) }, known)
        }
    }

    /// Whether what its functions answer with is dispatched by the module itself: an interface makes effects for others too.
    private static func answersForItself(_ role: ModuleRole) -> Bool {
        switch role {
        case .layer(.implementation, _), .orchestrator: true
        default: false
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

    private func findings(_ package: String, _ modules: [(files: [SourceFile], answers: Bool)], _ known: EffectTypes) -> [Finding] {
        let files = modules.flatMap(\.files)
        let variables = NamedLists(files)
        let lists = files.flatMap { EmitLists(in: $0, known, variables).found }
        guard !lists.isEmpty else { return [] }
        var findings: [Finding] = []
        let dispatches = modules.flatMap { module in module.files.flatMap { Dispatches(in: $0, known, answers: module.answers).found } }
        for list in lists {
            var said = list.types
            for dispatch in dispatches where said.insert(dispatch.type).inserted {
                findings.append(
                    Finding(
                        .undeclaredEmission, dispatch.place,
                        "\(package) dispatches \(dispatch.type), which `emits` at \(list.place.file):\(list.place.line) does not have"))
            }
        }
        return findings
    }
}

/// The lists of what a module emits.
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

/// Named lists of types, by name; a name that is there twice counts as none.
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
    /// The value that it is set to, or that its getter of one statement answers with.
    var writtenValue: ExprSyntax? {
        if let value = initializer?.value { return value }
        guard let accessors = accessorBlock?.accessors else { return nil }
        if case .getter(let items) = accessors { return items.onlyAnswer }
        return nil
    }
}
