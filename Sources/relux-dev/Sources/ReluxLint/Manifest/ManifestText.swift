import SwiftParser
import SwiftSyntax

/// A manifest whose dependencies `relux generate` writes, because it says so.
struct ManifestText {
    /// A comment with these words gives the dependencies away.
    static let mark = "`relux generate` writes the dependencies of targets"

    static func isGiven(_ text: String) -> Bool { text.contains(mark) }

    /// The text with the plan's dependencies; all else stays as it is.
    ///
    /// - Parameters:
    ///   - package: as the text describes it.
    ///   - path: how the manifest names a package that it did not have, by its folder.
    static func rewritten(_ text: String, _ package: PackageModel, _ plan: ManifestPlan, path: (String) -> String) -> String {
        let tree = Parser.parse(source: text)
        let calls = ManifestCalls(viewMode: .sourceAccurate)
        calls.walk(tree)
        var edits: [(range: Range<Int>, text: String)] = []
        var needed = Set(plan.neighbours.values)
        for (name, call) in calls.targets {
            guard let planned = plan.targets[name] else { continue }
            let target = TargetCall(call, of: package, planned, indent: indent(of: call, in: text))
            edits.append((range(of: call), target.text))
            needed.formUnion(target.packages.compactMap { package.neighbours[$0] })
        }
        if let list = calls.packages {
            edits.append((range(of: list), packages(list, package, needed, path: path, indent: indent(of: list, in: text))))
        }
        var bytes = Array(text.utf8)
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) { bytes.replaceSubrange(edit.range, with: edit.text.utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Those by path that no target needs go, those that one needs come; the package itself, the platform, and what comes from elsewhere stay.
    private static func packages(
        _ list: ArrayExprSyntax, _ package: PackageModel, _ needed: Set<String>, path: (String) -> String, indent: String
    ) -> String {
        var lines: [String] = []
        var rest: [String] = []
        var missing = needed
        for element in list.elements {
            let text = element.comments + ["\(element.expression.trimmedDescription),"]
            guard let call = element.expression.as(FunctionCallExprSyntax.self), let place = call.text(of: "path") else {
                rest += text
                continue
            }
            let folder = package.neighbours[call.text(of: "name") ?? place.split(separator: "/").last.map(String.init) ?? place]
            if let folder { missing.remove(folder) }
            // The platform has a name of its own, as the package itself has.
            if call.text(of: "name") != nil || folder.map(needed.contains) ?? true { lines += text }
        }
        lines += missing.sorted().map { ".package(path: \"\(path($0))\")," } + rest
        return lines.isEmpty ? "[]" : "[\n" + lines.map { "\(indent)    \($0)\n" }.joined() + "\(indent)]"
    }

    private static func range(of node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    /// The white space before the line on which the node begins.
    private static func indent(of node: some SyntaxProtocol, in text: String) -> String {
        let before = Array(text.utf8.prefix(node.positionAfterSkippingLeadingTrivia.utf8Offset))
        let line = before.suffix(from: (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        return String(decoding: line.prefix { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }
}

/// One `.target(…)` of a manifest with other dependencies.
private struct TargetCall {
    /// More stands on several lines.
    private static let lineLimit = 120
    let text: String
    /// Named by dependencies that stay as they are.
    private(set) var packages: [String] = []

    init(_ call: FunctionCallExprSyntax, of package: PackageModel, _ planned: [PackageModel.Dependency], indent: String) {
        let elements = Array(call.array(of: "dependencies")?.elements ?? [])
        let kept = elements.filter { !Self.isPlanned($0.expression, package) }
        packages = kept.compactMap { $0.expression.as(FunctionCallExprSyntax.self)?.text(of: "package") }
        // A comment stays with its dependency.
        let comments = Dictionary(elements.map { (Self.name(of: $0.expression), $0.comments) }, uniquingKeysWith: +)
        var dependencies: [String] = []
        for dependency in planned { dependencies += (comments[dependency.name] ?? []) + [Self.text(dependency) + ","] }
        for element in kept { dependencies += element.comments + [element.expression.trimmedDescription + ","] }
        var arguments = call.arguments.filter { $0.label?.text != "dependencies" }.map { argument in
            (argument.label.map { "\($0.text): " } ?? "") + argument.expression.trimmedDescription
        }
        let kind = call.calledExpression.trimmedDescription
        if dependencies.isEmpty {
            let line = "\(kind)(\(arguments.joined(separator: ", ")))"
            guard line.contains("\n") || indent.utf8.count + line.utf8.count + 1 > Self.lineLimit else {
                text = line
                return
            }
        } else {
            arguments.insert("dependencies: [\n" + dependencies.map { "\(indent)        \($0)\n" }.joined() + "\(indent)    ]", at: min(1, arguments.count))
        }
        text = "\(kind)(\n" + arguments.map { "\(indent)    \($0)" }.joined(separator: ",\n") + "\n\(indent))"
    }

    /// Whether imports say all of it: it is of this package, or of one that is named by a path.
    private static func isPlanned(_ dependency: ExprSyntax, _ package: PackageModel) -> Bool {
        if let name = dependency.literalText { return package.targets.contains { $0.name == name } }
        guard let call = dependency.as(FunctionCallExprSyntax.self), call.arguments.allSatisfy({ $0.label?.text != "condition" }) else { return false }
        switch call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text {
        case "target": return true
        case "product": return call.text(of: "package").map { package.neighbours[$0] != nil } ?? false
        default: return false
        }
    }

    private static func name(of dependency: ExprSyntax) -> String {
        dependency.literalText ?? dependency.as(FunctionCallExprSyntax.self)?.text(of: "name") ?? dependency.trimmedDescription
    }

    private static func text(_ dependency: PackageModel.Dependency) -> String {
        switch dependency {
        case .target(let name): ".target(name: \"\(name)\")"
        case .product(let name, let package): ".product(name: \"\(name)\", package: \"\(package)\")"
        }
    }
}

/// The calls that a manifest describes its package with.
private final class ManifestCalls: SyntaxVisitor {
    var targets: [String: FunctionCallExprSyntax] = [:]
    var packages: ArrayExprSyntax?

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calledExpression.trimmedDescription == "Package" { packages = packages ?? node.array(of: "dependencies") }
        guard let callee = node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
            ["target", "executableTarget", "testTarget"].contains(callee), let name = node.text(of: "name"), targets[name] == nil
        else { return .visitChildren }
        targets[name] = node
        // A `.target(name:)` among its dependencies is no target of its own.
        return .skipChildren
    }
}

extension ArrayElementSyntax {
    /// Those above it, and the one behind it on its line.
    fileprivate var comments: [String] {
        (Array(leadingTrivia) + Array(trailingComma?.trailingTrivia ?? [])).compactMap { piece in
            switch piece {
            case .lineComment(let text), .docLineComment(let text), .blockComment(let text): text
            default: nil
            }
        }
    }
}

extension FunctionCallExprSyntax {
    fileprivate func text(of label: String) -> String? { arguments.first { $0.label?.text == label }?.expression.literalText }

    fileprivate func array(of label: String) -> ArrayExprSyntax? { arguments.first { $0.label?.text == label }?.expression.as(ArrayExprSyntax.self) }
}
