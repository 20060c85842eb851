extension SDKContents.Package {
    /// Its `Package.swift`.
    package var manifest: String {
        let targets = libraries.map { "        .binaryTarget(name: \"\($0.name)\", path: \"\($0.bundle)\")," }
        // A binary target cannot depend on anything: a target without code does it.
        let links = products.filter { !$0.needs.isEmpty }.map { product in
            let needs = product.needs.map { "            .product(name: \"\($0.product)\", package: \"\($0.package)\")," }
            return (["        .target(name: \"\(product.link)\", dependencies: ["] + needs + ["        ]),"]).joined(separator: "\n")
        }
        let others = Set(products.flatMap(\.needs).map(\.package)).sorted().map { "        .package(name: \"\($0)\", path: \"\(way(to: $0))\")," }
        let offered = products.map { product in
            let names = (product.libraries + (product.needs.isEmpty ? [] : [product.link])).map { "\"\($0)\"" }.joined(separator: ", ")
            return "        .library(name: \"\(product.name)\", targets: [\(names)]),"
        }
        return """
            // swift-tools-version: 6.2
            // Built libraries, written by `relux sdk`.
            import PackageDescription

            let package = Package(
                name: "\(name)",
                products: [
            \(offered.joined(separator: "\n"))
                ],\(others.isEmpty ? "" : "\n    dependencies: [\n\(others.joined(separator: "\n"))\n    ],")
                targets: [
            \((targets + links).joined(separator: "\n"))
                ]
            )

            """
    }

    private func way(to other: String) -> String {
        if folder.isEmpty { return "Plugins/\(other)" }
        return other == SDKContents.coreName ? "../.." : "../\(other)"
    }

    /// Files of the targets without code, by path.
    package var links: [String: String] {
        var files: [String: String] = [:]
        for product in products where !product.needs.isEmpty {
            files["Sources/\(product.link)/empty.c"] = "// Links what \(product.name) needs of other packages.\n"
            files["Sources/\(product.link)/include/\(product.link).h"] = ""
        }
        return files
    }
}

extension SDKContents.Product {
    fileprivate var link: String { "\(name)Needs" }
}

extension SDKContents.Library {
    package var bundle: String { "\(name).artifactbundle" }

    /// The bundle's `info.json`. SwiftPM links whatever library such a bundle names, dynamic ones too, and searches its headers' folder for modules.
    package func info(target: String, version: String) -> String {
        """
        {
          "schemaVersion": "1.0",
          "artifacts": {
            "\(name)": {
              "type": "staticLibrary",
              "version": "\(version)",
              "variants": [
                {
                  "path": "lib/\(file)",
                  "supportedTriples": ["\(target)"],
                  "staticLibraryMetadata": {"headerPaths": ["modules"]}
                }
              ]
            }
          }
        }

        """
    }
}
