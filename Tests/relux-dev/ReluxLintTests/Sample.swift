import ReluxLayers
@testable import ReluxLint

/// Packages made up in memory, for the rules' examples.
///
/// A path such as `Auth/Sources/AuthServiceImpl/Service.swift` says package, target and file; what has no file but depends on
/// something is a target too. The core is there.
struct Sample {
    var files: [String: String] = [:]
    /// By target.
    var links: [String: [PackageModel.Dependency]] = [:]
    /// Kinds of products that are not as they should be, and by target the names of libraries that are not one of its own name.
    var kinds: [String: PackageModel.Product.Kind] = [:]
    var products: [String: [String]] = [:]
    /// By package, those beside it that it depends on; each depends on the core.
    var neighbours: [String: [String]] = [:]

    init(_ files: [String: String] = [:], links: [String: [PackageModel.Dependency]] = [:], neighbours: [String: [String]] = [:]) {
        self.files = files
        self.links = links
        self.neighbours = neighbours
    }

    /// One file of one target.
    init(_ target: String, _ text: String) { self.init([Self.path(target): text]) }

    /// The package of a target, as the seeds lay them out.
    private static func package(_ target: String) -> String {
        Layer.split(target)?.module ?? ModuleRole.orchestrator(named: target) ?? target
    }

    private static func path(_ target: String) -> String { "\(package(target))/Sources/\(target)/File.swift" }

    func lint() -> LintReport {
        var targets: [String: Set<String>] = [:]
        for path in files.keys {
            let parts = path.split(separator: "/").map(String.init)
            targets[parts[0], default: []].insert(parts[2])
        }
        for target in links.keys where !targets.values.contains(where: { $0.contains(target) }) {
            targets[Self.package(target), default: []].insert(target)
        }
        let core = PackageModel(
            name: "relux-cluster", folder: "/core",
            targets: ["Relux", "ReluxIoC", "ReluxTestKit", "CSodium"].map { .init(name: $0, kind: .regular, dependencies: []) },
            products: [
                .init(name: "Relux", kind: .dynamic, targets: ["Relux", "ReluxIoC"]),
                .init(name: "ReluxTestKit", kind: .static, targets: ["ReluxTestKit"]),
            ])
        var packages = [core]
        var sources: [LintSource] = []
        for (name, targets) in targets.sorted(by: { $0.key < $1.key }) {
            var package = PackageModel(name: name, folder: "/\(name)")
            package.neighbours = ["\(name)-Self": "/\(name)", "relux-cluster": "/core"]
            for other in neighbours[name] ?? [] { package.neighbours[other] = "/\(other)" }
            package.remotes = ["grdb.swift"]
            for target in targets.sorted() {
                package.targets.append(
                    .init(name: target, kind: Self.kind(target), dependencies: links[target] ?? []))
                guard Self.kind(target) == .regular else { continue }
                let isSupport = target.hasSuffix(Layer.testSupport.rawValue)
                for product in products[target] ?? [target] {
                    package.products.append(.init(name: product, kind: kinds[target] ?? (isSupport ? .static : .dynamic), targets: [target]))
                }
            }
            sources.append(LintSource(package: package.folder, target: nil, path: "\(name)/Package.swift", text: manifest(package)))
            packages.append(package)
        }
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            let parts = path.split(separator: "/").map(String.init)
            sources.append(LintSource(package: "/\(parts[0])", target: parts[2], path: path, text: text))
        }
        return Linter(root: "/").check(packages, context: [0], sources)
    }

    private static func kind(_ target: String) -> PackageModel.Target.Kind {
        target.hasSuffix("Tests") ? .test : target.hasSuffix("Main") ? .executable : .regular
    }

    private func manifest(_ package: PackageModel) -> String {
        let targets = package.targets.map { target in
            let links = target.dependencies.map { dependency in
                switch dependency {
                case .target(let name): "            \"\(name)\","
                case .product(let name, let package): "            .product(name: \"\(name)\", package: \"\(package)\"),"
                }
            }
            return (["        .target(name: \"\(target.name)\", dependencies: ["] + links + ["        ]),"]).joined(separator: "\n")
        }
        let products = package.products.map { "        .library(name: \"\($0.name)\", targets: [\"\($0.name)\"])," }
        let packages = (neighbours[package.name] ?? []).map { "        .package(path: \"../\($0)\")," }
        return
            (["import PackageDescription", "let package = Package(", "    products: ["] + products + packages + ["    ],", "    targets: ["] + targets
            + ["    ])"])
            .joined(separator: "\n")
    }
}
