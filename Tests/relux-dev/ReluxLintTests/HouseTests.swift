import Foundation
@testable import ReluxLint
import SwiftParser
import SwiftSyntax
import Testing

/// What a reader can keep in mind: few fields in a type, few files in a folder.
@Suite struct HouseTests {
    static let fieldLimit = 20
    static let fileLimit = 15

    @Test func `no type has more than twenty stored fields, unless its design notes say why`() throws {
        var types = 0
        for path in try Self.files(below: "Sources") + Self.files(below: "Plugins") where !path.contains(".generated.") {
            for type in Self.types(in: try String(contentsOfFile: Checkout.root + "/" + path, encoding: .utf8)) {
                types += 1
                #expect(
                    type.fields <= Self.fieldLimit || type.isExplained,
                    "\(path): \(type.name) has \(type.fields) stored fields, the limit is \(Self.fieldLimit); give some of them a type of their own, or write why")
            }
        }
        #expect(types > 1_000)
    }

    @Test func `no folder has more than fifteen source files`() throws {
        let all = try ["Sources", "Plugins", "Tests"].flatMap { try Self.files(below: $0) }
        let folders = Dictionary(grouping: all) { ($0 as NSString).deletingLastPathComponent }
        #expect(folders.count > 100)
        for (folder, files) in folders.sorted(by: { $0.key < $1.key }) {
            #expect(files.count <= Self.fileLimit, "\(folder) has \(files.count) files, the limit is \(Self.fileLimit); divide it by what they are about")
        }
    }

    @Test func `fields are counted as Swift stores them`() {
        let text = """
            /// Design notes. More than twenty fields: it is a message.
            public final class A {
                let one = 1, two = 2
                var three: Int { willSet {} didSet {} }
                var computed: Int { 1 }
                var read: Int { get { 1 } set {} }
                static let shared = A()
                struct B { var four = 4; func f() { let five = 5 } }
            }
            extension A { actor C { var six = 6 } }
            """
        #expect(Self.types(in: text).map { "\($0.name) \($0.fields) \($0.isExplained)" } == ["A 3 true", "B 1 false", "C 1 false"])
    }

    private static func files(below folder: String) throws -> [String] {
        let paths = try #require(FileManager.default.enumerator(atPath: Checkout.root + "/" + folder))
        return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") && !$0.contains("/.") }.map { folder + "/" + $0 }
    }

    private struct CountedType {
        let name: String
        let fields: Int
        let isExplained: Bool
    }

    private static func types(in text: String) -> [CountedType] {
        let counter = Counter(viewMode: .sourceAccurate)
        counter.walk(Parser.parse(source: text))
        return counter.types
    }

    private final class Counter: SyntaxVisitor {
        var types: [CountedType] = []

        override func visit(_ type: StructDeclSyntax) -> SyntaxVisitorContinueKind { note(type, type.name) }
        override func visit(_ type: ClassDeclSyntax) -> SyntaxVisitorContinueKind { note(type, type.name) }
        override func visit(_ type: ActorDeclSyntax) -> SyntaxVisitorContinueKind { note(type, type.name) }

        private func note(_ type: some DeclGroupSyntax, _ name: TokenSyntax) -> SyntaxVisitorContinueKind {
            let notes = type.leadingTrivia.description
            let fields = type.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
                .filter { !$0.modifiers.contains { $0.name.tokenKind == .keyword(.static) } }
                .flatMap(\.bindings).count(where: Self.isStored)
            types.append(CountedType(name: name.text, fields: fields, isExplained: notes.contains("Design notes.") && notes.contains("twenty fields")))
            return .visitChildren
        }

        private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
            guard case .accessors(let accessors)? = binding.accessorBlock?.accessors else { return binding.accessorBlock == nil }
            return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }
    }
}
