import ReluxLayers

/// How a package links itself: one image for each layer.
struct LinkCheck {
    let graph: ModuleGraph
    let manifests: [String: ManifestLines]

    func findings() -> [Finding] {
        let modules = Dictionary(grouping: graph.inOrder.filter { !$0.isContext }, by: \.package)
        return modules.sorted { $0.key < $1.key }.flatMap { index, modules -> [Finding] in
            let package = graph.packages[index]
            guard let manifest = manifests[package.folder] else { return [] }
            return plainTargets(package, modules, manifest) + products(package, modules, manifest) + productTypes(package, manifest)
                + split(package, modules, manifest)
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

    /// One library for each layer.
    private func products(_ package: PackageModel, _ modules: [ModuleGraph.Module], _ manifest: ManifestLines) -> [Finding] {
        guard !package.isCore else { return [] }
        return modules.compactMap { module in
            switch module.role {
            case .layer, .orchestrator: break
            default: return nil
            }
            let libraries = package.products.filter { $0.kind != .other && $0.targets.contains(module.name) }.map(\.name)
            let place = manifest.place(ofTarget: module.name)
            guard let first = libraries.first else { return Finding(.product, place, "\(module.name) is in no library") }
            if libraries.count > 1 { return Finding(.product, place, "\(module.name) is in \(libraries.joined(separator: " and "))") }
            guard case .layer = module.role, first != module.name else { return nil }
            return Finding(.product, place, "\(module.name) is in the library \(first) instead of one of its own")
        }
    }

    /// The interfaces' package of a domain in two packages has nothing that works and does not know the other.
    private func split(_ package: PackageModel, _ modules: [ModuleGraph.Module], _ manifest: ManifestLines) -> [Finding] {
        let suffix = "Interfaces"
        guard package.name.hasSuffix(suffix), package.name.utf8.count > suffix.utf8.count else { return [] }
        let domain = String(package.name.dropLast(suffix.utf8.count))
        var findings = modules.compactMap { module -> Finding? in
            guard case .layer(let layer, domain) = module.role, layer == .implementation || layer == .serviceImplementation else { return nil }
            return Finding(.split, manifest.place(ofTarget: module.name), "\(package.name) has \(module.name) in it")
        }
        let other = "\(domain)Implementations"
        if package.neighbours.contains(where: { $0.key == other || $0.value.hasSuffix("/\(other)") }) {
            findings.append(Finding(.split, manifest.place(ofPackage: other), "\(package.name) depends on \(other)"))
        }
        return findings
    }

    private func productTypes(_ package: PackageModel, _ manifest: ManifestLines) -> [Finding] {
        guard !package.isCore else { return [] }
        return package.products.compactMap { product in
            guard product.kind != .other else { return nil }
            let wanted: PackageModel.Product.Kind
            if case .layer(let layer, _)? = graph.modules[product.name]?.role, product.targets.contains(product.name) {
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
