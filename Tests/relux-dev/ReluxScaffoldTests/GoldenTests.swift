import Foundation
@testable import ReluxScaffold
import Testing

/// Generated files look like those of the checked-in plugins: the very same text, but for differences that are named here, each of which
/// has to be there.
@Suite struct GoldenTests {
    @Test func `a domain named Profile has Profile's files but for its own`() throws {
        let generated = try Set(domain("Profile").keys.filter { $0.hasSuffix(".swift") })
        let own: Set = [
            "Sources/ProfileServiceImpl/Store+Schema.swift", "Sources/ProfileServiceImpl/Profile+Business+Service+Revisions.swift", "Sources/ProfileReluxImpl/Profile+Business+Revisions.swift",
            "Sources/ProfileReluxImpl/Profile+Startup.swift", "Sources/ProfileModels/Profile+Business+Model+UserProfile.swift",
        ]
        let checkedIn = try Plugin("Profile").sources()
        #expect(own.isSubset(of: checkedIn))
        #expect(generated.subtracting(["Sources/ProfileModels/Profile+Business+Model+Item.swift"]) == checkedIn.subtracting(own))
    }

    @Test(arguments: [
        "Sources/ProfileReluxInt/Exports.swift", "Sources/ProfileReluxImpl/Profile+Plugin.swift",
    ])
    func `where nothing is Profile's own it is the very same text`(path: String) throws {
        #expect(try domain("Profile")[path] == Plugin("Profile").text(path))
    }

    /// The types are each plugin's own; the beginning of the file and what writes it are the same.
    @Test(arguments: ["Auth", "Cart", "Files", "Notes", "Profile"])
    func `the generated coders are a checked-in plugin's but for the types`(name: String) throws {
        let path = "Sources/\(name)ReluxInt/\(name)+Wire.generated.swift"
        let plugin = Plugin(name)
        let files = try domain(name)
        let generated = try #require(files[path])
        let checkedIn = try plugin.text(path)
        let head = "\nextension \(name).Business.Effect: CBORFastCodable {\n    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {\n"
        // Both halves: what is before the first coder, and that coder.
        let parts = (generated.components(separatedBy: head), checkedIn.components(separatedBy: head))
        #expect(parts.0.count == 2 && parts.1.count == 2)
        #expect(parts.0[0].contains("public import \(name)Models\npublic import Relux\n"))
        #expect(Set(parts.0[0].split(separator: "\n")).isSubset(of: Set(parts.1[0].split(separator: "\n"))))
        // Given the plugin's types, the scaffold's way gives the plugin's file.
        let sources = try plugin.sources().filter { !$0.hasSuffix(".generated.swift") }
        let texts = Dictionary(uniqueKeysWithValues: try sources.map { ($0, try plugin.text($0)) })
        #expect(DomainScaffold.wire(texts, name)?.text == checkedIn)
        #expect(DomainScaffold.wire(texts, name)?.path == path)
    }

    @Test func `the manifest is Profile's without its store`() throws {
        let manifest = try Plugin("Profile").text("Package.swift").split(separator: "\n", omittingEmptySubsequences: false)
        let own = manifest.filter { $0.contains("GRDB") || $0.contains("ReluxStorage") }
        #expect(own.count == 3)
        #expect(try domain("Profile")["Package.swift"] == manifest.filter { !own.contains($0) }.joined(separator: "\n"))
    }

    @Test func `module and declaration are Profile's without its store and what it does when the cluster starts`() throws {
        let generated = try domain("Profile")
        let declaration = "Sources/ProfileReluxImpl/Profile+Plugin.swift"
        #expect(try generated[declaration] == Plugin("Profile").text(declaration))
        let module = "Sources/ProfileReluxImpl/Profile+Module.swift"
        let flow = "try ioc.resolve((any Profile.Business.IFlow).self)"
        let startup = "Profile.startup(svc: try ioc.resolve()),"
        #expect(
            try generated[module]
                == Plugin("Profile").text(
                    module,
                    without: [
                        ("internal import ReluxOrchestration\n", ""), (", Orchestration.Business.Request.self]", "]"),
                        (", try ioc.resolve(Profile.Business.Revisions.self)]", "]"),
                        ("        ioc.register(Profile.Business.Revisions.self, lifecycle: .container) { Profile.Business.Revisions() }\n", ""),
                        (" revisions: try ioc.resolve(),", ""),
                        // Lists of what is left fit on one line.
                        ("            [\n                Profile.Business.Effect.self, ", "            [Profile.Business.Effect.self, "),
                        (",\n                Orchestration.Business.Answer.self,\n            ]", "]"),
                        ("[\n                \(flow),\n                \(startup)\n            ]", "[\(flow)]"),
                        ("Service(databasePath: directory + \"/profile.sqlite\")", "Service(directory: directory)"),
                    ]))
    }

    @Test(arguments: ["Auth", "Cart", "Checkout", "Files", "Library", "Notes", "Profile", "Settings", "Sync"])
    func `what every domain has it has in the generator's words`(name: String) throws {
        let (generated, plugin) = (try domain(name), Plugin(name))
        let exports = "Sources/\(name)ReluxInt/Exports.swift"
        #expect(try generated[exports] == plugin.text(exports))
        let declaration = "Sources/\(name)ReluxImpl/\(name)+Plugin.swift"
        let entry = try #require(generated[declaration]?.components(separatedBy: "@c(relux_plugin_main)\n").last)
        #expect(try plugin.text(declaration).hasSuffix("@c(relux_plugin_main)\n" + entry))
        let path = "Sources/\(name)ReluxImpl/\(name)+Module.swift"
        let module = try #require(generated[path]).components(separatedBy: "\n")
        let text = try plugin.text(path)
        let checkedIn = Set(text.components(separatedBy: "\n"))
        #expect(text.contains("\(name).Business.Flow(svc: try ioc.resolve(), "))
        for word in ["init(ioc: IoC) throws", ": Relux.Plugin {", "(any \(name).Business.IService).self,", "mock: {"] {
            let lines = module.filter { $0.contains(word) }
            #expect(!lines.isEmpty, "\(word)")
            // An argument that is the last one elsewhere is followed by nothing there.
            for line in lines { #expect(checkedIn.contains(line) || checkedIn.contains(String(line.dropLast())), "\(path): \(line)") }
        }
    }

    @Test(arguments: ["Cart", "Checkout", "Files", "Payment", "Sync"])
    func `a state hands out its snapshots in the generator's words`(name: String) throws {
        let path = "Sources/\(name)ReluxImpl/\(name)+Business+State.swift"
        let paragraphs = try #require(domain(name)[path]).components(separatedBy: "\n\n")
        let snapshots = try #require(paragraphs.first { $0.contains("var snapshots: ") })
        #expect(try Plugin(name).text(path).contains(snapshots))
        let readers = try #require(paragraphs.first { $0.contains("let readers = ") }?.components(separatedBy: "\n").last)
        #expect(try Plugin(name).text(path).contains(readers + "\n"))
    }

    /// CommerceOrchestration runs a monitor besides: it hears when it is ready, and observes.
    @Test(arguments: [
        ("Data", ["Auth", "Notes", "Files", "Sync"], ["+Module.swift", "+Plugin.swift", ".contract.json"]),
        ("Commerce", ["Auth", "Cart", "Checkout", "Payment"], [".contract.json"]),
    ])
    func `an orchestrator named like a checked-in one over the same domains is that one before it knew any effect`(
        concern: String, domains: [String], files: [String]
    ) throws {
        let (generated, name) = (try orchestrator(concern, domains), "\(concern)Orchestration")
        let implementation = "Sources/\(name)Impl/\(name)"
        for path in ["Package.swift"] + files.map({ implementation + $0 }) {
            #expect(try generated[path] == Plugin(name).text(path), "\(path)")
        }
        for domain in domains {
            let path = "\(implementation)+Saga+\(domain).swift"
            #expect(try Self.frame(#require(generated[path])) == Self.frame(Plugin(name).text(path)), "\(path)")
        }
    }

    @Test func `in DataOrchestration nothing but what it does with effects is its own`() throws {
        let generated = try orchestrator("Data", ["Auth", "Notes", "Files", "Sync"])
        let plugin = Plugin("DataOrchestration")
        #expect(try Set(generated.keys.filter { $0.hasSuffix(".swift") }) == plugin.sources())
        let implementation = "Sources/DataOrchestrationImpl/DataOrchestration"
        #expect(try generated[implementation + "+Saga.swift"] == plugin.text(implementation + "+Saga.swift"))
        #expect(
            try generated[implementation + ".swift"]
                == plugin.text(implementation + ".swift", without: [("/// The user's data across", "/// What happens across")]))
        // Paragraph by paragraph: its tests are all of the generated ones, but for the one of effects that nobody knows, and more.
        let path = "Tests/DataOrchestrationTests/DataOrchestrationTests.swift"
        let checkedIn = try Set(plugin.text(path).components(separatedBy: "\n\n").map { $0.trimmingCharacters(in: .newlines) })
        let paragraphs = try #require(generated[path]).components(separatedBy: "\n\n").map { $0.trimmingCharacters(in: .newlines) }
        let own = paragraphs.filter { !checkedIn.contains($0) }
        #expect(own.count == 2 && own.allSatisfy { $0.contains("Foreign") }, "\(own)")
    }

    @Test func `no mark of a template is left, and imports are in order`() throws {
        let orchestrator = try OrchestratorScaffold.make(try ModuleName(orchestrator: "Sky"), domains: [("Weather", "../Weather")], .inside)
        for (path, text) in try domain("Weather").merging(orchestrator.files, uniquingKeysWith: { $1 }) {
            #expect(!path.contains("__") && !text.contains("__"), "\(path)")
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(path)")
            let imports = text.split(separator: "\n").filter { $0.contains("import ") && !$0.contains("//") }.compactMap {
                $0.split(separator: " ").last
            }
            #expect(imports == imports.sorted(), "\(path)")
        }
    }

    @Test func `a list of domains that is too long for one line has a line for each`() throws {
        let domains = ["Auth", "Cart", "Checkout", "Files", "Library", "Payment"]
        let module = try #require(try orchestrator("Sky", domains)["Sources/SkyOrchestrationImpl/SkyOrchestration+Module.swift"])
        #expect(module.contains("            [\n                Auth.Business.Effect.self,\n"))
        #expect(module.contains("                Payment.Business.Effect.self,\n            ]\n        }\n"))
    }

    // MARK: Texts

    private func domain(_ name: String) throws -> [String: String] {
        DomainScaffold.make(try ModuleName(domain: name), .inside).files
    }

    private func orchestrator(_ concern: String, _ domains: [String]) throws -> [String: String] {
        let domains = domains.map { (name: $0, path: "../\($0)") }
        return try OrchestratorScaffold.make(try ModuleName(orchestrator: concern), domains: domains, .inside).files
    }

    /// A handler without the effects that it knows: no case but the default one, and no imports, which follow from the cases.
    private static func frame(_ handler: String) -> String {
        var (lines, isCase) = ([Substring](), false)
        for line in handler.split(separator: "\n") where !line.hasPrefix("internal import ") {
            if line.hasPrefix("        case ") { isCase = true } else if line.hasPrefix("        default:") { isCase = false }
            if !isCase { lines.append(line) }
        }
        return lines.joined(separator: "\n")
    }
}
