import ReluxGenerate
import SwiftSyntax

/// Mutable globals, and objects that everybody can reach.
final class GlobalStateRule: RuleVisitor {
    /// What holds mutable state behind a `let`.
    private static let boxes: Set = [
        "Mutex", "Atomic", "AtomicLazyReference", "ManagedAtomic", "UnsafeAtomic", "LockedValue", "NIOLockedValueBox",
        "ManagedCriticalState",
        "OSAllocatedUnfairLock",
    ]

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
        for binding in node.bindings where Self.isStored(binding) { check(binding, of: node, isStatic: isStatic) }
        return .visitChildren
    }

    private func check(_ binding: PatternBindingSyntax, of node: VariableDeclSyntax, isStatic: Bool) {
        let name = binding.pattern.trimmedDescription
        let what = isStatic ? "static" : "global"
        if node.bindingSpecifier.text == "var" {
            // A task-local is bound for a task and its children, and changed by nobody.
            guard !Self.isTaskLocal(node) else { return }
            report(.globalState, node, "\(what) var \(name) is mutable state of the whole process")
        } else if let made = Self.made(binding.initializer?.value), Self.boxes.contains(made) {
            report(.globalState, node, "\(what) let \(name) holds mutable state of the whole process in a \(made)")
        } else if isStatic, let type = types.last, isInstance(binding, of: type) {
            report(.singleton, node, "\(type.name).\(name) is one \(type.name) for the whole process")
        }
    }

    private func isInstance(_ binding: PatternBindingSyntax, of type: (name: String, isReference: Bool)) -> Bool {
        let isShared = binding.pattern.trimmedDescription == "shared"
        guard type.isReference || isShared else { return false }
        let short = type.name.split(separator: ".").last.map(String.init)
        let declared = binding.typeAnnotation?.type.trimmedDescription.split(separator: ".").last.map(String.init)
        let made = Self.made(binding.initializer?.value)
        return [short, "Self"].contains(declared) || [short, "Self", "init"].contains(made) || (isShared && type.isReference)
    }

    private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
        guard let block = binding.accessorBlock else { return true }
        guard case .accessors(let accessors) = block.accessors else { return false }
        return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    private static func isTaskLocal(_ node: VariableDeclSyntax) -> Bool {
        node.attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription.hasSuffix("TaskLocal") == true }
    }

    /// The type whose initializer an expression calls.
    private static func made(_ expression: ExprSyntax?) -> String? {
        guard let call = expression?.as(FunctionCallExprSyntax.self) else { return nil }
        if let generic = call.calledExpression.as(GenericSpecializationExprSyntax.self) { return generic.expression.lastName }
        guard let names = call.calledExpression.names else { return nil }
        return names.last == "init" && names.count > 1 && !names[names.count - 2].isEmpty ? names[names.count - 2] : names.last
    }

    // MARK: Uses

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

    /// What is declared inside a body is local.
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
