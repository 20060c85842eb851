// swift-tools-version: 6.2
import PackageDescription

// One image holds everything that plugins and hosts share: libRelux.so. Whoever needs it, static targets, executables
// and tests included, links it as a *product* through the self-reference below. A plain target dependency would copy
// its types into the dependant in silence, and casts between the copies are false.
let selfReference = "relux-cluster-self"

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let reluxImage: Target.Dependency = .product(name: "Relux", package: selfReference)

// Listed here so that one build in the root makes them too.
let domains = ["ErrorHandling", "Navigation", "Auth", "Profile", "Settings", "Notes", "Library"]
let orchestrators = ["SessionOrchestration", "DataOrchestration", "StartupOrchestration"]
// What DataOrchestration looks after beside Notes. Their tests are targets of this package too, so that they share its build: tests(of:).
let dataDomains = ["Files", "Sync"]
let plugins: [Target.Dependency] =
    (domains + dataDomains).map { .product(name: "\($0)ReluxImpl", package: $0) } + orchestrators.map { .product(name: $0, package: $0) }

// What deploy/commerce.yaml runs besides; the same for their tests.
let shopDomains = ["Cart", "Checkout", "Payment"]
let shopOrchestrators = ["CommerceOrchestration"]
let shop: [Target.Dependency] =
    shopDomains.map { .product(name: "\($0)ReluxImpl", package: $0) } + shopOrchestrators.map { .product(name: $0, package: $0) }

// Processes of their own that people start; see Plugins/NotesUI/README.md.
let interfaces: [Target.Dependency] = [.product(name: "notes-ui", package: "NotesUI"), .product(name: "app-ui", package: "AppUI")]

/// The tests of a domain's package, as a target of this one.
func tests(of domain: String, with others: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(domain)Tests",
        dependencies: ["Models", "ReluxInt", "ServiceInt", "ServiceImpl", "ReluxImpl", "TestSupport"].map {
            .product(name: "\(domain)\($0)", package: domain)
        } + ["ReluxTestTraits", "ReluxTestKit", reluxImage] + others,
        path: "Plugins/\(domain)/Tests/\(domain)Tests", swiftSettings: strict)
}

// Under RELUX_FUZZ=1 the fuzzer links ReluxWire itself, for one copy of the fuzzer's runtime; see Tests/Fuzz/run.
let isFuzzing = Context.environment["RELUX_FUZZ"] == "1"

// Under RELUX_BENCH=1 there is a target more; see Tests/Benchmarks/run.
let isBenchmarking = Context.environment["RELUX_BENCH"] == "1"

let package = Package(
    name: "relux-cluster",
    products: [
        .library(name: "Relux", type: .dynamic, targets: ["Relux", "ReluxFeature", "ReluxOrchestration", "ReluxIoC", "ReluxWire", "ReluxPlugin"]),
        .library(name: "ReluxTestKit", type: .static, targets: ["ReluxTestKit"]),
        .library(name: "ReluxTestTraits", type: .static, targets: ["ReluxTestTraits"]),
        .library(name: "ReluxFeatureTestKit", type: .static, targets: ["ReluxFeatureTestKit"]),
        .library(name: "CSodium", targets: ["CSodium"]),
        .library(name: "ReluxHost", targets: ["ReluxHost"]),
        .library(name: "ReluxTerminal", type: .static, targets: ["ReluxTerminal"]),
        .executable(name: "relux-host", targets: ["relux-host"]),
        .executable(name: "relux", targets: ["relux"]),
        .executable(name: "relux-broker", targets: ["relux-broker"]),
    ],
    dependencies: [
        .package(name: selfReference, path: "."),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ] + (domains + dataDomains + orchestrators + shopDomains + shopOrchestrators + ["NotesUI", "AppUI"]).map { .package(path: "Plugins/\($0)") },
    targets: [
        // System libraries.
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
        // For the end-to-end tests: their handlers write to SQLite by themselves.
        .systemLibrary(name: "CSQLite", path: "Tests/CSQLite", providers: [.apt(["libsqlite3-dev"])]),

        // The one image.
        .target(name: "CReluxChecksum"),
        .target(name: "ReluxWire", dependencies: ["CReluxChecksum"], swiftSettings: strict),
        .target(
            name: "Relux",
            dependencies: ["ReluxWire", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict
        ),
        .target(name: "ReluxIoC", swiftSettings: strict),
        .target(name: "ReluxFeature", dependencies: ["Relux"], swiftSettings: strict),
        .target(name: "ReluxOrchestration", dependencies: ["Relux", "ReluxPlugin", "ReluxWire"], swiftSettings: strict),
        .target(name: "ReluxPlugin", dependencies: ["Relux", "ReluxWire"], swiftSettings: strict),

        // Static libraries.
        // What programs say to people; a link in relux-dev's package has it too.
        .target(name: "ReluxOutput", dependencies: ["CReluxStandard"], swiftSettings: strict),
        .target(name: "CReluxStandard"),
        // The same goes for this one: layers, and the codes of all that is refused.
        .target(name: "ReluxLayers", swiftSettings: strict),
        .target(name: "ReluxZeroMQ", dependencies: ["CReluxProcess", "CZeroMQ"], swiftSettings: strict),
        .target(name: "ReluxJournal", dependencies: ["CReluxProcess", reluxImage], swiftSettings: strict),
        .target(name: "ReluxBus", dependencies: ["CSodium", "ReluxJournal", "ReluxLayers", "ReluxOutput", "ReluxZeroMQ", reluxImage], swiftSettings: strict),

        .target(name: "ReluxContract", dependencies: [reluxImage], swiftSettings: strict),
        .target(
            name: "ReluxBroker", dependencies: ["CReluxProcess", "ReluxBus", "ReluxContract", "ReluxJournal", "ReluxLayers", "ReluxZeroMQ", reluxImage],
            swiftSettings: strict),
        .target(
            name: "ReluxHost", dependencies: ["CReluxProcess", "CSodium", "ReluxBus", "ReluxJournal", "ReluxLayers", "ReluxOutput", "ReluxZeroMQ", reluxImage],
            swiftSettings: strict),
        .target(name: "ReluxPack", dependencies: ["ReluxHost", "ReluxLayers", reluxImage], swiftSettings: strict),
        .target(name: "CReluxProcess"),
        // For executables only: it decides whose malloc the process has.
        .target(name: "CReluxHeap", linkerSettings: [.linkedLibrary("jemalloc")]),
        .target(
            name: "ReluxSupervisor",
            dependencies: ["CReluxProcess", "ReluxBus", "ReluxOutput", "ReluxZeroMQ", reluxImage, .product(name: "Yams", package: "Yams")],
            swiftSettings: strict
        ),

        .target(name: "ReluxTap", dependencies: ["ReluxBus", "ReluxZeroMQ", reluxImage], swiftSettings: strict),
        .target(
            name: "ReluxCLI",
            dependencies: [
                "ReluxTap", "ReluxBroker", "ReluxBus", "ReluxContract", "ReluxJournal", "ReluxLayers", "ReluxOutput", "ReluxPack", "ReluxSupervisor", "ReluxZeroMQ", reluxImage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        // For executables only: a library of a plugin that linked it would copy its types.
        .target(name: "ReluxTerminal", swiftSettings: strict),
        .target(name: "ReluxTestKit", dependencies: [reluxImage], swiftSettings: strict),
        // Apart, because it fails tests: it needs the Testing library.
        .target(name: "ReluxTestTraits", dependencies: ["ReluxTestKit", reluxImage], swiftSettings: strict),
        .target(name: "ReluxFeatureTestKit", dependencies: ["ReluxTestKit", reluxImage], swiftSettings: strict),

        // Mains: read configuration, build, run.
        .executableTarget(name: "relux-broker", dependencies: ["ReluxBroker", reluxImage], swiftSettings: strict),
        .executableTarget(
            name: "relux-supervisor", dependencies: ["ReluxSupervisor", "ReluxBus", "ReluxOutput", "ReluxZeroMQ", reluxImage],
            swiftSettings: strict
        ),
        .executableTarget(name: "relux-host", dependencies: ["CReluxHeap", "ReluxHost", reluxImage], swiftSettings: strict),
        .executableTarget(name: "relux", dependencies: ["ReluxCLI"], swiftSettings: strict),

        // All that a cluster runs, in one build: `swift build --target ReluxCluster`. Nothing links it.
        .target(
            name: "ReluxCluster", dependencies: ["relux", "relux-broker", "relux-host", "relux-supervisor"] + plugins + interfaces,
            swiftSettings: strict
        ),
        // The same for the shop of deploy/commerce.yaml.
        .target(name: "ReluxCommerce", dependencies: ["ReluxCluster"] + shop, swiftSettings: strict),

        // Tests.
        // Plugins' tests.
        .testTarget(
            name: "CommerceOrchestrationTests",
            dependencies: ["ReluxTestTraits", "ReluxTestKit", reluxImage, .product(name: "CommerceOrchestration", package: "CommerceOrchestration")]
                + ["Auth", "Cart", "Checkout", "Payment"].map { .product(name: "\($0)ReluxInt", package: $0) },
            path: "Plugins/CommerceOrchestration/Tests/CommerceOrchestrationTests", swiftSettings: strict),
        .testTarget(
            name: "NotesUITests",
            dependencies: [
                .product(name: "NotesUI", package: "NotesUI"), .product(name: "NotesUIAPI", package: "NotesUI"),
                .product(name: "NotesReluxInt", package: "Notes"), "ReluxTestKit", reluxImage,
            ],
            path: "Plugins/NotesUI/Tests/NotesUITests", swiftSettings: strict),
        .testTarget(name: "ReluxTerminalTests", dependencies: ["ReluxTerminal", "ReluxTestKit", reluxImage], swiftSettings: strict),
        tests(of: "Cart"),
        tests(of: "Payment"),
        tests(of: "Files", with: [.product(name: "ErrorHandlingReluxInt", package: "ErrorHandling")]),
        tests(of: "Sync"),
        tests(
            of: "Checkout",
            with: [.product(name: "NavigationModels", package: "Navigation"), .product(name: "NavigationReluxInt", package: "Navigation")]),
        .testTarget(
            name: "ReluxWireTests", dependencies: ["ReluxBus", reluxImage, "WireFuzzBodies"], exclude: ["Goldens"], swiftSettings: strict),
        .target(
            name: "WireFuzzBodies", dependencies: [isFuzzing ? "ReluxWire" : reluxImage], path: "Tests/Fuzz/Bodies",
            swiftSettings: strict),
        .testTarget(name: "ReluxTests", dependencies: ["ReluxTestTraits", "ReluxTestKit", reluxImage], swiftSettings: strict),
        // Plain Swift 6 without the upcoming features, as the seeds' text is.
        .testTarget(name: "SeedTests", dependencies: ["ReluxFeatureTestKit", "ReluxTestKit", reluxImage]),
        .testTarget(
            name: "ReluxFeatureTests", dependencies: ["ReluxFeatureTestKit", "ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(name: "ReluxOrchestrationTests", dependencies: ["ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(name: "ReluxIoCTests", dependencies: [reluxImage], swiftSettings: strict),
        .testTarget(name: "ReluxPluginTests", dependencies: [reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxHostTests",
            dependencies: ["BusProbeKit", "SoakKit", "ReluxHost", "ReluxBus", "ReluxJournal", "ReluxLayers", "ReluxZeroMQ", "ReluxTestKit", reluxImage],
            swiftSettings: strict
        ),
        .testTarget(name: "ReluxOutputTests", dependencies: ["ReluxOutput"], swiftSettings: strict),
        .testTarget(name: "ReluxContractTests", dependencies: ["ReluxContract", reluxImage], swiftSettings: strict),
        .testTarget(name: "ReluxPackTests", dependencies: ["ReluxPack", "ReluxHost", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxJournalTests", dependencies: ["ReluxJournal", "JournalFaults", "relux-journal-probe", reluxImage],
            swiftSettings: strict),
        // What something costs at the end against what it cost at the start, for the tests called …SoakTests.
        .target(name: "SoakKit", dependencies: ["CHeap"], path: "Tests/Soak/Kit", swiftSettings: strict),
        .target(name: "CHeap", path: "Tests/Soak/CHeap"),
        // Another process for the journal's tests, no product.
        .executableTarget(
            name: "relux-journal-probe", dependencies: ["ReluxJournal", reluxImage], path: "Tests/JournalProbe", swiftSettings: strict),
        // A disk that fails when it is told to, for the tests of journals and of all that keeps them.
        .target(name: "JournalFaults", dependencies: ["ReluxJournal", reluxImage], path: "Tests/JournalFaults", swiftSettings: strict),
        .testTarget(
            name: "ReluxBusTests",
            dependencies: [
                "BusProbeKit", "JournalFaults", "SimulationKit", "SoakKit", "ReluxBus", "ReluxJournal", "ReluxZeroMQ", "ReluxTestKit", "relux-bus-probe",
                reluxImage,
            ],
            swiftSettings: strict
        ),
        // A cluster on a virtual clock, by seed; no product. See Tests/Simulation/run.
        .target(
            name: "SimulationKit", dependencies: ["JournalFaults", "ReluxBroker", "ReluxBus", "ReluxHost", "ReluxJournal", "ReluxSupervisor", reluxImage],
            path: "Tests/Simulation/Kit", swiftSettings: strict),
        .executableTarget(
            name: "relux-sim", dependencies: ["SimulationKit", "ReluxBus"], path: "Tests/Simulation/Main", swiftSettings: strict),
        // Hosts that do what a test tells them, in its process or in one of their own; no product.
        .target(
            name: "BusProbeKit", dependencies: ["ReluxBus", "ReluxHost", "ReluxZeroMQ", "ReluxTestKit", reluxImage],
            path: "Tests/BusProbe/Kit", swiftSettings: strict
        ),
        .executableTarget(
            name: "relux-bus-probe", dependencies: ["BusProbeKit", "ReluxBus", "ReluxZeroMQ", reluxImage],
            path: "Tests/BusProbe/Main", swiftSettings: strict
        ),
        // All plugins in one node.
        .testTarget(
            name: "PluginTests",
            dependencies: [
                "ReluxBus", "ReluxHost", "ReluxPack", "ReluxTestKit", reluxImage, .product(name: "LibraryServiceImpl", package: "Library"),
            ] + plugins + shop + (domains + dataDomains + shopDomains).map { .product(name: "\($0)ReluxInt", package: $0) }
                + ["Checkout", "Payment"].flatMap { domain in
                    ["ServiceInt", "ServiceImpl", "TestSupport"].map { .product(name: "\(domain)\($0)", package: domain) }
                },
            swiftSettings: strict
        ),
        .testTarget(name: "ReluxZeroMQTests", dependencies: ["ReluxZeroMQ"], swiftSettings: strict),
        .testTarget(name: "ReluxTapTests", dependencies: ["SoakKit", "ReluxTap", "ReluxZeroMQ", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxCLITests",
            dependencies: [
                "ReluxCLI", "ReluxTap", "ReluxBroker", "ReluxBus", "ReluxJournal", "ReluxLayers", "ReluxSupervisor", "ReluxZeroMQ", "PageKit", "SoakKit", "relux",
                "relux-supervisor", reluxImage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Goldens"], swiftSettings: strict
        ),
        .testTarget(
            name: "ReluxBrokerTests",
            dependencies: ["JournalFaults", "SoakKit", "ReluxBroker", "ReluxBus", "ReluxJournal", "ReluxZeroMQ", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxSupervisorTests",
            dependencies: [
                "SoakKit", "ReluxSupervisor", "ReluxBus", "ReluxZeroMQ", "CReluxProcess", "lifeline-probe", "relux-supervisor", reluxImage,
            ],
            exclude: ["Fixtures", "Goldens"], swiftSettings: strict
        ),
        // Pages whose commands are executed. The authors' tools have it too, by a link.
        .target(name: "PageKit", path: "Tests/PageKit", swiftSettings: strict),
        // Real processes out of the same build.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ReluxCLI", "ReluxTap", "ReluxPack", "ReluxHost", "ReluxBus", "ReluxJournal", "ReluxLayers", "ReluxZeroMQ", "ReluxTestKit", "PageKit", reluxImage,
                "CReluxProcess", "CSQLite", "relux", "relux-broker", "relux-host", "relux-host-unrepaired", "relux-supervisor",
                .product(name: "notes", package: "Notes"), .product(name: "LibraryServiceImpl", package: "Library"),
                .product(name: "PaymentTestSupport", package: "Payment"),
            ] + plugins + shop + interfaces + (domains + dataDomains + shopDomains).map { .product(name: "\($0)ReluxInt", package: $0) },
            exclude: ["Fixtures"], swiftSettings: strict
        ),
        // A host that asks for nothing that it has missed: the control of the chaos stories, no product.
        .executableTarget(
            name: "relux-host-unrepaired", dependencies: ["CReluxHeap", "ReluxHost", reluxImage], path: "Tests/UnrepairedHost", swiftSettings: strict),
        // A child for the supervisor's tests, no product.
        .executableTarget(
            name: "lifeline-probe", dependencies: ["ReluxHost", "ReluxSupervisor"], path: "Tests/LifelineProbe",
            swiftSettings: strict
        ),
    ]
)

if isFuzzing {
    package.targets.append(
        .executableTarget(
            name: "relux-wire-fuzz", dependencies: ["WireFuzzBodies"], path: "Tests/Fuzz/Driver", swiftSettings: strict))
}

if isBenchmarking {
    package.targets.append(
        .executableTarget(
            name: "relux-bench", dependencies: ["CReluxHeap", "ReluxBus", "ReluxHost", "ReluxJournal", "ReluxZeroMQ", reluxImage], path: "Tests/Benchmarks/Bench",
            swiftSettings: strict))
}

// RELUX_ONLY="ReluxTests ReluxBusTests" builds these test targets and what they need, without plugins: for a short turn while working.
if let only = Context.environment["RELUX_ONLY"] {
    let wanted = Set(only.split(separator: " ").map(String.init))
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) || $0.name == "ReluxCluster" || $0.name == "ReluxCommerce" }
}
