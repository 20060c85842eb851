package import ReluxPlugin
package import ReluxWire

/// What the broker's loop read in one packed plugin directory, so that the registry itself never touches a file.
package enum PluginFacts: Sendable {
    /// `imports` as in ``HostHello/Module/imports``; `contract` is the CBOR of the manifest's contract; `runtime` is the guard of the runtime that
    /// it was built for; `place` is the directory that was read, without links, where that is known and another one.
    case manifest(ModuleDeclaration, imports: [String], contract: ByteString, runtime: String = reluxRuntimeGuard, place: String? = nil)
    /// There is no such directory, or its manifest cannot be read.
    case unreadable(code: String, message: String)
}

extension PluginFacts {
    var declaration: ModuleDeclaration? { if case .manifest(let declaration, _, _, _, _) = self { declaration } else { nil } }

    /// No host of this runtime takes it.
    var isOfOtherRuntime: Bool { if case .manifest(_, _, _, let runtime, _) = self { runtime != reluxRuntimeGuard } else { false } }

    /// The directory that was read, where the one that was asked for is a link to it.
    var place: String? { if case .manifest(_, _, _, _, let place) = self { place } else { nil } }

    /// What a manifest says that the loop has read and checked.
    ///
    /// - Parameter place: the directory that it lies in, where that is not the one that was asked for.
    package init(_ manifest: PluginManifest, place: String? = nil) {
        do {
            let contract = try CBOR.encode(manifest.contract)
            self = .manifest(manifest.module, imports: manifest.imports, contract: ByteString(contract), runtime: manifest.runtimeGuard, place: place)
        } catch {
            self = .unreadable(code: "contract.unreadable", message: "contract of \(manifest.module.id): \(error.message)")
        }
    }

    /// The folder of all packed modules, for a directory `<folder>/<module>/<version>-<hash>`.
    static func root(of directory: String) -> String {
        var rest = Substring(directory)
        for _ in 0..<2 { rest = rest.lastIndex(of: "/").map { rest[..<$0] } ?? "" }
        return String(rest)
    }

    /// The link to the build that was packed last, beside a directory `<folder>/<module>/<version>-<hash>`.
    static func current(beside directory: String) -> String? { directory.lastIndex(of: "/").map { directory[..<$0] + "/current" } }

    /// The module that a directory `<module>/<version>-<hash>` claims to hold, for one whose manifest says nothing.
    static func moduleName(of directory: String) -> ModuleID? {
        let parts = directory.split(separator: "/")
        guard let name = parts.dropLast().last ?? parts.last else { return nil }
        return ModuleID(rawValue: String(name))
    }
}
