/// How a package links itself: one image for each layer.
struct LinkCheck {
    let graph: ModuleGraph
    let manifests: [String: ManifestLines]

    func findings() -> [Finding] {
        let modules = Dictionary(grouping: graph.inOrder.filter { !$0.isContext }, by: \.package)
        return modules.sorted { $0.key < $1.key }.flatMap { index, modules -> [Finding] in
            let package = graph.packages[index]
            guard let manifest = manifests[package.folder] else { return [] }
            return plainTargets(package, modules, manifest) + productTypes(package, manifest)
        }
    }

    private func plainTargets(
        _ package: PackageModel, _ modules: [ModuleGraph.Module], _ manifest: ManifestLines
    ) -> [Finding] {
        let dynamic = package.products.filter { $0.kind == .dynamic }
        return modules.flatMap { module in
            module.target.dependencies.compactMap { dependency in
                guard case .target(let name) = dependency, let product = dynamic.first(where: { $0.targets.contains(name) }),
                    !product.targets.contains(module.name)
                else { return nil }
                return Finding(
                    .plainTarget, manifest.place(of: name, in: module.name),
                    "\(module.name) links a copy of \(name), which is in the library \(product.name)")
            }
        }
    }

    private func productTypes(_ package: PackageModel, _ manifest: ManifestLines) -> [Finding] {
        guard !package.isCore else { return [] }
        return package.products.compactMap { product in
            guard product.kind != .other else { return nil }
            let wanted: PackageModel.Product.Kind
            if let layer = ModuleRole.layered(product.name)?.layer, product.targets.contains(product.name) {
                wanted = layer == .testSupport ? .static : .dynamic
            } else if ModuleRole.orchestrator(named: product.name) == product.name {
                wanted = .dynamic
            } else {
                return nil
            }
            // A library without a type is static in every image that links it.
            guard product.kind != wanted, !(wanted == .static && product.kind == .automatic) else { return nil }
            return Finding(
                .productType, manifest.place(ofProduct: product.name),
                "\(product.name) is \(product.kind.rawValue), it must be \(wanted.rawValue)")
        }
    }
}
