import Relux
import ReluxLayers
import ReluxLoader
import ReluxPlugin
import Testing

@Suite struct LinkRulesTests {
    private static let kinds: [String: ModuleDeclaration.Kind] = [
        "Auth": .domain, "Notes": .domain, "Navigation": .infrastructure, "ErrorHandling": .infrastructure,
        "SessionOrchestration": .orchestrator, "DataOrchestration": .orchestrator,
    ]

    private func rules(_ module: String) -> LinkRules {
        LinkRules(module: module, kind: Self.kinds[module] ?? .domain, kinds: Self.kinds)
    }

    @Test(arguments: [
        ("Auth", "libAuthReluxImpl.so", "libAuthServiceImpl.so"),
        ("Auth", "libAuthReluxImpl.so", "libAuthCrypto.so"),
        ("Auth", "libAuthReluxImpl.so", "libNavigationReluxInt.so"),
        ("Auth", "libAuthReluxImpl.so", "libErrorHandlingModels.so"),
        ("Auth", "libAuthServiceImpl.so", "libGRDB-dynamic.so"),
        ("Auth", "libAuthServiceImpl.so", "libsqlite3.so.0"),
        ("Auth", "libAuthModels.so", "libswift_Concurrency.so"),
        ("Auth", "libAuthModels.so", "libc.so.6"),
        ("Auth", "libAuthModels.so", "ld-linux-x86-64.so.2"),
        ("Auth", "libAuthModels.so", "lib_FoundationICU.so"),
        ("Navigation", "libNavigationReluxImpl.so", "libErrorHandlingReluxInt.so"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libAuthReluxInt.so"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libNotesModels.so"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libSessionOrchestrationReluxInt.so"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libNavigationReluxInt.so"),
        ("SessionOrchestration", "libAuthReluxInt.so", "libAuthModels.so"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libAuthKit.so"),
        ("SessionOrchestration", "libAuthKit.so", "libAuthReluxInt.so"),
        ("SessionOrchestration", "libAuthKit.so", "libRelux.so"),
        ("Auth", "libAuthReluxImpl.so", "libNavigationKit.so"),
    ])
    func `an allowed edge passes`(module: String, file: String, needed: String) throws {
        try rules(module).check(file: file, needs: needed)
    }

    @Test(arguments: [
        ("Auth", "libAuthReluxImpl.so", "libNotesReluxInt.so", "layer.domainToDomain"),
        ("Auth", "libAuthServiceImpl.so", "libNotesModels.so", "layer.domainToDomain"),
        ("Auth", "libAuthReluxImpl.so", "libNotesReluxImpl.so", "layer.implToImpl"),
        ("Auth", "libAuthReluxImpl.so", "libNotesKit.so", "layer.domainToDomain"),
        ("Navigation", "libNavigationReluxImpl.so", "libAuthKit.so", "layer.infrastructureToDomain"),
        ("SessionOrchestration", "libAuthKit.so", "libAuthServiceInt.so", "layer.implToImpl"),
        ("SessionOrchestration", "libAuthKit.so", "libAuthReluxImpl.so", "layer.implToImpl"),
        ("SessionOrchestration", "libAuthKit.so", "libNotesModels.so", "layer.domainToDomain"),
        ("Auth", "libAuthReluxImpl.so", "libNavigationServiceImpl.so", "layer.implToImpl"),
        ("Auth", "libAuthReluxImpl.so", "libNavigationServiceInt.so", "layer.serviceInterface"),
        ("Auth", "libAuthReluxImpl.so", "libSessionOrchestration.so", "layer.toOrchestrator"),
        ("Auth", "libAuthReluxImpl.so", "libfancy.so", "layer.unknown"),
        ("Navigation", "libNavigationReluxImpl.so", "libAuthReluxInt.so", "layer.infrastructureToDomain"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libAuthReluxImpl.so", "layer.implToImpl"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libAuthServiceInt.so", "layer.serviceInterface"),
        ("SessionOrchestration", "libSessionOrchestration.so", "libDataOrchestration.so", "layer.orchestratorToOrchestrator"),
        (
            "SessionOrchestration", "libSessionOrchestration.so", "libDataOrchestrationReluxInt.so",
            "layer.orchestratorToOrchestrator"
        ),
    ])
    func `a forbidden edge is refused by its rule`(
        module: String, file: String, needed: String, code: String
    ) throws {
        #expect(try refusal { try rules(module).check(file: file, needs: needed) }?.name == code)
    }

    @Test func `only a bare name is the platform's`() {
        for name in ["libswiftCore.so", "libRelux.so", "libFoundation.so", "libc.so.6"] { #expect(LibraryName.isPlatform(name)) }
        for name in ["libswiftX/../../evil.so", "./libRelux.so", "/tmp/libswiftCore.so", "libAuthModels.so"] { #expect(!LibraryName.isPlatform(name)) }
    }

    @Test func `what nobody has declared yet is left to the broker, unless its name says enough`() throws {
        for module in ["SessionOrchestration", "Auth", "Navigation"] {
            let file = module == "SessionOrchestration" ? "libSessionOrchestration.so" : "lib\(module)ReluxImpl.so"
            try rules(module).check(file: file, needs: "libTasksReluxInt.so")
            #expect(try refusal { try rules(module).check(file: file, needs: "libTasksReluxImpl.so") } == LoaderError.Code(.implementation))
        }
        #expect(
            try refusal { try rules("SessionOrchestration").check(file: "libSessionOrchestration.so", needs: "libOtherOrchestrationReluxInt.so") }
                == LoaderError.Code(.orchestratorToOrchestrator))
    }

    @Test func `a kit stands for the interface that it hands on`() {
        #expect(LibraryName(file: "libAuthKit.so").imported == "AuthReluxInt")
        #expect(LibraryName(file: "libAuthReluxInt.so").imported == "AuthReluxInt")
        #expect(LibraryName(file: "libAuthModels.so").imported == nil && LibraryName(file: "libKit.so").imported == nil)
    }

    @Test func `a name that only begins like a module's is not that module's`() {
        #expect(LibraryName(file: "libNotesModels.so").owner(among: ["Note", "Notes"]) == "Notes")
        #expect(LibraryName(file: "libAuthzCrypto.so").owner(among: ["Auth"]) == nil)
        #expect(LibraryName(file: "libAuthCrypto.so.2").owner(among: ["Auth"]) == "Auth")
    }
}
