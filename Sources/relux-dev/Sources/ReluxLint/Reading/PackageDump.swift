import Foundation

/// Reads what `swift package dump-package` prints.
enum PackageDump {
    static func read(_ folder: String) throws(LintError) -> PackageModel {
        // Only the manifest is read: whoever builds there just now is not waited for.
        let result = try Child.run(["swift", "package", "--package-path", folder, "--ignore-lock", "dump-package"])
        guard result.status == 0 else {
            throw LintError(
                "lint.manifest", "\(folder)/Package.swift cannot be read: \(result.errors.prefix(2_000))",
                hint: "make `swift package --package-path \(folder) dump-package` work first")
        }
        // SwiftPM may say something before.
        let text = result.output.drop { $0 != "{" }
        do { return try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).model(folder) } catch {
            throw LintError(
                "lint.manifest", "the description of \(folder)/Package.swift is of another format: \(error)",
                hint: "use the toolchain that builds the package (Swift 6.2 or later)")
        }
    }
}

private struct Dump: Decodable {
    struct Package: Decodable {
        struct Local: Decodable {
            let identity: String
            let path: String
            let nameForTargetDependencyResolutionOnly: String?
        }
        struct Remote: Decodable {
            let identity: String
            let nameForTargetDependencyResolutionOnly: String?
        }
        let fileSystem: [Local]?
        let sourceControl: [Remote]?
        let registry: [Remote]?
    }

    struct Target: Decodable {
        struct Dependency: Decodable {
            let product: [Word]?
            let target: [Word]?
            let byName: [Word]?
        }
        let name: String
        let type: String
        let path: String?
        let exclude: [String]?
        let sources: [String]?
        let dependencies: [Dependency]
    }

    struct Product: Decodable {
        let name: String
        let targets: [String]
        let type: [String: Word]
    }

    /// A string, or something that does not matter here.
    struct Word: Decodable {
        let text: String?
        init(from decoder: any Decoder) throws {
            text = (try? [String](from: decoder).first) ?? (try? String(from: decoder))
        }
    }

    let name: String
    let dependencies: [Package]
    let targets: [Target]
    let products: [Product]

    func model(_ folder: String) -> PackageModel {
        var model = PackageModel(name: name, folder: folder)
        for dependency in dependencies {
            for local in dependency.fileSystem ?? [] {
                let place = URL(fileURLWithPath: local.path).standardizedFileURL.path
                model.neighbours[local.nameForTargetDependencyResolutionOnly ?? URL(fileURLWithPath: place).lastPathComponent] = place
            }
            for remote in (dependency.sourceControl ?? []) + (dependency.registry ?? []) {
                model.remotes.formUnion([remote.identity.lowercased()])
            }
        }
        model.products = products.map { product in
            let library = product.type["library"]?.text.flatMap { PackageModel.Product.Kind(rawValue: $0) }
            return .init(name: product.name, kind: library ?? .other, targets: product.targets)
        }
        model.targets = targets.map { target in
            PackageModel.Target(
                name: target.name, kind: .init(rawValue: target.type) ?? .other,
                dependencies: target.dependencies.compactMap { dependency in
                    if let words = dependency.product, let name = words.first?.text {
                        return .product(name, package: words.dropFirst().first?.text ?? "")
                    }
                    return (dependency.target ?? dependency.byName)?.first?.text.map { .target($0) }
                },
                path: target.path, exclude: target.exclude ?? [], sources: target.sources)
        }
        return model
    }
}
