import ReluxLayers

/// The packages of an SDK: built libraries in the places where Relux's checkout has their sources, so that one manifest of a plugin fits both. Pure.
package struct SDKContents: Hashable, Sendable {
    /// Where a build has a library.
    package enum Origin: Hashable, Sendable {
        case whole
        /// As objects of these targets only: the SDK links them, to these libraries of its own.
        case objects(of: [String], links: [String])
    }

    /// A built library with what a compiler reads of it.
    package struct Library: Hashable, Sendable {
        /// `Relux` of `libRelux.so`; the name of the target too.
        package let name: String
        package let origin: Origin
        /// Names of `.swiftmodule` files.
        package let modules: [String]
        /// A folder of a C module that they need, below SwiftPM's `checkouts`.
        package let headers: String?
        /// The module's interface as text, in the place of a `.swiftmodule` that names modules which an SDK has not.
        package let interface: String?

        init(_ name: String, _ origin: Origin = .whole, modules: [String]? = nil, headers: String? = nil, interface: String? = nil) {
            self.name = name
            self.origin = origin
            self.modules = modules ?? (interface == nil ? [name] : [])
            self.headers = headers
            self.interface = interface
        }

        package var file: String { "lib\(name).so" }
    }

    package struct Product: Hashable, Sendable {
        package let name: String
        /// The libraries of its own package that whoever imports it needs.
        package let libraries: [String]
        /// Products of other domains that it needs, by their packages.
        package let needs: [Need]

        /// - Parameter others: further libraries of its package.
        init(_ name: String, with others: [String] = [], needs: [Need] = []) {
            self.name = name
            libraries = [name] + others
            self.needs = needs
        }
    }

    package struct Need: Hashable, Sendable {
        package let product: String
        package let package: String
    }

    package struct Package: Hashable, Sendable {
        package let name: String
        /// Below the SDK's folder; empty for the folder itself.
        package let folder: String
        package let libraries: [Library]
        package let products: [Product]

        /// A cluster has its libraries with its programs. Those of a domain are packed, and in one process all have to be of the same bytes.
        package var isPlatform: Bool { [SDKContents.coreName, SDKContents.database.name].contains(name) }
    }

    /// The bytes of a library, and the files that a compiler reads of it.
    typealias Delivery = (library: [UInt8], modules: [(name: String, bytes: [UInt8])])

    package static let coreName = "relux-cluster"

    /// The package that every plugin builds on.
    package static let core = Package(
        name: coreName, folder: "",
        libraries: [
            Library("Relux", modules: ["Relux", "ReluxFeature", "ReluxIoC", "ReluxOrchestration", "ReluxPlugin", "ReluxWire"]),
            Library("ReluxFiles"), Library("ReluxStorage"),
            Library("ReluxTestKit", .objects(of: ["ReluxTestKit"], links: ["Relux"])),
            Library("ReluxTestTraits", .objects(of: ["ReluxTestTraits"], links: ["ReluxTestKit", "Relux"])),
            Library("ReluxFeatureTestKit", .objects(of: ["ReluxFeatureTestKit"], links: ["ReluxTestKit", "Relux"])),
            Library("ReluxTerminal", .objects(of: ["ReluxTerminal"], links: [])),
            Library(
                "ReluxHost",
                .objects(
                    of: [
                        "CReluxProcess", "CReluxStandard", "ReluxBus", "ReluxControl", "ReluxHost", "ReluxJournal", "ReluxLayers", "ReluxLedger", "ReluxLoader",
                        "ReluxOutput", "ReluxSystem", "ReluxZeroMQ",
                    ], links: ["Relux"]),
                interface: hostInterface),
        ],
        products: [
            Product("Relux"), Product("ReluxFiles"), Product("ReluxStorage", needs: [Need(product: "GRDB-dynamic", package: database.name)]),
            Product("ReluxTestKit", with: ["Relux"]), Product("ReluxTestTraits", with: ["ReluxTestKit", "Relux"]),
            Product("ReluxFeatureTestKit", with: ["ReluxTestKit", "Relux"]), Product("ReluxTerminal"), Product("ReluxHost", with: ["Relux"]),
        ])

    /// `ReluxHostMain`, which a program of its own calls.
    private static let hostInterface = """
        // swift-interface-format-version: 1.0
        // swift-module-flags: -swift-version 6 -module-name ReluxHost
        import Relux
        import Swift
        import _Concurrency

        public enum ReluxHostMain {
          @_Concurrency.MainActor public static func run(linked: [() -> Swift.UnsafeMutableRawPointer]) async -> Swift.Never
          @_Concurrency.MainActor public static func run(
            interface plugin: () -> Swift.UnsafeMutableRawPointer,
            _ interface: @escaping @_Concurrency.MainActor @Sendable (Relux.Dispatcher) async -> Swift.Int32
          ) async -> Swift.Never
        }

        """

    /// One image of it for all plugins with a database.
    package static let database = Package(
        name: "GRDB.swift", folder: "Plugins/GRDB.swift",
        libraries: [Library("GRDB-dynamic", modules: ["GRDB"], headers: "GRDB.swift/Sources/GRDBSQLite")], products: [Product("GRDB-dynamic")])

    /// The interface of a domain: its models, its effects, states and snapshots, and its kit if it has one.
    /// - Parameters:
    ///   - domain: for example `Notes`.
    ///   - needed: the file names that each library needs, by its stem. Libraries that are missing there are left out.
    package static func interface(of domain: String, needed: [String: [String]]) -> Package {
        let own = [Layer.models, .interface, .kit].map { domain + $0.rawValue }.filter { needed[$0] != nil }
        let products = own.map { name in
            var isOnCore = false
            var seen: Set<String> = [name]
            var queue = [name]
            while let next = queue.popLast() {
                for file in needed[next] ?? [] {
                    let stem = LibraryName(file: file).stem
                    if stem == "Relux" { isOnCore = true }
                    if isOffered(stem), seen.insert(stem).inserted, own.contains(stem) { queue.append(stem) }
                }
            }
            let needs = seen.subtracting(own).sorted().compactMap { stem in
                Layer.split(stem).map { Need(product: stem, package: $0.module) }
            }
            let core = isOnCore ? [Need(product: "Relux", package: coreName)] : []
            return Product(name, with: own.filter { seen.contains($0) && $0 != name }, needs: core + needs)
        }
        return Package(name: domain, folder: "Plugins/\(domain)", libraries: own.map { Library($0) }, products: products)
    }

    /// A domain's library that others may import.
    package static func isOffered(_ stem: String) -> Bool {
        switch Layer.split(stem)?.layer {
        case .models, .interface, .kit: true
        default: false
        }
    }
}
