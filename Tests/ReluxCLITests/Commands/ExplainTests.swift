import Foundation
import ReluxControl
import ReluxJournal
import ReluxLayers
import Testing

@testable import ReluxCLI

/// `relux explain`, and the catalogue that it reads.
@Suite struct ExplainTests {
    @Test func `a code is explained by its name, or by the end of it`() {
        let console = TestConsole()
        #expect(console.run(["explain", "loader.guard"]) == .ok)
        #expect(
            console.out == """
                loader.guard
                  why  the plugin was built against another runtime than the host
                  fix  build it with the host's relux, and pack it
                  see  Sources/ReluxPlugin/ReluxPlugin.docc/PackingAndLoading.md
                """)
        let end = TestConsole()
        #expect(end.run(["explain", "HOPS", "-o", "name"]) == .ok && end.out == "relux.hops")
        let refused = TestConsole()
        #expect(refused.run(["explain", "refused.unknown-module", "-o", "name"]) == .ok && refused.out == "unknown-module")
        let both = TestConsole()
        #expect(both.run(["explain", "unreadable", "-o", "name"]) == .ok)
        #expect(both.out.split(separator: "\n").map(String.init) == ErrorCode.catalogue.map(\.id).filter { $0.hasSuffix(".unreadable") })
    }

    @Test func `without a code all are listed, by what they are about`() {
        let console = TestConsole()
        #expect(console.run(["explain"]) == .ok)
        let lines = console.out.split(separator: "\n")
        for (title, codes) in ErrorCode.groups { #expect(lines.contains(Substring(title)) && codes.allSatisfy { lines.contains("  \($0.id)") }) }
    }

    @Test func `what is no code is not found, with the nearest`() {
        let console = TestConsole()
        #expect(console.run(["explain", "loader.gaurd"]) == .notFound)
        #expect(console.talk.contains("there is no code 'loader.gaurd'") && console.talk.contains("did you mean 'loader.guard'?"), "\(console.talk)")
    }

    @Test func `JSON has the same`() throws {
        let console = TestConsole()
        #expect(console.run(["explain", "relux.cycle", "--json"]) == .ok)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(console.out.utf8)) as? [String: Any])
        #expect(object["schema"] as? String == "relux.explain/1")
        let code = try #require((object["codes"] as? [[String: String]])?.first)
        #expect(code["code"] == "relux.cycle" && Set(code.keys) == ["code", "why", "fix", "page"])
    }

    // MARK: The catalogue

    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// Swift files below Sources, but the catalogue's own and the authors' tools.
    private static func sources() throws -> [(path: String, text: String)] {
        let folder = root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" && !$0.path.contains("/ReluxLayers/") && !$0.path.contains("/relux-dev/") }
            .map { (String($0.path.dropFirst(folder.path.count + 1)), try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// The codes that a file makes.
    static func codes(in text: String) -> Set<String> {
        var found: Set<String> = []
        for match in text.matches(of: /\bCode\("([a-z]+\.\w+)"\)/) { found.insert(String(match.1)) }
        for match in text.matches(of: /\bRule\(rawValue: "([\w.-]+)"\)/) { found.insert(String(match.1)) }
        for match in text.matches(of: /static let (?:nameTaken|noWayBack) = "([\w.-]+)"/) { found.insert(String(match.1)) }
        for match in text.matches(of: /domain: (?:\w+\.)*(domainName|"\w+"), code: "(\w+)"/) {
            found.insert((match.1 == "domainName" ? "relux" : match.1.trimmingCharacters(in: ["\""])) + "." + match.2)
        }
        for match in text.matches(of: /\bcode: "([a-z]+[.-][\w.-]+)"/) { found.insert(String(match.1)) }
        for match in text.matches(of: /\.(?:failed|notFound|usage|refused|unreachable|unmet|timeout|lost|status),\s*"([a-z]+(?:\.\w+)?)",/) {
            found.insert(String(match.1))
        }
        for match in text.matches(of: /(?:return \(|static let \w+ =|first\.code :)\s*"((?:host|effect|pack)\.\w+)"/) { found.insert(String(match.1)) }
        return found
    }

    @Test func `each code of the sources stands in the catalogue, and each of the catalogue in the sources`() throws {
        let files = try Self.sources()
        let known = Set(ErrorCode.catalogue.map(\.id))
        var used: Set<String> = []
        for (path, text) in files {
            let codes = Self.codes(in: text)
            used.formUnion(codes)
            #expect(codes.subtracting(known).isEmpty, "\(path) makes codes that the catalogue does not have")
        }
        let container = try #require(files.first { $0.path == "ReluxIoC/IoCError.swift" }?.text)
        used.formUnion(container.matches(of: /case (\w+) = \d/).map { "ioc.\($0.1)" })
        // Made of names: of a phase, a limit, a kind of word, a journal's fault.
        let made =
            ["module.refused", "module.quarantined", CLIError.brokerDiesCode, CLIError.notNamedCode] + InheritedLimit.allCases.map { "start.\($0.rawValue)" }
            + JournalError.Code.allCases.map { "journal.\($0)" } + ["command", "operand", "option", "value"].map { "usage.\($0)" }
        #expect(known.isSuperset(of: made), "\(Set(made).subtracting(known))")
        used.formUnion(made)
        // The linter's findings are made of the catalogue itself.
        let linted = Set((ErrorCode.layering + ErrorCode.linking + ErrorCode.orchestration + ErrorCode.state + ErrorCode.checking).map(\.id))
        #expect(known.subtracting(used).subtracting(linted) == [], "nothing makes these codes")
        #expect(known.count == ErrorCode.catalogue.count, "a code stands there twice")
    }

    @Test func `a code outside the catalogue would be found`() {
        let text = """
            Code("loader.new"), Rule(rawValue: "a-new-rule"), Failure(domain: domainName, code: "fresh", message: "")
            throw CLIError(.usage, "cluster.fresh", "…") ; SetUpError(code: "host.fresh", message: "")
            Failure(domain: "orchestration", code: "fresh", message: "")
            """
        #expect(Self.codes(in: text) == ["loader.new", "a-new-rule", "relux.fresh", "cluster.fresh", "host.fresh", "orchestration.fresh"])
    }

    @Test func `each page of the catalogue is there`() {
        for page in Set(ErrorCode.catalogue.map(\.page)) where !page.isEmpty {
            #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: page).path), "\(page)")
        }
    }
}
