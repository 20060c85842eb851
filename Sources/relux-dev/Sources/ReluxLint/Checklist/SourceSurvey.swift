import ReluxGenerate
import SwiftSyntax

/// The declarations in a package's sources, by Swift module: as much as checklists ask.
struct SourceSurvey {
    struct Declared {
        enum Kind { case type, enumeration, protocolType }

        /// With the types around: `Auth.Business.State`.
        let path: String
        let kind: Kind
        /// Last words of what it conforms to, extensions in the same module included: `HybridState`, `IState`.
        var conforms: Set<String>
        var cases: [String]
        let target: String
        let file: String

        var name: String { path.split(separator: ".").last.map(String.init) ?? path }
        func isA(_ words: String...) -> Bool { words.contains { conforms.contains($0) } }
    }

    private(set) var declared: [Declared] = []
    /// Functions by target, as `reduce`, and those with @Test.
    private(set) var functions: [String: Set<String>] = [:]
    private(set) var tests: [String: Int] = [:]
    /// Names behind a dot, by file: `done` of `.delegate(.done)`.
    private(set) var members: [String: Set<String>] = [:]
    /// Targets with the entry of a plugin.
    private(set) var entries: Set<String> = []
    /// Modules that each target imports.
    private(set) var imports: [String: Set<String>] = [:]
    /// Case labels that are more than a default, by file.
    private(set) var answers: [String: Int] = [:]
    /// Targets with the generator's words in them that say that somebody has to write others.
    private(set) var unwritten: Set<String> = []
    private(set) var files: [String: Set<String>] = [:]

    mutating func add(_ file: SourceFile, _ text: String, target: String) {
        let visitor = SurveyVisitor(viewMode: .sourceAccurate)
        visitor.walk(file.tree)
        for found in visitor.found {
            if let index = declared.firstIndex(where: { $0.path == found.path && $0.target == target }) {
                declared[index].conforms.formUnion(found.conforms)
                declared[index].cases += found.cases
            } else if let kind = found.kind {
                declared.append(
                    Declared(path: found.path, kind: kind, conforms: found.conforms, cases: found.cases, target: target, file: file.path))
            }
        }
        functions[target, default: []].formUnion(visitor.functions)
        tests[target, default: 0] += visitor.tests
        members[file.path] = visitor.members
        imports[target, default: []].formUnion(file.imports.map(\.module))
        answers[file.path] = visitor.answers
        files[target, default: []].insert(file.path)
        if visitor.hasEntry { entries.insert(target) }
        if text.contains(" is about, in one sentence.") { unwritten.insert(target) }
    }

    func types(in target: String) -> [Declared] { declared.filter { $0.target == target } }
    func protocols(in target: String) -> [Declared] { types(in: target).filter { $0.kind == .protocolType } }

    /// Enumerations that only make room for others are no data.
    func values(in target: String) -> [Declared] {
        types(in: target).filter { $0.kind == .type || $0.kind == .enumeration && !$0.cases.isEmpty }
    }
}

private final class SurveyVisitor: SyntaxVisitor {
    struct Found {
        let path: String
        /// Nil for an extension.
        let kind: SourceSurvey.Declared.Kind?
        let conforms: Set<String>
        var cases: [String] = []
    }

    var found: [Found] = []
    var functions: Set<String> = []
    var members: Set<String> = []
    var tests = 0
    var answers = 0
    var hasEntry = false
    private var path: [String] = []
    private var open: [Int] = []

    private func enter(_ name: String, _ kind: SourceSurvey.Declared.Kind?, _ clause: InheritanceClauseSyntax?) -> SyntaxVisitorContinueKind {
        path.append(name)
        let conforms = clause?.inheritedTypes.compactMap { $0.type.trimmedDescription.split(separator: ".").last.map(String.init) } ?? []
        open.append(found.count)
        found.append(Found(path: path.joined(separator: "."), kind: kind, conforms: Set(conforms)))
        return .visitChildren
    }

    private func leave() {
        path.removeLast()
        open.removeLast()
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText, .type, node.inheritanceClause) }
    override func visitPost(_ node: StructDeclSyntax) { leave() }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText, .type, node.inheritanceClause) }
    override func visitPost(_ node: ClassDeclSyntax) { leave() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText, .type, node.inheritanceClause) }
    override func visitPost(_ node: ActorDeclSyntax) { leave() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.identifierText, .enumeration, node.inheritanceClause)
    }
    override func visitPost(_ node: EnumDeclSyntax) { leave() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.identifierText, .protocolType, node.inheritanceClause)
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { leave() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.extendedType.trimmedDescription, nil, node.inheritanceClause)
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave() }

    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
        if let last = open.last { found[last].cases += node.elements.map(\.name.identifierText) }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        functions.insert(node.name.identifierText)
        for attribute in node.attributes.compactMap({ $0.as(AttributeSyntax.self) }) {
            if attribute.attributeName.trimmedDescription == "Test" { tests += 1 }
            if attribute.trimmedDescription.contains("relux_plugin_main") { hasEntry = true }
        }
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        members.insert(node.declName.baseName.identifierText)
        return .visitChildren
    }

    override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
        if case .case(let label) = node.label, !label.caseItems.allSatisfy({ $0.pattern.trimmedDescription == "nil" }) { answers += 1 }
        return .visitChildren
    }
}
