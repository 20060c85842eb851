import Foundation
@testable import ReluxScaffold
import Testing

@Suite struct FeatureScaffoldTests {
    private func make(_ name: String, _ domain: String, manifest: String) throws -> (scaffold: Scaffold, manifest: String) {
        try FeatureScaffold.make(try ModuleName(feature: name), of: try ModuleName(domain: domain), manifest: manifest, .inside)
    }

    @Test func `it lies where Library's features lie, and has the frame that they have`() throws {
        let library = Plugin("Library")
        let made = try make("Login", "Library", manifest: library.text("Package.swift"))
        let path = "Sources/LibraryReluxImpl/Features/LoginFeature.swift"
        let generated = try #require(made.scaffold.files[path])
        #expect(try library.sources().contains(path))
        for feature in ["FileCell", "FileList", "Login"] {
            let checkedIn = try library.text("Sources/LibraryReluxImpl/Features/\(feature)Feature.swift")
            for frame in [
                "internal import ReluxFeature\n", "Feature: Reducer {\n", "    struct State: Equatable, ", "    enum Action: Equatable, CasePathable {\n",
                "        case delegate(Delegate)\n", "        enum Delegate: Equatable {\n", "        struct Cases: Sendable {\n",
                "            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }\n",
                "        static let cases = Cases()\n", "    var body: some ReducerOf<Self> {\n", "            case .delegate:\n                return .none\n",
            ] {
                #expect(generated.contains(frame) && checkedIn.contains(frame), "\(feature): \(frame)")
            }
        }
        // Its tests link the store already.
        #expect(try made.manifest == library.text("Package.swift"))
    }

    @Test func `the tests' manifest gets the store that asserts, as Library's has it`() throws {
        let domain = try #require(DomainScaffold.make(try ModuleName(domain: "Library"), .inside).files["Package.swift"])
        let manifest = try make("Login", "Library", manifest: domain).manifest
        let checkedIn = try Plugin("Library").text("Package.swift").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(manifest == checkedIn.filter { !$0.contains("GRDB") && !$0.contains("ReluxStorage") }.joined(separator: "\n"))
        let error = #expect(throws: ScaffoldError.self) { try make("Login", "Library", manifest: "let package = 0") }
        #expect(error?.code == "new.feature" && error?.hint.contains("ReluxFeatureTestKit") == true)
    }

    @Test func `a feature is named with or without the ending, and no mark is left`() throws {
        #expect(try ModuleName(feature: "LoginFeature") == ModuleName(feature: "Login"))
        for (path, text) in try make("FileCell", "Weather", manifest: "ReluxFeatureTestKit\"ReluxFeatureTestKit\"").scaffold.files {
            #expect(!path.contains("__") && !text.contains("__"), "\(path)")
            #expect(text.hasSuffix("}\n") && !text.hasSuffix("\n\n"), "\(path)")
        }
    }

    @Test func `nothing that is there is overwritten, and what was begun is taken back`() throws {
        let folder = NSTemporaryDirectory() + "/relux-feature-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/Tests", withIntermediateDirectories: true)
        let made = try make("Login", "Weather", manifest: "\"ReluxFeatureTestKit\"")
        // A file where a folder has to be.
        try Data().write(to: URL(fileURLWithPath: folder + "/Tests/WeatherTests"))
        let refused = #expect(throws: ScaffoldError.self) { try made.scaffold.add(to: folder, manifest: made.manifest) }
        #expect(refused?.code == "new.write")
        #expect(refused?.message.contains("The operation could") == false, "\(String(describing: refused))")
        let file = folder + "/Sources/WeatherReluxImpl/Features/LoginFeature.swift"
        #expect(!FileManager.default.fileExists(atPath: file) && !FileManager.default.fileExists(atPath: folder + "/Package.swift"))
        try FileManager.default.removeItem(atPath: folder + "/Tests")
        try made.scaffold.add(to: folder, manifest: made.manifest)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let taken = #expect(throws: ScaffoldError.self) { try made.scaffold.add(to: folder, manifest: made.manifest) }
        #expect(taken?.code == "new.exists" && taken?.message.contains("LoginFeature.swift") == true)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }
}
