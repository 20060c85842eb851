import ArgumentParser
import Foundation
@testable import ReluxCLI
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing
import Yams

/// A document as YAML, and by a template.
@Suite struct DocumentTests {
    private static let document: JSONValue = [
        "schema": "relux.demo/1", "count": 3, "ratio": .number(0.5), "open": true, "none": .null, "odd.name": "x",
        "modules": [["id": "Auth", "topics": ["A", "B"]], ["id": "Notes", "topics": []]],
    ]

    @Test(arguments: [
        ("{.count}", "3"), (".modules[*].id", "Auth Notes"), ("{.modules[0].id}", "Auth"), ("{.modules[-1].id}", "Notes"), ("{$.open}", "true"),
        ("{['odd.name']}", "x"), ("{[\"odd.name\"]}", "x"), ("{.none}", "null"), ("{.ratio}", "0.5"), ("{.modules[0].topics}", #"["A","B"]"#),
        ("{.modules[*].topics[*]}", "A B"), ("{ .count }-{.count}", "3-3"), ("plain {.open}!", "plain true!"),
        (#"{range .modules[*]}{.id}{"\t"}{.topics[*]}{"\n"}{end}"#, "Auth\tA B\nNotes\t\n"), ("{range .modules[*]}{@.id};{end}", "Auth;Notes;"),
        ("{range .modules[*]}{range .topics[*]}{.}{end}{end}", "AB"), (#"{'it is'}{" \"so\""}"#, #"it is "so""#), ("{.modules[0].*}", #"Auth ["A","B"]"#),
    ])
    func `a template is filled in with what its paths lead to`(_ template: String, _ text: String) throws {
        #expect(try JSONPath(template).text(of: Self.document) == text)
    }

    @Test(arguments: [
        ("{.cuont}", "'.cuont' leads nowhere", "did you mean 'count'?"), ("{.modules.id}", "'.id' is asked of a list, which has no members", "[*] goes over the elements"),
        ("{.count[0]}", "'[0]' is asked of a number, which is no list", "'.name' leads into an object"), ("{.modules[2]}", "'[2]' leads nowhere: the list has 2", "[*] goes over all"),
        ("{.modules[-3]}", "'[-3]' leads nowhere: the list has 2", ""), ("{.schema[*]}", "'[*]' is asked of a text, which is no list", "leave it out"),
    ])
    func `a path that leads nowhere is named with what there is`(_ template: String, _ message: String, _ hint: String) throws {
        let path = try JSONPath(template)
        let fault = #expect(throws: JSONPath.Fault.self) { try path.text(of: Self.document) }
        #expect(fault?.message == message && fault?.hint.hasPrefix(hint) == true, "\(String(describing: fault))")
    }

    @Test(arguments: [
        ("{.a", "'}' is missing at character 4"), ("{.a[}", "'[' is followed by *, a number or a quoted name, and is not at character 5"), ("{.a[0}", "']' is missing at character 6"),
        ("{range .a}{.b}", "a 'range' without its 'end' at character 15"), ("{end}", "an 'end' without its 'range' at character 5"), ("{\"a}", "a quote is not closed at character 5"),
        ("{..a}", "a name is missing at character 3"), ("{a}", "'}' is missing at character 2"), ("{.a['b]}", "a quote is not closed at character 9"),
        ("{.a[99999999999999999999]}", "'[' is followed by"),
    ])
    func `a template that cannot be read is refused with the place`(_ template: String, _ words: String) {
        let fault = #expect(throws: JSONPath.Fault.self) { try JSONPath(template) }
        #expect(fault?.message.contains(words) == true && fault?.hint.contains("-o jsonpath='{.modules[*].id}'") == true, "\(String(describing: fault))")
    }

    @Test func `YAML has the same values in the same order, and quotes texts that look like something else`() throws {
        let texts = ["", "true", "null", "~", "1", "1.0", "1e3", "0x1", "2026-11-29", "a: b", "- a", "#x", "'", "two\nlines\n", " blank ", "ü\u{1b}", "{a}", "yes", "=", "<<"]
        let value = JSONValue.object([
            .init("texts", .array(texts.map { .string($0) })), .init("z", 1), .init("a", -2), .init("true", true), .init("nothing", .null), .init("half", .number(0.5)), .init("list", []),
            .init("map", .object([])),
        ])
        let yaml = value.yaml
        let read = try #require(try Yams.load(yaml: yaml) as? [String: Any])
        #expect(read["texts"] as? [String] == texts, "\(yaml)")
        #expect(read["z"] as? Int == 1 && read["a"] as? Int == -2 && read["true"] as? Bool == true && read["half"] as? Double == 0.5, "\(yaml)")
        #expect(read["nothing"] is NSNull && (read["list"] as? [Any])?.isEmpty == true && (read["map"] as? [String: Any])?.isEmpty == true, "\(yaml)")
        #expect(yaml.hasPrefix("texts:") && !yaml.hasSuffix("\n"))
    }

    @Test func `several documents are one stream of YAML`() throws {
        let out = Mutex<[String]>([])
        let console = Console(out: { line in out.withLock { $0.append(line) } }, talk: { _ in })
        let session = CommandSession(console: console, options: try CommonOptions.parse(["-o", "yaml"]))
        for number in 1...2 as ClosedRange<Int128> { session.print(["number": .integer(number)]) }
        let documents = try Yams.load_all(yaml: out.withLock { $0.joined(separator: "\n") }).compactMap { $0 as? [String: Int] }
        #expect(documents == [["number": 1], ["number": 2]])
    }

    @Test func `a command prints its document as it is asked for, and says what is wrong with a template before it does anything`() {
        func run(_ format: String) -> (ReluxCLI.ExitStatus, String, String) {
            let console = TestConsole()
            return (console.run(["version", "-o", format]), console.out, console.talk)
        }
        #expect(run("yaml").1.hasPrefix("schema: relux.version/1\nversion: \(VersionCommand.version)\n"))
        #expect(run("jsonpath={.version}").1 == VersionCommand.version)
        #expect(run(#"jsonpath={.version}{"\n"}"#).1 == VersionCommand.version)
        let (nowhere, _, why) = run("jsonpath={.verison}")
        #expect(nowhere == .usage && why == "relux: -o jsonpath: '.verison' leads nowhere\n       did you mean 'version'?", "\(why)")
        let (broken, out, what) = run("jsonpath={.version")
        #expect(broken == .usage && out.isEmpty && what.contains("is no template: '}' is missing"), "\(what)")
        #expect(run("yml").2 == "relux: 'yml' is no value of -o\n       did you mean 'yaml'?")
        #expect(run("jsonpth={.a}").2.hasPrefix("relux: 'jsonpth={.a}' is no value of -o"))
    }
}
