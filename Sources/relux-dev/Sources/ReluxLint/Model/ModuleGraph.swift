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
        let names = Set(packages.flatMap { $0.targets.map(\.name) })
        for (index, package) in packages.enumerated() {
            for target in package.targets where target.kind != .other {
                let module = Module(
                    name: target.name, package: index, target: target, role: Self.role(of: target, in: package, names),
                    isContext: context.contains(index))
                // A module of a package that is looked at wins over one with the same name elsewhere.
                if modules[target.name]?.isContext != false { modules[target.name] = module }
            }
        }
    }

    mutating func add(_ file: SourceFile, to module: String) {
        guard let role = modules[module]?.role else { return }
        modules[module]?.files.append(file)
        guard let owner = role.owner else { return }
        if declaresInfrastructure(file) { infrastructure.insert(owner) }
    }

    var inOrder: [Module] { modules.values.sorted { $0.name < $1.name } }

    /// The modules that a dependency leads to; empty for a package from elsewhere.
    func modules(of dependency: PackageModel.Dependency, in package: PackageModel) -> [String] {
        if case .target(let name) = dependency, modules[name] != nil { return [name] }
        return products[dependency.name] ?? []
    }

    /// What it imports and what its manifest names, by Swift modules.
    func links(of module: Module) -> [String] {
        module.files.flatMap { $0.imports.map(\.module) }
            + module.target.dependencies.flatMap { modules(of: $0, in: packages[module.package]) }
    }

    private static func role(of target: PackageModel.Target, in package: PackageModel, _ names: Set<String>) -> ModuleRole {
        let owner = owner(of: package)
        if package.isCore { return target.kind == .test ? .tests(of: nil) : .core }
        switch target.kind {
        case .test: return .tests(of: owner)
        case .executable: return owner.map { .program(of: $0) } ?? .other
        case .regular, .other: break
        }
        if let (domain, layer) = ModuleRole.layered(target.name),
            // `GUI` is nobody's.
            !layer.isView || names.contains(domain + Layer.interface.rawValue) || names.contains(domain + Layer.models.rawValue)
        {
            return .layer(layer, of: domain)
        }
        if let name = ModuleRole.orchestrator(named: target.name) { return .orchestrator(name) }
        return owner.map { .part(of: $0) } ?? .other
    }

    /// Whose package it is: of the orchestrator that it is named after, or of the domain whose layers it has.
    private static func owner(of package: PackageModel) -> String? {
        let targets = package.targets.filter { $0.kind == .regular }
        for target in targets {
            if let layered = ModuleRole.layered(target.name), !layered.layer.isView { return layered.domain }
        }
        return targets.lazy.compactMap { ModuleRole.orchestrator(named: $0.name) }.first
    }
}

extension ModuleRole {
    var owner: String? {
        switch self {
        case .layer(_, let owner), .orchestrator(let owner), .part(let owner), .program(let owner): owner
        case .tests(let owner): owner
        case .core, .other: nil
        }
    }
}
