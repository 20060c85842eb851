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

/// A package below Plugins.
struct Plugin {
    enum Kind {
        case domain, orchestrator
        /// A process of its own that people start.
        case interface(program: String)
    }
    var name: String
    var kind = Kind.domain
    /// Runs in deploy/commerce.yaml, and not in deploy/cluster.yaml.
    var isOfShop = false
    var hasTests = true
    /// Domains whose interfaces and models its tests use.
    var uses: [String] = []
    /// Further products that its tests use.
    var more: [Target.Dependency] = []

    /// The product that a cluster runs.
    var runs: Target.Dependency {
        switch kind {
        case .domain: .product(name: "\(name)ReluxImpl", package: name)
        case .orchestrator: .product(name: name, package: name)
        case .interface(let program): .product(name: program, package: name)
        }
    }

    /// Its own tests, as a target of this package too: they share its build.
    var tests: Target {
        let own =
            switch kind {
            case .domain: ["Models", "ReluxInt", "ServiceInt", "ServiceImpl", "ReluxImpl", "TestSupport"].map { name + $0 }
            case .orchestrator: [name]
            case .interface: [name, "\(name)API"]
            }
        return .testTarget(
            name: "\(name)Tests",
            dependencies: own.map { .product(name: $0, package: name) }
                + uses.flatMap { [.product(name: "\($0)Models", package: $0), .product(name: "\($0)ReluxInt", package: $0)] }
                + more + ["ReluxTestTraits", "ReluxTestKit", reluxImage],
            path: "Plugins/\(name)/Tests/\(name)Tests", swiftSettings: strict)
    }
}

// The one list of them: dependencies, what a cluster builds and their tests follow from it.
let plugins = [
    Plugin(name: "ErrorHandling"),
    Plugin(name: "Navigation"),
    Plugin(name: "Auth", uses: ["ErrorHandling", "Navigation"], more: [.product(name: "GRDB-dynamic", package: "GRDB.swift")]),
    Plugin(name: "Profile", uses: ["Navigation"]),
    Plugin(name: "Settings", uses: ["Navigation"]),
    Plugin(name: "Notes", uses: ["Navigation"]),
    Plugin(name: "Library", uses: ["Navigation"], more: ["ReluxFeatureTestKit"]),
    Plugin(name: "Files", uses: ["ErrorHandling"]),
    Plugin(name: "Sync", more: [.product(name: "ReluxFiles", package: selfReference)]),
    Plugin(name: "SessionOrchestration", kind: .orchestrator, uses: ["Auth", "Library", "Profile", "Settings"]),
    Plugin(name: "DataOrchestration", kind: .orchestrator, uses: ["Auth", "Files", "Notes", "Sync"]),
    Plugin(name: "StartupOrchestration", kind: .orchestrator, uses: ["ErrorHandling", "Navigation"]),
    Plugin(name: "NotesUI", kind: .interface(program: "notes-ui"), uses: ["Notes"]),
    Plugin(name: "AppUI", kind: .interface(program: "app-ui"), hasTests: false),
    Plugin(name: "Cart", isOfShop: true),
    Plugin(name: "Checkout", isOfShop: true, uses: ["Navigation"]),
    Plugin(name: "Payment", isOfShop: true),
    Plugin(name: "CommerceOrchestration", kind: .orchestrator, isOfShop: true, uses: ["Auth", "Cart", "Checkout", "Payment"]),
]

let interfacesOfDomains: [Target.Dependency] = plugins.compactMap {
    if case .domain = $0.kind { .product(name: "\($0.name)ReluxInt", package: $0.name) } else { nil }
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
        .library(name: "ReluxFiles", type: .dynamic, targets: ["ReluxFiles"]),
        .library(name: "ReluxStorage", type: .dynamic, targets: ["ReluxStorage"]),
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
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ] + plugins.map { .package(path: "Plugins/\($0.name)") },
    targets: [
        // System libraries.
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
        // For the end-to-end tests: their handlers write to SQLite by themselves.
        .systemLibrary(name: "CSQLite", path: "Tests/Support/CSQLite", providers: [.apt(["libsqlite3-dev"])]),

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
        .target(name: "ReluxSystem", dependencies: ["CReluxProcess"], swiftSettings: strict),
        .target(name: "ReluxZeroMQ", dependencies: ["CReluxProcess", "CZeroMQ", "ReluxSystem"], swiftSettings: strict),
        .target(name: "ReluxJournal", dependencies: ["CReluxProcess", reluxImage], swiftSettings: strict),
        .target(
            name: "ReluxControl", dependencies: ["CSodium", "ReluxJournal", "ReluxLayers", "ReluxOutput", "ReluxSystem", reluxImage],
            swiftSettings: strict),
        .target(name: "ReluxLedger", dependencies: ["ReluxControl", "ReluxJournal", "ReluxSystem", reluxImage], swiftSettings: strict),
        .target(
            name: "ReluxBus", dependencies: ["ReluxControl", "ReluxJournal", "ReluxLedger", "ReluxSystem", "ReluxZeroMQ", reluxImage],
            swiftSettings: strict),

        .target(name: "ReluxContract", dependencies: [reluxImage], swiftSettings: strict),
        .target(
            name: "ReluxRegistry", dependencies: ["ReluxContract", "ReluxControl", "ReluxJournal", "ReluxLayers", "ReluxOutput", "ReluxSystem", reluxImage],
            swiftSettings: strict),
        .target(
            name: "ReluxBroker", dependencies: [
                "ReluxBus", "ReluxControl", "ReluxJournal", "ReluxLedger", "ReluxOutput", "ReluxRegistry", "ReluxSystem", "ReluxZeroMQ", reluxImage,
            ],
            swiftSettings: strict),
        .target(name: "ReluxLoader", dependencies: ["CSodium", "ReluxControl", "ReluxLayers", reluxImage], swiftSettings: strict),
        .target(
            name: "ReluxHost", dependencies: [
                "CReluxProcess", "ReluxBus", "ReluxControl", "ReluxJournal", "ReluxLayers", "ReluxLedger", "ReluxLoader", "ReluxOutput",
                "ReluxSystem", "ReluxZeroMQ", reluxImage,
            ],
            swiftSettings: strict),
        .target(name: "ReluxPack", dependencies: ["CReluxProcess", "ReluxLayers", "ReluxLoader", reluxImage], swiftSettings: strict),
        .target(name: "CReluxProcess"),
        // For executables only: it decides whose malloc the process has.
        .target(name: "CReluxHeap", linkerSettings: [.linkedLibrary("jemalloc")]),
        .target(
            name: "ReluxSupervisor",
            dependencies: ["CReluxProcess", "ReluxControl", "ReluxOutput", "ReluxSystem", "ReluxZeroMQ", reluxImage, .product(name: "Yams", package: "Yams")],
            swiftSettings: strict
        ),

        .target(name: "ReluxTap", dependencies: ["ReluxControl", "ReluxZeroMQ", reluxImage], swiftSettings: strict),
        .target(
            name: "ReluxCLI",
            dependencies: [
                "ReluxContract", "ReluxControl", "ReluxJournal", "ReluxLayers", "ReluxLedger", "ReluxLoader", "ReluxOutput", "ReluxPack",
                "ReluxRegistry", "ReluxSupervisor", "ReluxSystem", "ReluxTap", "ReluxZeroMQ", reluxImage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict
        ),
        // Images of their own, which plugins with files share, and plugins with a database as they share GRDB.
        .target(name: "ReluxFiles", swiftSettings: strict),
        .target(name: "ReluxStorage", dependencies: [.product(name: "GRDB-dynamic", package: "GRDB.swift")], swiftSettings: strict),
        // For executables only: a library of a plugin that linked it would copy its types.
        .target(name: "ReluxTerminal", swiftSettings: strict),
        .target(name: "ReluxTestKit", dependencies: [reluxImage], swiftSettings: strict),
        // Apart, because it fails tests: it needs the Testing library.
        .target(name: "ReluxTestTraits", dependencies: ["ReluxTestKit", reluxImage], swiftSettings: strict),
        .target(name: "ReluxFeatureTestKit", dependencies: ["ReluxTestKit", reluxImage], swiftSettings: strict),

        // Mains: read configuration, build, run.
        .executableTarget(name: "relux-broker", dependencies: ["ReluxBroker", reluxImage], swiftSettings: strict),
        .executableTarget(
            name: "relux-supervisor", dependencies: ["ReluxSupervisor", "ReluxControl", "ReluxOutput", "ReluxSystem", "ReluxZeroMQ", reluxImage],
            swiftSettings: strict
        ),
        .executableTarget(name: "relux-host", dependencies: ["CReluxHeap", "ReluxHost", reluxImage], swiftSettings: strict),
        .executableTarget(name: "relux", dependencies: ["ReluxCLI"], swiftSettings: strict),

        // All that a cluster runs, in one build: `swift build --target ReluxCluster`. Nothing links it.
        .target(
            name: "ReluxCluster", dependencies: ["relux", "relux-broker", "relux-host", "relux-supervisor"] + plugins.filter { !$0.isOfShop }.map(\.runs),
            swiftSettings: strict
        ),
        // The same for the shop of deploy/commerce.yaml.
        .target(name: "ReluxCommerce", dependencies: ["ReluxCluster"] + plugins.filter(\.isOfShop).map(\.runs), swiftSettings: strict),

        // All that an SDK has, for one build: `relux sdk export` takes it from there. Nothing links it.
        .target(
            name: "ReluxSDK",
            dependencies: ["ReluxCluster", "ReluxHost", "ReluxTestKit", "ReluxTestTraits", "ReluxFeatureTestKit", "ReluxTerminal"]
                + ["ReluxFiles", "ReluxStorage"].map { .product(name: $0, package: selfReference) } + interfacesOfDomains,
            swiftSettings: strict),

        // Tests.
        .testTarget(
            name: "ReluxFilesTests", dependencies: [.product(name: "ReluxFiles", package: selfReference), "ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxStorageTests",
            dependencies: [
                .product(name: "ReluxStorage", package: selfReference), .product(name: "GRDB-dynamic", package: "GRDB.swift"), "ReluxTestKit", reluxImage,
            ], swiftSettings: strict),
        .testTarget(name: "ReluxTerminalTests", dependencies: ["ReluxTerminal", "ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxWireTests", dependencies: ["ReluxControl", "ReluxLedger", "ReluxTestKit", reluxImage, "WireFuzzBodies"],
            exclude: ["Goldens"], swiftSettings: strict),
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
            dependencies: [
                "BusProbeKit", "SoakKit", "CReluxProcess", "ReluxHost", "ReluxBus", "ReluxControl", "ReluxJournal", "ReluxLedger", "ReluxSystem",
                "ReluxZeroMQ", "ReluxTestKit", reluxImage,
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "ReluxLoaderTests", dependencies: ["ReluxLayers", "ReluxLoader", "ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(name: "ReluxOutputTests", dependencies: ["ReluxOutput"], swiftSettings: strict),
        .testTarget(name: "ReluxContractTests", dependencies: ["ReluxContract", reluxImage], swiftSettings: strict),
        .testTarget(name: "ReluxPackTests", dependencies: ["ReluxLoader", "ReluxPack", "ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxJournalTests", dependencies: ["ReluxJournal", "JournalFaults", "relux-journal-probe", "ReluxTestKit", reluxImage],
            swiftSettings: strict),
        // What something costs at the end against what it cost at the start, for the tests called …SoakTests.
        .target(name: "SoakKit", dependencies: ["CHeap"], path: "Tests/Support/Soak/Kit", swiftSettings: strict),
        .target(name: "CHeap", path: "Tests/Support/Soak/CHeap"),
        // Another process for the journal's tests, no product.
        .executableTarget(
            name: "relux-journal-probe", dependencies: ["ReluxJournal", reluxImage], path: "Tests/Support/JournalProbe", swiftSettings: strict),
        // A disk that fails when it is told to, for the tests of journals and of all that keeps them.
        .target(name: "JournalFaults", dependencies: ["ReluxJournal", reluxImage], path: "Tests/Support/JournalFaults", swiftSettings: strict),
        .testTarget(
            name: "ReluxControlTests", dependencies: ["ReluxControl", "ReluxSystem", "ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxLedgerTests", dependencies: ["SimulationKit", "ReluxBus", "ReluxJournal", "ReluxLedger", "ReluxTestKit", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxBusTests",
            dependencies: [
                "BusProbeKit", "JournalFaults", "SimulationKit", "SoakKit", "ReluxBus", "ReluxControl", "ReluxJournal", "ReluxLedger", "ReluxSystem",
                "ReluxZeroMQ", "ReluxTestKit", "relux-bus-probe", reluxImage,
            ],
            swiftSettings: strict
        ),
        // A cluster on a virtual clock, by seed; no product. See Tests/Simulation/run.
        .target(
            name: "SimulationKit", dependencies: [
                "JournalFaults", "ReluxBroker", "ReluxBus", "ReluxControl", "ReluxHost", "ReluxJournal", "ReluxLedger", "ReluxRegistry",
                "ReluxSupervisor", "ReluxTestKit", reluxImage,
            ],
            path: "Tests/Simulation/Kit", swiftSettings: strict),
        .executableTarget(
            name: "relux-sim", dependencies: ["SimulationKit"], path: "Tests/Simulation/Main", swiftSettings: strict),
        // Hosts that do what a test tells them, in its process or in one of their own; no product.
        .target(
            name: "BusProbeKit", dependencies: ["ReluxBus", "ReluxControl", "ReluxHost", "ReluxJournal", "ReluxLedger", "ReluxTestKit", reluxImage],
            path: "Tests/Support/BusProbe/Kit", swiftSettings: strict
        ),
        .executableTarget(
            name: "relux-bus-probe", dependencies: ["BusProbeKit", "ReluxBus", "ReluxControl", "ReluxSystem", "ReluxZeroMQ", reluxImage],
            path: "Tests/Support/BusProbe/Main", swiftSettings: strict
        ),
        // All plugins in one node.
        .testTarget(
            name: "PluginTests",
            dependencies: [
                "ReluxLoader", "ReluxPack", "ReluxTestKit", reluxImage, .product(name: "LibraryServiceImpl", package: "Library"),
            ] + plugins.compactMap { if case .interface = $0.kind { nil } else { $0.runs } }
                + interfacesOfDomains
                + ["Checkout", "Payment"].flatMap { domain in
                    ["ServiceInt", "ServiceImpl", "TestSupport"].map { .product(name: "\(domain)\($0)", package: domain) }
                },
            swiftSettings: strict
        ),
        .testTarget(name: "ReluxSystemTests", dependencies: ["ReluxSystem", "ReluxTestKit"], swiftSettings: strict),
        .testTarget(name: "ReluxZeroMQTests", dependencies: ["ReluxSystem", "ReluxTestKit", "ReluxZeroMQ"], swiftSettings: strict),
        .testTarget(name: "ReluxTapTests", dependencies: ["SoakKit", "ReluxControl", "ReluxTap", "ReluxZeroMQ", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxCLITests",
            dependencies: [
                "ReluxCLI", "ReluxLedger", "ReluxRegistry", "ReluxTap", "ReluxBroker", "ReluxControl", "ReluxJournal", "ReluxLayers",
                "ReluxSupervisor", "ReluxSystem", "ReluxTestKit", "ReluxZeroMQ", "PageKit", "SoakKit", "relux",
                "relux-supervisor", reluxImage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Goldens"], swiftSettings: strict
        ),
        .testTarget(
            name: "ReluxRegistryTests",
            dependencies: ["SoakKit", "ReluxTestKit", "ReluxControl", "ReluxJournal", "ReluxRegistry", reluxImage], swiftSettings: strict),
        .testTarget(
            name: "ReluxBrokerTests",
            dependencies: [
                "JournalFaults", "ReluxBroker", "ReluxControl", "ReluxJournal", "ReluxLedger", "ReluxRegistry", "ReluxTestKit", "ReluxZeroMQ", reluxImage,
            ], swiftSettings: strict),
        .testTarget(
            name: "ReluxSupervisorTests",
            dependencies: [
                "SoakKit", "ReluxSupervisor", "ReluxControl", "ReluxSystem", "ReluxTestKit", "ReluxZeroMQ", "CReluxProcess", "lifeline-probe",
                "relux-supervisor", reluxImage,
            ],
            exclude: ["Fixtures", "Goldens"], swiftSettings: strict
        ),
        // Pages whose commands are executed. The authors' tools have it too, by a link.
        .target(name: "PageKit", path: "Tests/Support/PageKit", swiftSettings: strict),
        // Real processes out of the same build.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ReluxCLI", "ReluxLedger", "ReluxLoader", "ReluxControl", "ReluxJournal", "ReluxLayers", "ReluxZeroMQ", "ReluxTestKit",
                "PageKit", reluxImage,
                "CReluxProcess", "CSQLite", "relux", "relux-broker", "relux-host", "relux-host-unrepaired", "relux-supervisor",
                .product(name: "notes", package: "Notes"), .product(name: "LibraryServiceImpl", package: "Library"),
                .product(name: "PaymentTestSupport", package: "Payment"),
            ] + plugins.map(\.runs) + interfacesOfDomains,
            exclude: ["Fixtures"], swiftSettings: strict
        ),
        // A host that asks for nothing that it has missed: the control of the chaos stories, no product.
        .executableTarget(
            name: "relux-host-unrepaired", dependencies: ["CReluxHeap", "ReluxHost", reluxImage], path: "Tests/Support/UnrepairedHost", swiftSettings: strict),
        // A child for the supervisor's tests, no product.
        .executableTarget(
            name: "lifeline-probe", dependencies: ["ReluxControl", "ReluxSupervisor"], path: "Tests/Support/LifelineProbe",
            swiftSettings: strict
        ),
    ] + plugins.filter(\.hasTests).map(\.tests)
)

if isFuzzing {
    package.targets.append(
        .executableTarget(
            name: "relux-wire-fuzz", dependencies: ["WireFuzzBodies"], path: "Tests/Fuzz/Driver", swiftSettings: strict))
}

if isBenchmarking {
    package.targets.append(
        .executableTarget(
            name: "relux-bench", dependencies: [
                "CReluxHeap", "ReluxBus", "ReluxControl", "ReluxHost", "ReluxJournal", "ReluxLedger", "ReluxSystem", "ReluxZeroMQ", reluxImage,
            ], path: "Tests/Benchmarks/Bench",
            swiftSettings: strict))
}

// RELUX_ONLY="ReluxTests ReluxBusTests" builds these test targets and what they need, without plugins: for a short turn while working.
if let only = Context.environment["RELUX_ONLY"] {
    let wanted = Set(only.split(separator: " ").map(String.init))
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) || ["ReluxCluster", "ReluxCommerce", "ReluxSDK"].contains($0.name) }
}
