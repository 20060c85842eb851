import ReluxGenerate
import ReluxLayers
import SwiftParser
import SwiftSyntax

/// A parsed source, with what every rule asks for.
struct SourceFile {
    struct Import {
        let module: String
        let place: Place
    }

    let path: String
    let tree: SourceFileSyntax
    let imports: [Import]
    let silences: [Silence]
    private let converter: SourceLocationConverter

    /// - Parameter path: as findings name it.
    init(path: String, text: String) {
        self.path = path
        tree = Parser.parse(source: text)
        converter = SourceLocationConverter(fileName: path, tree: tree)
        let visitor = ImportVisitor(viewMode: .sourceAccurate)
        visitor.walk(tree)
        let converter = converter
        imports = visitor.found.map { .init(module: $0.module, place: Self.place(path, converter.location(for: $0.position))) }
        silences = Silence.all(in: tree) { converter.location(for: $0).line }
    }

    func place(of node: some SyntaxProtocol) -> Place {
        Self.place(path, converter.location(for: node.positionAfterSkippingLeadingTrivia))
    }

    /// The place that the parser could not make sense of, as a finding.
    var problems: [Finding] {
        guard tree.hasError else { return [] }
        let visitor = ProblemVisitor(viewMode: .all)
        visitor.walk(tree)
        return [
            Finding(
                .syntax, visitor.first.map { Self.place(path, converter.location(for: $0)) } ?? Place(file: path, line: 1, column: 1),
                "this does not parse")
        ]
    }

    private static func place(_ path: String, _ location: SourceLocation) -> Place {
        Place(file: path, line: location.line, column: location.column)
    }
}

private final class ImportVisitor: SyntaxVisitor {
    var found: [(module: String, position: AbsolutePosition)] = []

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        if let module = node.path.first {
            found.append((module.name.identifierText, node.positionAfterSkippingLeadingTrivia))
        }
        return .skipChildren
    }
}

private final class ProblemVisitor: SyntaxVisitor {
    var first: AbsolutePosition?

    override func visit(_ node: TokenSyntax) -> SyntaxVisitorContinueKind {
        if first == nil, node.presence == .missing { first = node.position }
        return .visitChildren
    }

    override func visit(_ node: UnexpectedNodesSyntax) -> SyntaxVisitorContinueKind {
        if first == nil { first = node.positionAfterSkippingLeadingTrivia }
        return .skipChildren
    }
}
