import ReluxGenerate
import SwiftSyntax

/// The classes and actors of a file that hold something that changes; one of them for the whole process is global state.
func statefulTypes(in file: SourceFile) -> Set<String> {
    let visitor = StatefulVisitor(viewMode: .sourceAccurate)
    visitor.walk(file.tree)
    return visitor.found
}

private final class StatefulVisitor: SyntaxVisitor {
    var found: Set<String> = []

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { check(node.name, node.memberBlock) }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { check(node.name, node.memberBlock) }

    private func check(_ name: TokenSyntax, _ block: MemberBlockSyntax) -> SyntaxVisitorContinueKind {
        let holds = block.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.modifiers.contains(where: { $0.name.text == "static" }) else {
                return false
            }
            return variable.bindings.contains { binding in
                if variable.bindingSpecifier.text == "var" { return binding.isStored }
                return binding.boxName != nil
            }
        }
        if holds { found.insert(name.identifierText) }
        return .visitChildren
    }
}

extension PatternBindingSyntax {
    /// Types that hold mutable state behind a `let`.
    private static let boxes: Set = [
        "Mutex", "Atomic", "AtomicLazyReference", "ManagedAtomic", "UnsafeAtomic", "LockedValue", "NIOLockedValueBox", "ManagedCriticalState",
        "OSAllocatedUnfairLock", "UnsafeMutablePointer", "UnsafeMutableBufferPointer", "UnsafeMutableRawPointer",
    ]

    var isStored: Bool {
        guard let block = accessorBlock else { return true }
        guard case .accessors(let accessors) = block.accessors else { return false }
        return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    /// `Mutex` of `let total = Mutex(0)`, of `let total: Mutex<Int>` and of `UnsafeMutablePointer<Int>.allocate(capacity: 1)`'s like.
    var boxName: String? {
        if let made = initializer?.value.madeType, Self.boxes.contains(made) { return made }
        if let declared = typeAnnotation?.type.as(IdentifierTypeSyntax.self)?.name.identifierText, Self.boxes.contains(declared) { return declared }
        if let declared = typeAnnotation?.type.as(MemberTypeSyntax.self)?.name.identifierText, Self.boxes.contains(declared) { return declared }
        return nil
    }
}

extension ExprSyntax {
    /// The type whose initializer, or whose `allocate`, an expression calls.
    var madeType: String? {
        guard let call = self.as(FunctionCallExprSyntax.self) else { return nil }
        var callee = call.calledExpression
        if let member = callee.as(MemberAccessExprSyntax.self), ["init", "allocate"].contains(member.declName.baseName.text), let base = member.base {
            callee = base
        }
        if let generic = callee.as(GenericSpecializationExprSyntax.self) { callee = generic.expression }
        return callee.lastName
    }
}
