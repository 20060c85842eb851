/// The members that generated code may touch from where it stands.
extension WirePlan {
    private func canSee(_ access: DeclaredType.Access, of type: DeclaredType) -> Bool {
        access == .everywhere || (access == .module && type.module == module)
    }

    func canEncode(_ type: DeclaredType) -> Bool { type.properties.allSatisfy { canSee($0.access, of: type) } }

    func canDecode(_ type: DeclaredType) -> Bool {
        guard case .structure = type.kind else { return true }
        if initialiser(of: type, fields(of: type)) != nil { return true }
        return type.module == module && type.properties.allSatisfy { $0.access != .own && !$0.isSetPrivately }
    }

    func isEncoded(_ name: String) -> Bool { table.types[name].map(canEncode) ?? false }
    func isDecoded(_ name: String) -> Bool { table.types[name].map(canDecode) ?? false }

    /// The arguments of an initialiser that does nothing but assign them all; nil when there is none.
    func initialiser(of type: DeclaredType, _ fields: [Field]) -> [Field]? {
        let byName = Dictionary(fields.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let types = Dictionary(type.properties.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        for candidate in type.initialisers where canSee(candidate.access, of: type) && candidate.parameters.count == fields.count {
            let assigned = candidate.statements.flatMap { Self.assignments($0) ?? [""] }
            guard assigned.sorted() == fields.map(\.key).sorted(), candidate.parameters.allSatisfy({ parameter in
                types[parameter.name].map { reader.type($0, in: type.path) == reader.type(parameter.type, in: type.path) } ?? false
            }) else { continue }
            return candidate.parameters.compactMap { parameter in
                byName[parameter.name].map { Field(key: $0.key, variable: $0.variable, label: parameter.label, type: $0.type) }
            }
        }
        return nil
    }

    /// `a` of `self.a=a`, `a` and `b` of `(self.a,self.b)=(a,b)`; nil of anything else.
    private static func assignments(_ statement: String) -> [String]? {
        let sides = statement.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2 else { return nil }
        func parts(_ side: String) -> [String] {
            let isTuple = side.hasPrefix("(") && side.hasSuffix(")")
            return isTuple ? side.dropFirst().dropLast().split(separator: ",").map(String.init) : [side]
        }
        let (left, right) = (parts(sides[0]), parts(sides[1]))
        guard left == right.map({ "self.\($0)" }) else { return nil }
        return right
    }
}
