import ReluxLayers

/// The dependencies of a package's targets, as their imports say. Pure.
///
/// A module of the package itself, or of one that lies beside it, is the product that it is in; other imports are left to what the manifest has: the
/// toolchain's modules need no dependency, and which product of a package from elsewhere has a module cannot be told from sources.
struct ManifestPlan {
    /// By target, in the order in which they are written: the package's own, the platform's, then those of others by name.
    private(set) var targets: [String: [PackageModel.Dependency]] = [:]
    /// Packages by path that they need, by the name that dependencies use; without the package itself.
    private(set) var neighbours: [String: String] = [:]

    /// - Parameter imports: modules by target.
    init(_ package: PackageModel, among packages: [PackageModel], imports: [String: Set<String>]) {
        // The core's own manifest names its plugins too: their packages come first.
        let others = packages.filter { $0.folder != package.folder && !$0.isCore } + packages.filter(\.isCore)
        for target in package.targets where target.kind != .other {
            var found: [(key: (Int, String, Int), dependency: PackageModel.Dependency)] = []
            for module in (imports[target.name] ?? []).subtracting([target.name]) {
                if let index = package.targets.firstIndex(where: { $0.name == module }) {
                    found.append(((0, "", index), Self.own(module, in: package)))
                    continue
                }
                guard let owner = others.first(where: { Self.product(of: module, in: $0) != nil }), let product = Self.product(of: module, in: owner)
                else { continue }
                let name = Self.name(of: owner, in: package)
                neighbours[name] = owner.folder
                let index = owner.products.firstIndex { $0.name == product } ?? 0
                let dependency = PackageModel.Dependency.product(product, package: name)
                // Several modules may lie in one product.
                if !found.contains(where: { $0.dependency == dependency }) { found.append(((owner.isCore ? 1 : 2, name, index), dependency)) }
            }
            targets[target.name] = found.sorted { $0.key < $1.key }.map(\.dependency)
        }
    }

    /// Modules that nobody among the packages has, by the domain that they are named after: a package of that name may lie beside this one.
    static func unknown(_ imports: Set<String>, among packages: [PackageModel]) -> Set<String> {
        let known = Set(packages.flatMap(\.targets).map(\.name))
        return Set(imports.subtracting(known).compactMap { Layer.split($0)?.module })
    }

    /// By the self-reference, so that the layer stays one image.
    private static func own(_ module: String, in package: PackageModel) -> PackageModel.Dependency {
        let reference = package.neighbours.filter { $0.value == package.folder }.keys.min()
        guard let reference, let product = product(of: module, in: package) else { return .target(module) }
        return .product(product, package: reference)
    }

    private static func product(of module: String, in package: PackageModel) -> String? {
        let having = package.products.filter { $0.kind != .other && $0.targets.contains(module) }
        return (having.first { $0.name == module } ?? having.first)?.name
    }

    private static func name(of other: PackageModel, in package: PackageModel) -> String {
        package.neighbours.filter { $0.value == other.folder }.keys.min() ?? other.folder.split(separator: "/").last.map(String.init) ?? other.name
    }
}
