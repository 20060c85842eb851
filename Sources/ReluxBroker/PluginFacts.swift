package import ReluxPlugin
package import ReluxWire

/// What the broker's loop read in one packed plugin directory, so that the registry itself never touches a file.
package enum PluginFacts: Sendable {
    /// `imports` as in ``HostHello/Module/imports``; `contract` is the CBOR of the manifest's contract; `runtime` is the guard of the runtime that
    /// it was built for.
    case manifest(ModuleDeclaration, imports: [String], contract: ByteString, runtime: String = reluxRuntimeGuard)
    /// There is no such directory, or its manifest cannot be read.
    case unreadable(code: String, message: String)
}

extension PluginFacts {
    var declaration: ModuleDeclaration? { if case .manifest(let declaration, _, _, _) = self { declaration } else { nil } }

    /// No host of this runtime takes it.
    var isOfOtherRuntime: Bool { if case .manifest(_, _, _, let runtime) = self { runtime != reluxRuntimeGuard } else { false } }

    /// What a manifest says that the loop has read and checked.
    package init(_ manifest: PluginManifest) {
        do {
            let contract = try CBOR.encode(manifest.contract)
            self = .manifest(manifest.module, imports: manifest.imports, contract: ByteString(contract), runtime: manifest.runtimeGuard)
        } catch {
            self = .unreadable(code: "contract-uncodable", message: "contract of \(manifest.module.id): \(error.message)")
        }
    }

    /// The folder of all packed modules, for a directory `<folder>/<module>/<version>-<hash>`.
    static func root(of directory: String) -> String {
        var rest = Substring(directory)
        for _ in 0..<2 { rest = rest.lastIndex(of: "/").map { rest[..<$0] } ?? "" }
        return String(rest)
    }

    /// The module that a directory `<module>/<version>-<hash>` claims to hold, for one whose manifest says nothing.
    static func moduleName(of directory: String) -> ModuleID? {
        let parts = directory.split(separator: "/")
        guard let name = parts.dropLast().last ?? parts.last else { return nil }
        return ModuleID(rawValue: String(name))
    }
}
