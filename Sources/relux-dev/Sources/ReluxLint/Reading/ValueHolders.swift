import ReluxGenerate
import SwiftSyntax

/// Which generic types hand out a value by `inout`, and which names stand for functions: what is known of it beside a package's own sources.
struct ValueHolders: Sendable {
    /// The generic types whose initializer takes the value itself.
    static let locks: Set = [
        "Mutex", "OSAllocatedUnfairLock", "ManagedCriticalState", "NIOLockedValueBox", "NIOLoopBoundBox", "NIOLockedValue", "LockIsolated",
        "LockedValue", "Locked", "Protected", "Watched",
    ]
    private static let pointers: Set = ["UnsafeMutablePointer", "UnsafeMutableBufferPointer", "MutableSpan", "ManagedBuffer", "ManagedBufferPointer"]

    /// Generic types of the package with a stored variable of a parameter's type.
    private var own: Set<String> = []
    private var functionNames: Set<String> = []

    mutating func add(_ file: SourceFile) {
        let visitor = HolderVisitor(viewMode: .sourceAccurate)
        visitor.walk(file.tree)
        own.formUnion(visitor.holders)
        functionNames.formUnion(visitor.functionNames)
    }

    func holdsValue(_ name: String) -> Bool { Self.locks.contains(name) || Self.pointers.contains(name) || own.contains(name) }

    /// A function, also an optional one, one of a tuple's parts, and what is called by another name.
    func isFunction(_ type: TypeSyntax) -> Bool {
        switch type.core {
        case .function: true
        case .parts(let types): types.contains(where: isFunction)
        case .named(let name, let arguments):
            name == "Optional" ? arguments.contains(where: isFunction) : functionNames.contains(name)
        case .other: false
        }
    }
}

private final class HolderVisitor: SyntaxVisitor {
    var holders: Set<String> = []
    var functionNames: Set<String> = []
    /// The generic types around, with the names of their parameters.
    private var around: [(name: String, parameters: Set<String>)] = []

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        if isFunction(node.initializer.value) { functionNames.insert(node.name.identifierText) }
        return .visitChildren
    }

    /// Without the names that are only being gathered.
    private func isFunction(_ type: TypeSyntax) -> Bool { ValueHolders().isFunction(type) }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            guard let type = binding.typeAnnotation?.type, node.bindingSpecifier.text == "var" && binding.isStored || binding.boxName != nil else {
                continue
            }
            for (name, parameters) in around where mentions(type, parameters) { holders.insert(name) }
        }
        return .visitChildren
    }

    /// The parameter itself, an optional or a part of a tuple, or what a box holds.
    private func mentions(_ type: TypeSyntax, _ parameters: Set<String>) -> Bool {
        switch type.core {
        case .parts(let types): types.contains { mentions($0, parameters) }
        case .named(let name, let arguments):
            parameters.contains(name) || (name == "Optional" || ValueHolders().holdsValue(name)) && arguments.contains { mentions($0, parameters) }
        case .function, .other: false
        }
    }

    private func enter(_ name: TokenSyntax, _ clause: GenericParameterClauseSyntax?) -> SyntaxVisitorContinueKind {
        around.append((name.identifierText, Set(clause?.parameters.map(\.name.identifierText) ?? [])))
        return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name, node.genericParameterClause) }
    override func visitPost(_ node: ClassDeclSyntax) { around.removeLast() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name, node.genericParameterClause) }
    override func visitPost(_ node: ActorDeclSyntax) { around.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name, node.genericParameterClause) }
    override func visitPost(_ node: StructDeclSyntax) { around.removeLast() }

    /// Declarations inside a body are local.
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension TypeSyntax {
    enum Core {
        case function
        /// A tuple's, or what is optional.
        case parts([TypeSyntax])
        case named(String, [TypeSyntax])
        case other
    }

    /// Without attributes and signs.
    var core: Core {
        if self.is(FunctionTypeSyntax.self) { return .function }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.core }
        if let optional = self.as(OptionalTypeSyntax.self) { return .parts([optional.wrappedType]) }
        if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return .parts([optional.wrappedType]) }
        if let tuple = self.as(TupleTypeSyntax.self) { return .parts(tuple.elements.map(\.type)) }
        if let named = self.as(IdentifierTypeSyntax.self) { return .named(named.name.identifierText, named.genericArgumentClause.types) }
        if let member = self.as(MemberTypeSyntax.self) { return .named(member.name.identifierText, member.genericArgumentClause.types) }
        return .other
    }
}

extension GenericArgumentClauseSyntax? {
    fileprivate var types: [TypeSyntax] {
        guard let self else { return [] }
        return self.arguments.compactMap { argument in
            if case .type(let type) = argument.argument { return type }
            return nil
        }
    }
}
