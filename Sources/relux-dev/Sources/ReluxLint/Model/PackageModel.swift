/// A package as its manifest describes it.
package struct PackageModel: Sendable {
    package struct Target: Sendable {
        package enum Kind: String, Sendable { case regular, executable, test, other }

        package let name: String
        package let kind: Kind
        package let dependencies: [Dependency]
        /// Relative to the package; nil for the default place.
        package var path: String?
        package var exclude: [String] = []
        package var sources: [String]?

        /// Where its files lie, relative to the package.
        var folder: String { path ?? (kind == .test ? "Tests/\(name)" : "Sources/\(name)") }
    }

    package enum Dependency: Hashable, Sendable {
        /// A target of this package, or a name that only SwiftPM can tell from a product.
        case target(String)
        case product(String, package: String)

        package var name: String {
            switch self {
            case .target(let name), .product(let name, _): name
            }
        }
    }

    package struct Product: Sendable {
        package enum Kind: String, Sendable { case dynamic, `static`, automatic, other }

        package let name: String
        package let kind: Kind
        package let targets: [String]
    }

    package let name: String
    /// The folder, absolute.
    package let folder: String
    package var targets: [Target] = []
    package var products: [Product] = []
    /// Folders of packages it depends on by path, by the name that its dependencies use; itself may be among them.
    package var neighbours: [String: String] = [:]
    /// Names of packages that come from elsewhere.
    package var remotes: Set<String> = []
    /// What a package of built libraries says of its module, whose sources it has not.
    var statedKind: DeclaredModule.Kind?

    /// Relux itself.
    var isCore: Bool { products.contains { $0.name == "Relux" } }
}
