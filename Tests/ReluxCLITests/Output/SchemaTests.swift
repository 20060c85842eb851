import Foundation
@testable import ReluxCLI
import ReluxTestKit
import ReluxWire
import Testing

/// The JSON documents that commands print, against the schemas that `relux schema` prints.
@Suite struct SchemaTests {
    private static let schemas = Dictionary(DocumentSchema.catalogue.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The faults of all documents in a text, each line or all of it; and the schemas that they say.
    private static func check(_ text: String) -> (faults: [String], names: [String]) {
        let whole = (try? JSONValue(parsing: text)).map { [$0] }
        let documents = whole ?? text.split(separator: "\n").compactMap { try? JSONValue(parsing: String($0)) }
        var (faults, names): ([String], [String]) = ([], [])
        for document in documents {
            guard let name = document["schema"]?.string else { continue }
            names.append(name)
            faults += schemas[name].map { $0.faults(of: document).map { "\(name): \($0)" } } ?? ["\(name) has no schema"]
        }
        return (faults, names)
    }

    /// Commands that print no document: what they print is no data, or they go on for ever.
    private static let others: Set = ["completion", "logs -f"]

    @Test func `each command's document is as its schema says`() throws {
        let (books, broker, host, environment) = try OutputFailureTests.books()
        var silent: [String] = []
        var names: Set<String> = []
        for row in OutputFailureTests.printing where !Self.others.contains(([row.words] + row.arguments).joined(separator: " ")) {
            if Self.others.contains(row.words) { continue }
            let console = TestConsole()
            let arguments = row.arguments.filter { $0 != "--json" }.map { ["PACKED", "SDK"].contains($0) ? environment[$0]! : $0 }
            let words = row.words.split(separator: " ").map(String.init) + arguments + (row.words == "tap" ? ["-n", "1"] : [])
            _ = console.run(
                words.filter { $0 != "json" && $0 != "-o" } + ["--json", "--timeout", "30s"], directory: books.scratch.path, environment: environment,
                programs: Console.ownDirectory)
            let (faults, found) = Self.check(console.out)
            #expect(faults.isEmpty, "\(row.words): \(faults)")
            if found.isEmpty { silent.append(row.words) }
            names.formUnion(found)
            // Errors are documents too.
            let talk = Self.check(console.talk)
            #expect(talk.faults.isEmpty, "\(row.words): \(talk.faults)")
            names.formUnion(talk.names)
        }
        // It packs a library that is built elsewhere.
        #expect(Set(silent).isSubset(of: ["module pack"]), "no document of \(silent)")
        #expect(names.count >= 25, "\(names.sorted())")
        withExtendedLifetime((books, broker, host)) {}
    }

    @Test func `the documents on record are as their schemas say`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Goldens").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)).compactMap { $0 as? URL }
            .filter { $0.lastPathComponent.contains("json") }
        var count = 0
        for file in files {
            let (faults, names) = Self.check(try String(contentsOf: file, encoding: .utf8))
            #expect(faults.isEmpty, "\(file.lastPathComponent): \(faults)")
            count += names.count
        }
        #expect(count > 10, "\(files.map(\.lastPathComponent))")
    }

    @Test func `each schema that the sources name is in the catalogue, and each of the catalogue in the sources`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources").standardizedFileURL
        var named: Set<String> = []
        for folder in ["ReluxCLI", "ReluxTap", "ReluxPack"] {
            let files = try #require(FileManager.default.enumerator(at: sources.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/Schemas/") {
                let text = try String(contentsOf: file, encoding: .utf8)
                named.formUnion(text.matches(of: #/"(relux\.[A-Za-z.-]+\/[0-9]+)"/#).map { String($0.output.1) })
            }
        }
        // Files, which no command prints.
        named.subtract(["relux.installation/1", "relux.contextFile/1"])
        #expect(named == Set(Self.schemas.keys), "\(named.symmetricDifference(Self.schemas.keys).sorted())")
        #expect(Self.schemas.count == DocumentSchema.catalogue.count)
    }

    @Test func `what is missing, too much or of another kind is found, with its place`() throws {
        let schema = try #require(Self.schemas["relux.signals/1"])
        func faults(_ text: String) throws -> [String] { schema.faults(of: try JSONValue(parsing: text)) }
        #expect(try faults(#"{"schema":"relux.signals/1","signals":[{"name":"a","module":"M","complete":false,"waiting":1}]}"#).isEmpty)
        #expect(try faults(#"{"schema":"relux.signals/1","signals":[{"name":"a","module":"M","complete":false}]}"#) == [".signals[0] has no 'waiting'"])
        #expect(
            try faults(#"{"schema":"relux.signals/1","signals":[],"more":1}"#) == ["the document has 'more', which no schema names"])
        #expect(
            try faults(#"{"schema":"relux.signals/1","signals":[{"name":7,"module":"M","complete":false,"waiting":1}]}"#)
                == [#".signals[0].name is 7, and should be {"type":"string"}"#])
        #expect(try faults(#"{"schema":"relux.signals/2","signals":[]}"#).count == 1)
        #expect(try faults("[]").count == 1)
    }

    @Test func `a schema is printed as JSON Schema, by its name or the short of it`() throws {
        let console = TestConsole()
        #expect(console.run(["schema", "relux.signals/1"]) == .ok)
        let schema = try JSONValue(parsing: console.out)
        #expect(schema["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema" && schema["$id"]?.string == "relux.signals/1")
        #expect(schema["required"]?.text() == #"["schema","signals"]"#)
        #expect(schema["properties"]?["signals"]?["items"]?["properties"]?["waiting"]?.text() == #"{"type":"integer"}"#)
        let short = TestConsole()
        #expect(short.run(["schema", "signals"]) == .ok && short.out == console.out)
        let list = TestConsole()
        #expect(list.run(["schema", "-o", "name"]) == .ok && list.out.split(separator: "\n").map(String.init) == DocumentSchema.catalogue.map(\.name))
        let unknown = TestConsole()
        #expect(unknown.run(["schema", "relux.singals/1"]) == .notFound && unknown.talk.contains("did you mean 'relux.signals/1'?"), "\(unknown.talk)")
    }
}
