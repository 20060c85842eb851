import ReluxLayers

/// All modules that are known, with their roles and what they import.
struct ModuleGraph {
    struct Module {
        let name: String
        let package: Int
        let target: PackageModel.Target
        let role: ModuleRole
        var files: [SourceFile] = []
        /// Only to know what imports lead to; not itself looked at.
        let isContext: Bool
    }

    let packages: [PackageModel]
    private(set) var modules: [String: Module] = [:]
    /// Names of modules that declare themselves infrastructure.
    private(set) var infrastructure: Set<String> = []
    /// Swift modules behind each product, by the product's name.
    private let products: [String: [String]]

    /// - Parameter context: packages that are not themselves looked at, by their index.
    init(_ packages: [PackageModel], context: Set<Int> = []) {
        self.packages = packages
        products = Dictionary(
            packages.flatMap { $0.products.map { ($0.name, $0.targets) } }, uniquingKeysWith: { first, _ in first })
        let domains = Set(
            packages.flatMap(\.targets).compactMap { target in
                Layer.split(target.name).flatMap { $0.layer.isCommonWord ? nil : $0.module }
            })
        for (index, package) in packages.enumerated() {
            for target in package.targets where target.kind != .other {
                let module = Module(
                    name: target.name, package: index, target: target,
                    role: Self.role(of: target, in: package, domains, usesRelux: Self.usesRelux(package, packages)),
                    isContext: context.contains(index))
                // A module of a package that is looked at wins over one with the same name elsewhere.
                if modules[target.name]?.isContext != false { modules[target.name] = module }
            }
        }
        for package in packages where package.statedKind == .infrastructure { if let owner = Self.owner(of: package) { infrastructure.insert(owner) } }
    }

    mutating func add(_ file: SourceFile, to module: String) {
        guard let role = modules[module]?.role else { return }
        modules[module]?.files.append(file)
        guard let owner = role.owner else { return }
        if declaredModules(in: file).contains(where: { $0.kind == .infrastructure }) { infrastructure.insert(owner) }
    }

    var inOrder: [Module] { modules.values.sorted { $0.name < $1.name } }

    /// The modules that a dependency leads to; empty for a package from elsewhere.
    func modules(of dependency: PackageModel.Dependency, in package: PackageModel) -> [String] {
        if case .target(let name) = dependency, modules[name] != nil { return [name] }
        return products[dependency.name] ?? []
    }

    /// The Swift modules that a module imports, and those that its manifest names.
    func links(of module: Module) -> [String] {
        module.files.flatMap { $0.imports.map(\.module) }
            + module.target.dependencies.flatMap { modules(of: $0, in: packages[module.package]) }
    }

    private static func role(
        of target: PackageModel.Target, in package: PackageModel, _ domains: Set<String>, usesRelux: Bool
    ) -> ModuleRole {
        let owner = owner(of: package)
        if package.isCore { return target.kind == .test ? .tests(of: nil) : .core }
        switch target.kind {
        case .test: return .tests(of: owner)
        case .executable:
            if let owner { return .program(of: owner) }
            return usesRelux && package.targets.contains { isView($0) } ? .view : .other
        case .regular, .other: break
        }
        if let (domain, layer) = Layer.split(target.name),
            // `GUI` is nobody's.
            !layer.isCommonWord || domains.contains(domain)
        {
            return .layer(layer, of: domain)
        }
        if let name = ModuleRole.orchestrator(named: target.name) { return .orchestrator(name) }
        if owner == nil, usesRelux, isView(target) { return .view }
        return owner.map { .part(of: $0) } ?? .other
    }

    private static func isView(_ target: PackageModel.Target) -> Bool {
        target.kind == .regular && Layer.split(target.name)?.layer.isView == true
    }

    private static func usesRelux(_ package: PackageModel, _ packages: [PackageModel]) -> Bool {
        let cores = Set(packages.filter(\.isCore).map(\.folder))
        return package.neighbours.values.contains { cores.contains($0) }
    }

    /// The package's owner: the domain whose layers it has, or the orchestrator that it is named after.
    private static func owner(of package: PackageModel) -> String? {
        let targets = package.targets.filter { $0.kind == .regular }
        for target in targets {
            if let layered = Layer.split(target.name), !layered.layer.isCommonWord { return layered.module }
        }
        return targets.lazy.compactMap { ModuleRole.orchestrator(named: $0.name) }.first
    }
}

extension ModuleRole {
    var owner: String? {
        switch self {
        case .layer(_, let owner), .orchestrator(let owner), .part(let owner), .program(let owner): owner
        case .tests(let owner): owner
        case .view, .core, .other: nil
        }
    }
}
