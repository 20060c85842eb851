import Foundation
@testable import ReluxDevLoop
import Testing

@Suite struct DevPlanTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func plan(checkout: String? = nil, scratch: String? = nil, hasTests: Bool = true) throws -> DevPlan {
        try DevPlan(
            of: sandbox.path, hasTests: hasTests,
            .init(checkout: checkout, scratch: scratch, relux: "/bin/relux", tools: "/bin/relux-dev", cluster: ["--run", "/run dir"]))
    }

    private func texts(_ plan: DevPlan) -> [String] {
        DevStep.allCases.map { (plan.commands[$0]?.text ?? "").replacing(sandbox.path, with: "PACKAGE") }
    }

    @Test func `a domain elsewhere is built by itself`() throws {
        for name in ["Package.swift", "Sources/WeatherReluxImpl/A.swift", "Sources/WeatherReluxInt/A.swift"] { try sandbox.write(name) }
        let plan = try plan()
        #expect(plan.module == "Weather" && plan.logs == sandbox.path + "/.build/relux-dev/Weather")
        #expect(
            texts(plan) == [
                "/bin/relux-dev generate --existing PACKAGE", "swift build --package-path PACKAGE --build-tests",
                "/bin/relux-dev lint PACKAGE", "swift test --skip-build --package-path PACKAGE",
                "/bin/relux module pack PACKAGE/.build/debug/libWeatherReluxImpl.so --run '/run dir'",
                "/bin/relux module show Weather --json --run '/run dir'", "/bin/relux module load Weather --packed --run '/run dir'",
                "/bin/relux module upgrade Weather --run '/run dir'",
            ])
    }

    @Test func `an orchestrator of a checkout is built where the checkout is`() throws {
        for name in ["Package.swift", "Sources/SkyOrchestrationImpl/A.swift"] { try sandbox.write(name) }
        let plan = try plan(checkout: "/relux", hasTests: false)
        #expect(plan.module == "SkyOrchestration" && plan.logs == "/relux/.build/relux-dev/SkyOrchestration")
        let texts = texts(plan)
        #expect(texts[1] == "swift build --package-path PACKAGE --scratch-path /relux/.build --disable-build-manifest-caching")
        #expect(texts[4] == "/bin/relux module pack /relux/.build/debug/libSkyOrchestration.so --run '/run dir'")
        #expect(try self.plan(checkout: "/relux", scratch: "/mine").commands[.build]?.words.contains("/mine") == true)
    }

    @Test func `of a domain in two packages both are watched and linted`() throws {
        let (work, interfaces) = (sandbox.path + "/WeatherImplementations", sandbox.path + "/WeatherInterfaces")
        for name in ["WeatherImplementations/Package.swift", "WeatherImplementations/Sources/WeatherReluxImpl/A.swift"] { try sandbox.write(name) }
        func plan() throws -> DevPlan {
            try DevPlan(of: work, hasTests: true, .init(checkout: nil, scratch: nil, relux: "relux", tools: "relux-dev", cluster: []))
        }
        #expect(try plan().packages == [work])
        try sandbox.write("WeatherInterfaces/Package.swift")
        #expect(try plan().packages == [work, interfaces])
        #expect(try plan().commands[.lint]?.words == ["relux-dev", "lint", work, interfaces])
    }

    @Test func `what a cluster cannot load is refused, and says what it can`() throws {
        let nowhere = #expect(throws: DevLoopError.self) { try plan() }
        #expect(nowhere?.code == "dev.noPackage" && nowhere?.status == 3)
        for name in ["Package.swift", "Sources/NotesUI/A.swift"] { try sandbox.write(name) }
        let interface = #expect(throws: DevLoopError.self) { try plan() }
        #expect(interface?.code == "dev.plugin" && interface?.message.contains("no implementation") == true)
        for name in ["Sources/AReluxImpl/A.swift", "Sources/BReluxImpl/A.swift"] { try sandbox.write(name) }
        #expect(#expect(throws: DevLoopError.self) { try plan() }?.message.contains("2 implementations (A, B)") == true)
    }
}
