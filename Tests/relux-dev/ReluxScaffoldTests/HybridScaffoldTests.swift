import Foundation
@testable import ReluxScaffold
import Testing

@Suite struct HybridScaffoldTests {
    private let whole: [String: String]
    private let hybrid: Scaffold

    init() throws {
        let name = try ModuleName(domain: "Weather")
        whole = DomainScaffold.make(name, .inside).files
        hybrid = DomainScaffold.make(name, .inside, .hybrid)
    }

    @Test func `the service's layers are in the implementation, its mock in the tests, and nothing else is another`() throws {
        let moved = [
            "Sources/WeatherServiceInt/Weather+Business+IService.swift": "Sources/WeatherReluxImpl/Weather+Business+IService.swift",
            "Sources/WeatherServiceImpl/Weather+Business+Service.swift": "Sources/WeatherReluxImpl/Weather+Business+Service.swift",
            "Sources/WeatherServiceImpl/Weather+Business+ServiceInMemory.swift": "Sources/WeatherReluxImpl/Weather+Business+ServiceInMemory.swift",
            "Sources/WeatherTestSupport/Weather+Business+ServiceMock.swift": "Tests/WeatherTests/Weather+Business+ServiceMock.swift",
        ]
        #expect(Set(hybrid.files.keys) == Set(whole.keys.map { moved[$0] ?? $0 }))
        for (path, text) in hybrid.files {
            #expect(!text.contains("WeatherServiceI"), "\(path)")
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n") && !text.contains("__"), "\(path)")
            let imports = text.split(separator: "\n").filter { $0.contains("import ") && !$0.contains("//") }.compactMap { $0.split(separator: " ").last }
            #expect(imports == imports.sorted(), "\(path)")
        }
        for path in moved.values { #expect(hybrid.files[path]?.contains("public ") == false, "\(path)") }
        for path in whole.keys where moved[path] == nil && whole[path]?.contains("WeatherServiceI") == false {
            #expect(hybrid.files[path] == whole[path], "\(path)")
        }
    }

    @Test func `the manifest has four products, and is else the same`() throws {
        let manifest = try #require(hybrid.files["Package.swift"])
        #expect(manifest.components(separatedBy: ".library(").count == 5 && manifest.components(separatedBy: ".target(").count == 5)
        let lines = Set(try #require(whole["Package.swift"]).components(separatedBy: "\n"))
        #expect(manifest.components(separatedBy: "\n").allSatisfy(lines.contains))
    }

    @Test func `the checklist says what was begun small`() {
        let texts = hybrid.checklist.map(\.text)
        #expect(texts.contains("Weather/Package.swift with four products") && !texts.contains { $0.hasPrefix("WeatherServiceInt") })
        #expect(hybrid.checklist.last?.isDone == false && texts.last?.contains("when it grows") == true)
    }
}

extension GeneratedPackageScenarios {
    /// Really built; with --full only, for it costs a build.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["RELUX_TEST_FULL"] == "1"))
    func `a domain that starts small builds and passes its tests at once`() throws {
        defer { clean() }
        clean()
        let made = try run(["relux-dev", "new", "domain", Self.hybrid, "--hybrid", "--standalone"])
        #expect(made.status == 0, "\(made.text)")
        let tests = try build(Self.hybrid)
        #expect(tests.status == 0 && tests.text.contains("Test run with 14 tests in 3 suites passed"), "\(tests.text.suffix(4_000))")
        let lint = try run(["relux-dev", "lint", Self.hybrid, "--images", products])
        #expect(lint.status == 0 && lint.text.contains("clean; "), "\(lint.text)")
    }
}
