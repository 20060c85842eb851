import Foundation
import ReluxGenerate
import Testing

/// The files that `relux generate` makes of sources.
@Suite struct WireFileTests {
    private let models = ModuleSource(
        module: "ShopModels",
        text: """
            public enum Shop { public enum Business { public enum Model {} } }

            extension Shop.Business.Model {
                public struct Line: Sendable, Codable {
                    public static let limit = 3
                    public let sku: String
                    public private(set) var count: UInt16
                    public var price: Price? { didSet { print(count) } }
                    public var isFree: Bool { price == nil }
                    public init(sku: String, count: UInt16, price: Price?) {
                        self.sku = sku
                        (self.count, self.price) = (count, price)
                    }
                }
                public typealias Price = Double
                public enum Mood: String, Codable { case good, `default` }

                /// Its initialiser makes something of what it gets.
                public struct Total: Codable {
                    public let sum: Int
                    public init(sum: Int) { self.sum = max(0, sum) }
                }
                public struct Hidden: Codable {
                    private let sum: Int
                    public init(sum: Int) { self.sum = sum }
                }
                public struct Odd: Codable {
                    public let sum: Int
                    enum CodingKeys: String, CodingKey { case sum = "s" }
                    public init(sum: Int) { self.sum = sum }
                }
                // All of them have raw values, whatever they call it.
                public struct Flags: OptionSet, Codable { public let rawValue: Int }
                public protocol Ident: RawRepresentable, Sendable {}
                public struct ID: Codable, Ident { public let rawValue: Int }
                public enum Kind: String, Codable, Ident { case a }
                public indirect enum Tree: Codable { case leaf, node(Tree, [Line]) }
            }
            """)

    private let interface = ModuleSource(
        module: "ShopReluxInt",
        text: """
            public import Foundation
            public import Relux
            public import ShopModels

            extension Shop.Business {
                public enum Effect: Relux.Effect {
                    case buy(lines: [Shop.Business.Model.Line], mood: Model.Mood)
                    case put(Int, in: String?, Date)
                    case stop
                    case `default`(self: Bool)
                    case other(total: Model.Total, hidden: Model.Hidden?, odd: [Model.Odd], tree: Model.Tree)
                    case many(table: [String: [Float?]], sealed: Secret<[Model.Line]>, twice: Int??, set: Set<ByteString>)
                    case long(
                        a: Optional<Int>, b: Swift.Optional<Model.Line>, c: Array<Optional<Bool>>, d: Dictionary<String, Swift.Array<Int>>,
                        e: Dictionary<Int, Bool>, f: (Int?), g: Optional<Set<Int>>)
                    case strange(flags: Model.Flags, id: Model.ID, kind: Model.Kind)
                }
                public struct Snapshot: Relux.SharedSnapshot {
                    public struct Entry: Codable, Sendable, Equatable { public let id: Int64 }
                    public let entries: [Entry]
                    public let best: Entry?
                    public init(_ entries: [Entry]) {
                        self.entries = entries
                        best = entries.first
                    }
                }
            }
            """)

    @Test func `a file has a coder for each payload and for what it carries, and leaves to Codable what it cannot see`() throws {
        let file = WireFile(module: "ShopReluxInt", [interface, models])
        #expect(file.payloads == ["Shop.Business.Effect", "Shop.Business.Snapshot"])
        #expect(file.notes == [])
        let text = try #require(file.text)
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Goldens/Shop+Wire.generated.swift.txt")
        if ProcessInfo.processInfo.environment["RELUX_RECORD"] == "1" {
            try Data(text.utf8).write(to: golden)
            Issue.record("recorded \(golden.lastPathComponent); run again without RELUX_RECORD")
        } else {
            #expect(try text == String(contentsOf: golden, encoding: .utf8))
        }
    }

    @Test func `the file follows from the types, not from what else the sources say`() throws {
        let text = WireFile(module: "ShopReluxInt", [interface, models]).text
        let other = ModuleSource(module: "ShopReluxInt", text: "import Foundation\n/// Nothing.\nfunc nothing() { struct Local {} }")
        #expect(WireFile(module: "ShopReluxInt", [interface, models, other]).text == text)
        let more = ModuleSource(module: models.module, text: models.text.replacing("UInt16", with: "UInt32"))
        #expect(WireFile(module: "ShopReluxInt", [interface, more]).text != text)
    }

    @Test(arguments: [
        ("enum E: Relux.Effect { case a; func encode(to encoder: any Encoder) throws {} }", "coding of its own"),
        ("enum E: Relux.Effect { case a }\nextension E { init(from decoder: any Decoder) throws { self = .a } }", "coding of its own"),
        ("enum E: String, Relux.Effect { case a }", "raw values"), ("enum E: Relux.Effect {}", "no cases"),
        ("enum E<T: Codable>: Relux.Effect { case a(T) }", "generic"), ("struct E: Relux.Effect { private let a: Int }", "private"),
        ("struct E: Relux.Effect { let a: Int = 1 }", "a is constant"), ("struct E: Relux.Effect { @Wrapped var a: Int }", "a is wrapped"),
        ("struct E: Relux.Effect { var a = 1 }", "does not say its type"), ("final class E: Relux.Effect {}", "neither a struct nor an enum"),
        ("enum E: Relux.Effect {\n#if DEBUG\ncase a\n#endif\ncase b\n}", "not the same in every build"),
        ("struct E: Relux.Effect, OptionSet { let rawValue: Int }", "OptionSet may change"),
        ("enum E: Relux.Effect { case a }\nprotocol Ident: RawRepresentable {}\nextension E: Ident {}", "Ident may change"),
    ])
    func `a payload whose declaration does not tell its coding stays with Codable, and that is said`(source: String, reason: String) throws {
        let file = WireFile(module: "M", [ModuleSource(module: "M", text: "import Relux\n" + source)])
        #expect(file.text == nil && file.payloads.isEmpty)
        #expect(file.notes.count == 1 && file.notes[0].hasPrefix("E stays with Codable: "))
        #expect(file.notes[0].contains(reason), "\(file.notes)")
    }

    @Test func `a package's own type of a known name is that type, and usual protocols hide nothing`() throws {
        let text = """
            import Relux
            struct Optional<T: Codable>: Codable { let value: T }
            enum E: Relux.Effect, Swift.Hashable, @unchecked Sendable, Error, LocalizedError, CustomStringConvertible { case a(Optional<Int>, S) }
            struct S: Codable, Equatable, Comparable, Identifiable { let id: Int }
            """
        let written = try #require(WireFile(module: "M", [ModuleSource(module: "M", text: text)]).text)
        #expect(written.contains("reader.codable(Optional<Int>.self)") && written.contains("extension S {"), "\(written)")
    }

    @Test func `a name that may stand for an optional is left to the compiler, one that is declared or well known is not`() throws {
        let text = """
            import Elsewhere
            import Relux
            typealias Maybe<T> = T?
            struct Box<T: Codable>: Codable { let value: T }
            enum E: Relux.Effect {
                case a(one: Maybe<Int>, two: Name, three: Elsewhere.Name, four: Box<Int>, five: Secret<String>, six: [Maybe<Int>], seven: Maybe<Int>?)
            }
            """
        let written = try #require(WireFile(module: "M", [ModuleSource(module: "M", text: text)]).text)
        #expect(written.contains(
            "fields: 3 + CBORWriter.count(one) + CBORWriter.count(two) + CBORWriter.count(three) + (seven == nil ? 0 : 1))"), "\(written)")
        for line in [
            "try writer.codable(one, key: \"one\")", "let one = try reader.codable(Maybe<Int>.self, key: \"one\", in: &fields)",
            "try writer.codable(three, key: \"three\")", "let two = try reader.codable(Name.self, key: \"two\", in: &fields)",
            "writer.key(\"four\")", "let four = try reader.codable(Box<Int>.self)", "writer.key(\"five\")", "let six = try reader.codable([Maybe<Int>].self)",
            "let seven: Maybe<Int>? = try reader.has(\"seven\", in: &fields) ? .some(reader.codable(Maybe<Int>.self)) : nil",
        ] { #expect(written.contains(line), "\(line)\n\(written)") }
    }

    @Test func `what is no payload gets nothing`() {
        let text = "import Relux\nstruct A: Codable { let a: Int }\nenum B: Relux.Action { case a }"
        let file = WireFile(module: "M", [ModuleSource(module: "M", text: text)])
        #expect(file.text == nil && file.notes.isEmpty)
    }

    @Test func `what lies too deep is left to Codable`() throws {
        var text = "import Relux\nenum E: Relux.Effect { case deep(S0) }\n"
        for level in 0..<40 { text += "struct S\(level): Codable { let next: [S\(level + 1)]\nvar other: Int }\n" }
        text += "struct S40: Codable { let end: Int }"
        let written = try #require(WireFile(module: "M", [ModuleSource(module: "M", text: text)]).text)
        #expect(written.contains("try writer.codable(") && written.contains("reader.codable(S0.self)") && !written.contains("extension S"))
    }
}
