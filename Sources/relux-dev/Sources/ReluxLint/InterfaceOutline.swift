import Foundation
import ReluxGenerate
import SwiftSyntax

/// The things that a domain's interface has to show and to ask for, as far as its source is written out.
package struct InterfaceOutline: Hashable, Sendable {
    package struct Parameter: Hashable, Sendable {
        /// Nil for a value without one.
        package let label: String?
        /// As the source spells it.
        package let type: String
        package let hasDefault: Bool

        package init(_ label: String?, _ type: String, hasDefault: Bool = false) {
            self.label = label
            self.type = type
            self.hasDefault = hasDefault
        }
    }

    package struct Case: Hashable, Sendable {
        package let name: String
        package let values: [Parameter]
        /// Its comment says ``marker``: no person asks for it.
        package let isForOrchestrators: Bool

        /// The sentence by which an author says so, anywhere in the comment of a case.
        package static let marker = "Orchestrators send it."

        package init(_ name: String, _ values: [Parameter] = [], isForOrchestrators: Bool = false) {
            self.name = name
            self.values = values
            self.isForOrchestrators = isForOrchestrators
        }
    }

    package struct Snapshot: Hashable, Sendable {
        /// Stored properties, by label.
        package let fields: [Parameter]
        /// The parameters of its initialiser.
        package let parameters: [Parameter]

        package init(fields: [Parameter], parameters: [Parameter]) {
            self.fields = fields
            self.parameters = parameters
        }
    }

    /// Cases of `<Domain>.UI.Model.Page`.
    package let pages: [Case]
    /// Cases of `<Domain>.Business.Effect`.
    package let effects: [Case]
    /// `<Domain>.Business.Snapshot`; nil when there is none.
    package let snapshot: Snapshot?
    /// The effects that the domain itself answers with nothing: it says them, and asks nothing by them.
    package let events: Set<String>

    package init(pages: [Case], effects: [Case], snapshot: Snapshot?, events: Set<String> = []) {
        self.pages = pages
        self.effects = effects
        self.snapshot = snapshot
        self.events = events
    }

    /// - Parameters:
    ///   - sources: the texts of the domain's interface and models.
    ///   - implementation: those of what answers its effects.
    package init(of domain: String, _ sources: [String], implementation: [String] = []) {
        let visitor = OutlineVisitor(viewMode: .sourceAccurate)
        for source in sources { visitor.walk(SourceFile(path: "", text: source).tree) }
        let snapshot = "\(domain).Business.Snapshot"
        self.init(
            pages: visitor.cases["\(domain).UI.Model.Page"] ?? [], effects: visitor.cases["\(domain).Business.Effect"] ?? [],
            snapshot: visitor.structures.contains(snapshot)
                ? Snapshot(fields: visitor.fields[snapshot] ?? [], parameters: visitor.parameters[snapshot] ?? []) : nil,
            events: unanswered(effects: "\(domain).Business.Effect", in: implementation))
    }

    /// Reads `Sources/<Domain>ReluxInt` and `Sources/<Domain>Models` of a package, and its `ReluxImpl`, which may lie in a package beside it; what
    /// is not there has nothing.
    package init(of domain: String, package folder: String) {
        let beside = URL(fileURLWithPath: folder).deletingLastPathComponent().path + "/\(domain)Implementations"
        self.init(
            of: domain, Self.texts(["ReluxInt", "Models"].map { "\(folder)/Sources/\(domain)\($0)" }),
            implementation: Self.texts([folder, beside].map { "\($0)/Sources/\(domain)ReluxImpl" }))
    }

    private static func texts(_ targets: [String]) -> [String] {
        let files = FileManager.default
        return targets.flatMap { target in
            ((try? files.contentsOfDirectory(atPath: target)) ?? []).filter { $0.hasSuffix(".swift") }.sorted()
                .compactMap { files.contents(atPath: "\(target)/\($0)") }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

private final class OutlineVisitor: SyntaxVisitor {
    var cases: [String: [InterfaceOutline.Case]] = [:]
    var fields: [String: [InterfaceOutline.Parameter]] = [:]
    var parameters: [String: [InterfaceOutline.Parameter]] = [:]
    var structures: Set<String> = []
    private var path: [String] = []

    private var here: String { path.joined(separator: ".") }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.extendedType.trimmedDescription) }
    override func visitPost(_ node: ExtensionDeclSyntax) { path.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText) }
    override func visitPost(_ node: EnumDeclSyntax) { path.removeLast() }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        let result = enter(node.name.identifierText)
        structures.insert(here)
        return result
    }
    override func visitPost(_ node: StructDeclSyntax) { path.removeLast() }

    private func enter(_ name: String) -> SyntaxVisitorContinueKind {
        path.append(name)
        return .visitChildren
    }

    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
        for element in node.elements {
            let values = element.parameterClause?.parameters.map { parameter in
                InterfaceOutline.Parameter(
                    parameter.firstName?.identifierText, parameter.type.trimmedDescription, hasDefault: parameter.defaultValue != nil)
            }
            let isMarked = node.leadingTrivia.says(InterfaceOutline.Case.marker)
            cases[here, default: []].append(.init(element.name.identifierText, values ?? [], isForOrchestrators: isMarked))
        }
        return .skipChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !node.modifiers.contains(where: { $0.name.text == "static" }) else { return .skipChildren }
        for binding in node.bindings where binding.accessorBlock == nil {
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self), let type = binding.typeAnnotation?.type else { continue }
            fields[here, default: []].append(.init(name.identifier.identifierText, type.trimmedDescription))
        }
        return .skipChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        // The first one: others make the same of something else.
        guard parameters[here] == nil else { return .skipChildren }
        parameters[here] = node.signature.parameterClause.parameters.map { parameter in
            let label = parameter.firstName.identifierText
            return .init(label == "_" ? nil : label, parameter.type.trimmedDescription, hasDefault: parameter.defaultValue != nil)
        }
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension Trivia {
    /// Whether a doc comment has these words, on one line or on several.
    fileprivate func says(_ words: String) -> Bool {
        let text = pieces.flatMap { piece -> [Substring] in
            switch piece {
            case .docLineComment(let line): line.dropFirst(3).split(separator: " ")
            case .docBlockComment(let block): block.split { $0.isWhitespace || $0 == "*" || $0 == "/" }
            default: []
            }
        }
        return text.joined(separator: " ").contains(words)
    }
}
