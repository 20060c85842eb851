@testable import ReluxScaffold
import Testing

@Suite struct ModuleNameTests {
    @Test(arguments: [
        ("", "begin with a letter"), ("weather", "begin with a letter"), ("7Days", "begin with a letter"), ("Wea-ther", "'-' is in it"),
        ("Wea/../ther", "'/' is in it"), ("Wetterlageübersicht", "'ü' is in it"), ("Wea ther", "' ' is in it"),
        ("String", "has that name already"),
        ("ReluxWeather", "has that name already"), ("WeatherModels", "ends with Models"), ("WeatherTests", "ends with Tests"),
        (String(repeating: "W", count: 49), "49 characters, the limit is 48"), ("WeatherOrchestration", "makes an orchestrator"),
    ])
    func `a name that cannot be a domain's is refused with the reason and a remedy`(name: String, reason: String) {
        let error = #expect(throws: ScaffoldError.self) { try ModuleName(domain: name) }
        #expect(error?.code == "new.name")
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("'\(name.prefix(48))") == true)
        #expect(error?.hint.isEmpty == false)
    }

    @Test func `an orchestrator is named after its concern, with or without the ending`() throws {
        #expect(try ModuleName(orchestrator: "Commerce") == ModuleName(orchestrator: "CommerceOrchestration"))
        #expect(try ModuleName(orchestrator: "Commerce").text == "CommerceOrchestration")
        #expect(throws: ScaffoldError.self) { try ModuleName(orchestrator: "commerce") }
    }

    @Test func `pages get the name in lower case`() throws {
        #expect(try ModuleName(domain: "UserProfile").lowercase == "user-profile")
        #expect(try ModuleName(domain: "Weather2").lowercase == "weather2")
    }
}
