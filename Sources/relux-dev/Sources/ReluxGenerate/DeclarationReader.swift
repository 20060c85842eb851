import SwiftSyntax

/// Collects the types of one file, and what extensions in it add to others.
final class DeclarationReader: SyntaxVisitor {
    private(set) var declared: [DeclaredType] = []
    /// The additions by extensions, with the extended type's name.
    private(set) var additions: [(name: String, type: DeclaredType)] = []

    private let module: String
    private var imports: [String] = []
    /// Types and extensions around the place.
    private var around: [(type: DeclaredType, isExtension: Bool, isPublic: Bool)] = []

    init(module: String, _ file: SourceFileSyntax) {
        self.module = module
        super.init(viewMode: .sourceAccurate)
        for statement in file.statements {
            if case .decl(let declaration) = statement.item, let line = declaration.as(ImportDeclSyntax.self) {
                imports.append(line.path.map(\.name.identifierText).joined(separator: "."))
            }
        }
        walk(file)
    }

    private func enter(
        _ kind: DeclaredType.Kind, _ name: [String], _ modifiers: DeclModifierListSyntax, _ inherited: InheritanceClauseSyntax?,
        isExtension: Bool = false, obscurity: String? = nil
    ) -> SyntaxVisitorContinueKind {
        let path = (around.last?.type.path ?? []) + name
        let isPublic = modifiers.access == .everywhere || around.last.map { $0.isExtension && $0.isPublic } == true
        var type = DeclaredType(kind, path, module: module, imports: imports, isPublic: isPublic)
        type.inherits = (inherited?.inheritedTypes.map { $0.type.trimmedDescription } ?? []).flatMap {
            $0.split(separator: "&").map { $0.filter { $0 != " " } }
        }
        type.obscurity = obscurity
        around.append((type, isExtension, isPublic))
        return .visitChildren
    }

    private func leave() {
        guard let (type, isExtension, _) = around.popLast() else { return }
        if isExtension { additions.append((type.name, type)) } else { declared.append(type) }
    }

    private func change(_ body: (inout DeclaredType) -> Void) {
        if !around.isEmpty { body(&around[around.count - 1].type) }
    }

    private func obscure(_ reason: String) { change { $0.obscurity = $0.obscurity ?? reason } }

    // MARK: Types

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(
            .structure, [node.name.identifierText], node.modifiers, node.inheritanceClause,
            obscurity: Self.obscurity(node.attributes, node.genericParameterClause))
    }
    override func visitPost(_ node: StructDeclSyntax) { leave() }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name.identifierText
        if name.hasSuffix("CodingKeys") { obscure("it has coding keys of its own") }
        return enter(
            .enumeration, [name], node.modifiers, node.inheritanceClause,
            obscurity: Self.obscurity(node.attributes, node.genericParameterClause))
    }
    override func visitPost(_ node: EnumDeclSyntax) { leave() }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(.other, [node.name.identifierText], node.modifiers, node.inheritanceClause)
    }
    override func visitPost(_ node: ClassDeclSyntax) { leave() }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(.other, [node.name.identifierText], node.modifiers, node.inheritanceClause)
    }
    override func visitPost(_ node: ActorDeclSyntax) { leave() }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        // An extension that holds for some arguments only is no business of a type without any.
        guard node.genericWhereClause == nil else { return .skipChildren }
        let name = node.extendedType.trimmedDescription.split(separator: ".").map(String.init)
        return enter(.other, name, node.modifiers, node.inheritanceClause, isExtension: true)
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave() }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name.identifierText
        if name.hasSuffix("CodingKeys") { obscure("it has coding keys of its own") }
        if node.genericParameterClause == nil {
            _ = enter(.alias(node.initializer.value), [name], node.modifiers, nil)
            leave()
        }
        return .skipChildren
    }

    private static func obscurity(_ attributes: AttributeListSyntax, _ generics: GenericParameterClauseSyntax?) -> String? {
        if generics != nil { return "it is generic" }
        let strange = attributes.first { attribute in
            guard case .attribute(let attribute) = attribute else { return true }
            return !["frozen", "available", "MainActor"].contains(attribute.attributeName.trimmedDescription)
        }
        return strange.map { "\($0.trimmedDescription) may change it" }
    }

    // MARK: Members

    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
        for element in node.elements {
            let values = element.parameterClause?.parameters.map { parameter in
                let label = parameter.firstName?.identifierText
                return (label: label == "_" ? nil : label, type: parameter.type)
            }
            change { $0.cases.append(.init(name: element.name.identifierText, values: values ?? [])) }
        }
        return .skipChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !node.modifiers.has("static"), around.last?.isExtension == false else { return .skipChildren }
        // `let a, b: Int` gives its type to the last.
        var type: TypeSyntax?
        for binding in node.bindings.reversed() where !Self.isComputed(binding) {
            type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self), let type else {
                obscure("a property of it does not say its type")
                continue
            }
            if !node.attributes.isEmpty { obscure("\(name.identifier.identifierText) is wrapped") }
            if node.modifiers.has("lazy") { obscure("\(name.identifier.identifierText) is lazy") }
            if binding.initializer != nil, node.bindingSpecifier.tokenKind == .keyword(.let) {
                obscure("\(name.identifier.identifierText) is constant")
            }
            let property = DeclaredType.Property(
                name: name.identifier.identifierText, type: type, access: node.modifiers.access,
                isSetPrivately: node.modifiers.isSetPrivately)
            change { $0.properties.append(property) }
        }
        return .skipChildren
    }

    private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
        guard let block = binding.accessorBlock else { return false }
        guard case .accessors(let accessors) = block.accessors else { return true }
        return !accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        let parameters = node.signature.parameterClause.parameters.map { parameter in
            let label = parameter.firstName.identifierText
            return DeclaredType.Initialiser.Parameter(
                label: label == "_" ? nil : label, name: (parameter.secondName ?? parameter.firstName).identifierText, type: parameter.type)
        }
        if parameters.first?.label == "from", parameters.count == 1 { obscure("it has coding of its own") }
        guard node.optionalMark == nil, node.signature.effectSpecifiers == nil, let body = node.body else { return .skipChildren }
        let statements = body.statements.map { $0.trimmedDescription.filter { !$0.isWhitespace } }
        let initialiser = DeclaredType.Initialiser(parameters: parameters, access: node.modifiers.access, statements: statements)
        change { $0.initialisers.append(initialiser) }
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "encode", node.signature.parameterClause.parameters.first?.firstName.text == "to" {
            obscure("it has coding of its own")
        }
        return .skipChildren
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        obscure("it is not the same in every build")
        return .visitChildren
    }

    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
