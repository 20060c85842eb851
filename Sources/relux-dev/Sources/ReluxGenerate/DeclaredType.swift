import SwiftSyntax

/// A type as the sources declare it, as far as coding is concerned.
struct DeclaredType {
    enum Kind { case structure, enumeration, alias(TypeSyntax), other }

    struct Property {
        let name: String
        let type: TypeSyntax
        let access: Access
        /// Only its own file may set it.
        let isSetPrivately: Bool
    }

    struct Case {
        let name: String
        /// Labels are nil where there are none.
        let values: [(label: String?, type: TypeSyntax)]
    }

    struct Initialiser {
        struct Parameter {
            /// Nil where the caller writes none.
            let label: String?
            let name: String
            let type: TypeSyntax
        }
        let parameters: [Parameter]
        let access: Access
        /// Its statements without blanks.
        let statements: [String]
    }

    enum Access { case own, module, everywhere }

    let kind: Kind
    let path: [String]
    let module: String
    /// The imports of the file that declares it.
    let imports: [String]
    let isPublic: Bool
    var inherits: [String] = []
    var properties: [Property] = []
    var cases: [Case] = []
    var initialisers: [Initialiser] = []
    /// Why nobody can tell from the declaration what it is on the wire; nil when one can.
    var obscurity: String?

    var name: String { path.joined(separator: ".") }
    /// Where names inside of it are looked up.
    var scope: [String] { if case .alias = kind { path.dropLast() } else { path } }

    /// It is coded by what the compiler makes of its declaration.
    var isCodable: Bool {
        isRoot || inherits.contains("Codable") || (inherits.contains("Encodable") && inherits.contains("Decodable"))
    }

    /// Its values are payloads.
    var isRoot: Bool { inherits.contains { ["Relux.Effect", "Relux.SharedSnapshot", "WireCodable"].contains($0) } }

    /// The first inherited name of which nobody can tell here that it leaves the coding alone. A `RawRepresentable` type, by whatever protocol
    /// of its own or of another library, is coded as its raw value; a protocol may bring any coding at all.
    var strangeInheritance: String? {
        let names = if case .enumeration = kind, inherits.first.flatMap(WireType.leaf) != nil { inherits.dropFirst() } else { inherits[...] }
        return names.first { !Self.harmless.contains($0.hasPrefix("Swift.") ? String($0.dropFirst(6)) : $0) }
    }

    private static let harmless: Set = [
        "Codable", "Encodable", "Decodable", "Relux.Effect", "Relux.SharedSnapshot", "Relux.Action", "Relux.StateSnapshot", "WireCodable",
        "Sendable", "@uncheckedSendable", "BitwiseCopyable", "Hashable", "Equatable", "Comparable", "Identifiable", "CaseIterable", "Error",
        "LocalizedError", "CustomStringConvertible", "CustomDebugStringConvertible", "LosslessStringConvertible", "CodingKeyRepresentable",
    ]

    init(_ kind: Kind, _ path: [String], module: String, imports: [String], isPublic: Bool) {
        (self.kind, self.path, self.module, self.imports, self.isPublic) = (kind, path, module, imports, isPublic)
    }
}

extension DeclModifierListSyntax {
    func has(_ word: String) -> Bool { contains { $0.name.text == word && $0.detail == nil } }

    var isSetPrivately: Bool {
        contains { ["private", "fileprivate"].contains($0.name.text) && $0.detail?.detail.text == "set" }
    }

    var access: DeclaredType.Access {
        if has("private") || has("fileprivate") { return .own }
        return has("public") || has("open") || has("package") ? .everywhere : .module
    }
}

extension TokenSyntax {
    /// Without backticks.
    package var identifierText: String {
        text.hasPrefix("`") && text.hasSuffix("`") && text.utf8.count > 2 ? String(text.dropFirst().dropLast()) : text
    }
}
