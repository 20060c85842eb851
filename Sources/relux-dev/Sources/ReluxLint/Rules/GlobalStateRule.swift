import ReluxGenerate
import ReluxLayers
import SwiftSyntax

/// Mutable globals, and objects that everybody can reach.
final class GlobalStateRule: RuleVisitor {
    /// Stores of others that are the whole process's, or the whole machine's.
    private static let stores = [["UserDefaults", "standard"], ["NSUbiquitousKeyValueStore", "default"], ["HTTPCookieStorage", "shared"]]

    /// The names of the types around, and whether each is a reference type as far as this file says.
    private var types: [(name: String, isReference: Bool)] = []
    private var depth = 0

    // MARK: Declarations

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard depth == 0 else { return .skipChildren }
        let isStatic = node.modifiers.contains { $0.name.text == "static" || $0.name.text == "class" }
        guard isStatic || types.isEmpty else { return .visitChildren }
        // A program's own variables are local to it in all but name.
        if types.isEmpty, context.file.path.hasSuffix("/main.swift") || context.file.path == "main.swift" { return .visitChildren }
        for binding in node.bindings where binding.isStored { check(binding, of: node, isStatic: isStatic) }
        return .visitChildren
    }

    private func check(_ binding: PatternBindingSyntax, of node: VariableDeclSyntax, isStatic: Bool) {
        let name = binding.pattern.trimmedDescription
        let what = isStatic ? "static" : "global"
        if node.bindingSpecifier.text == "var" {
            // A task-local is bound for a task and its children, and changed by nobody.
            guard !Self.isTaskLocal(node) else { return }
            report(.globalState, node, "\(what) var \(name) is mutable state of the whole process")
        } else if let made = binding.boxName {
            report(.globalState, node, "\(what) let \(name) holds mutable state of the whole process in a \(made)")
        } else if let made = instance(binding) {
            report(.singleton, node, "\(what) let \(name) is one \(made) for the whole process")
        } else if isStatic, let type = types.last, isInstance(binding, of: type) {
            report(.singleton, node, "\(type.name).\(name) is one \(type.name) for the whole process")
        }
    }

    private func isInstance(_ binding: PatternBindingSyntax, of type: (name: String, isReference: Bool)) -> Bool {
        let isShared = binding.pattern.trimmedDescription == "shared"
        guard type.isReference || isShared else { return false }
        let short = type.name.split(separator: ".").last.map(String.init)
        let declared = binding.typeAnnotation?.type.trimmedDescription.split(separator: ".").last.map(String.init)
        let made = binding.initializer?.value.madeType
        return [short, "Self"].contains(declared) || [short, "Self", "init"].contains(made) || (isShared && type.isReference)
    }

    /// The class or actor of this package, with something in it that changes, that the constant is one of.
    private func instance(_ binding: PatternBindingSyntax) -> String? {
        let declared = binding.typeAnnotation?.type.trimmedDescription.split(separator: ".").last.map(String.init)
        return [binding.initializer?.value.madeType, declared].lazy.compactMap { $0 }.first { self.context.statefulTypes.contains($0) }
    }

    private static func isTaskLocal(_ node: VariableDeclSyntax) -> Bool {
        node.attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription.hasSuffix("TaskLocal") == true }
    }

    // MARK: Uses

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.base?.lastName, Self.stores.contains([base, node.declName.baseName.text]) {
            report(.singleton, node, "\(base).\(node.declName.baseName.text) is one store for the whole process")
        }
        return .visitChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        check(assignment: node.leftOperand, node.operator, node)
        return .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let parts = Array(node.elements)
        if parts.count >= 2 { check(assignment: parts[0], parts[1], node) }
        return .visitChildren
    }

    private func check(assignment left: ExprSyntax, _ sign: ExprSyntax, _ node: some SyntaxProtocol) {
        guard sign.isAssignment, let names = left.names, names.count > 2, let shared = names.firstIndex(of: "shared"), shared > 0,
            shared < names.count - 1, names[shared - 1].first?.isUppercase == true
        else { return }
        report(.singleton, node, "\(names.joined(separator: ".")) is changed for the whole process")
    }

    // MARK: Where we are

    private func enter(_ name: String, isReference: Bool) -> SyntaxVisitorContinueKind {
        types.append((name, isReference))
        return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText, isReference: true) }
    override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText, isReference: true) }
    override func visitPost(_ node: ActorDeclSyntax) { types.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText, isReference: false) }
    override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.identifierText, isReference: false) }
    override func visitPost(_ node: EnumDeclSyntax) { types.removeLast() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.extendedType.trimmedDescription, isReference: false)
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }

    /// Declarations inside a body are local.
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
        depth += 1
        return .visitChildren
    }
    override func visitPost(_ node: CodeBlockSyntax) { depth -= 1 }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        depth += 1
        return .visitChildren
    }
    override func visitPost(_ node: ClosureExprSyntax) { depth -= 1 }
    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
        depth += 1
        return .visitChildren
    }
    override func visitPost(_ node: AccessorBlockSyntax) { depth -= 1 }
}

extension ExprSyntax {
    /// `=` and what ends in it, but for comparisons.
    var isAssignment: Bool {
        if self.is(AssignmentExprSyntax.self) { return true }
        guard let sign = self.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
        return sign.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(sign)
    }
}
