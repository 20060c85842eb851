import Foundation
import Relux
import ReluxLayers
import ReluxLoader
package import ReluxPlugin

/// Writes an SDK out of a build, and adds interfaces out of packed plugins.
package struct SDKWriter: Sendable {
    private let toolchain: Toolchain
    private let runtimeGuard: String

    package init(toolchain: Toolchain = Toolchain(), runtimeGuard: String = reluxRuntimeGuard) {
        self.toolchain = toolchain
        self.runtimeGuard = runtimeGuard
    }

    // MARK: Out of a build

    /// Puts a whole SDK in the place of the folder, which may be one already; whoever reads sees the old one or the new one.
    /// - Parameters:
    ///   - build: where `swift build` has put libraries and `Modules`; the target `ReluxSDK` has to be built.
    ///   - version: Relux's.
    ///   - kind: what a library of a domain says of its module; nil when it cannot be asked.
    /// - Throws: `sdk.folder`, `sdk.source`, `sdk.runtime`, `pack.toolchain`, `pack.write`.
    package func export(
        build: String, version: String, to folder: String, kind: (_ library: String) -> ModuleDeclaration.Kind?
    ) throws(PackError) -> SDK {
        let built = SDKBuild(folder: build, toolchain: toolchain)
        try built.check(runtimeGuard)
        try SDKFolder(folder).replace { draft throws(PackError) in
            let target = try toolchain.target()
            let needed = try built.interfaces()
            let domains = Set(needed.keys.compactMap { Layer.split($0)?.module }).sorted().map { SDKContents.interface(of: $0, needed: needed) }
            for package in [SDKContents.core, SDKContents.database] + domains {
                let facts = Facts(target: target, version: version, kind: package.isPlatform ? nil : kind("\(build)/lib\(package.name)ReluxImpl.so"))
                try write(package, at: draft, facts) { library throws(PackError) in try built.deliver(library, into: draft) }
            }
            let note = SDK.Note(
                schema: SDK.Note.schema, version: version, runtimeGuard: runtimeGuard, compiler: try toolchain.version(), target: target)
            try put(note.text, "\(draft)/\(SDK.Note.fileName)")
        }
        return try SDK(at: folder)
    }

    /// A copy of an SDK, for a machine without Relux or to add interfaces to.
    package func copy(_ sdk: SDK, to folder: String) throws(PackError) -> SDK {
        // A link would be copied as one.
        let source = URL(fileURLWithPath: sdk.folder).resolvingSymlinksInPath().path
        let target = SDKFolder(folder)
        guard target.resolved != source, !target.resolved.hasPrefix(source + "/") else {
            throw PackError(.sdk, "\(folder) is the SDK that is copied, or lies in it; name another folder")
        }
        try target.replace { draft throws(PackError) in try SDKFolder.copy(source, to: draft) }
        return try SDK(at: folder)
    }

    // MARK: Out of packed plugins

    /// Adds the interfaces of packed modules, or puts them in the place of those that are there; all of them or none.
    /// - Parameter directories: packed plugins, for example `packed/Notes/current`.
    /// - Returns: the domains that were added.
    /// - Throws: `sdk.source`, `sdk.runtime`, `pack.write`.
    package func add(_ directories: [String], to sdk: SDK) throws(PackError) -> [String] {
        var plugins: [(packed: PackedInterface, package: SDKContents.Package)] = []
        for directory in directories {
            let packed = try PackedInterface(in: directory)
            guard packed.manifest.runtimeGuard == sdk.note.runtimeGuard else {
                throw PackError(
                    .sdkRuntime,
                    "\(packed.domain) in \(directory) was built against runtime \(packed.manifest.runtimeGuard), the SDK in \(sdk.folder) is \(sdk.note.version), "
                        + "runtime \(sdk.note.runtimeGuard); pack it again with that relux, or export the SDK of this one: relux sdk export DIR")
            }
            plugins.append((packed, packed.package))
        }
        let names = Set(plugins.map(\.packed.domain))
        for plugin in plugins {
            let missing = sdk.missing(for: plugin.package, besides: names)
            guard missing.isEmpty else {
                throw PackError(
                    .sdkSource,
                    "\(plugin.packed.domain) needs the interface of \(missing.joined(separator: " and ")), which the SDK lacks; add all of them: "
                        + "relux sdk add \((missing + names.sorted()).joined(separator: " "))")
            }
        }
        // A whole one beside it, so that nobody sees half of what was added.
        let source = URL(fileURLWithPath: sdk.folder).resolvingSymlinksInPath().path
        try SDKFolder(source).replace { draft throws(PackError) in
            try SDKFolder.copy(source, to: draft)
            for plugin in plugins {
                try? FileManager.default.removeItem(atPath: "\(draft)/\(plugin.package.folder)")
                let facts = Facts(target: sdk.note.target, version: sdk.note.version, kind: plugin.packed.manifest.module.kind)
                try write(plugin.package, at: draft, facts) { library throws(PackError) in try plugin.packed.deliver(library) }
            }
        }
        return names.sorted()
    }

    // MARK: Writing

    private struct Facts {
        let target: String
        let version: String
        let kind: ModuleDeclaration.Kind?
    }

    private func write(
        _ package: SDKContents.Package, at root: String, _ facts: Facts, deliver: (SDKContents.Library) throws(PackError) -> SDKContents.Delivery
    ) throws(PackError) {
        let folder = package.folder.isEmpty ? root : "\(root)/\(package.folder)"
        for library in package.libraries {
            let delivery = try deliver(library)
            let bundle = "\(folder)/\(library.bundle)"
            try put(library.info(target: facts.target, version: facts.version), "\(bundle)/info.json")
            try put(delivery.library, "\(bundle)/lib/\(library.file)")
            for file in delivery.modules { try put(file.bytes, "\(bundle)/modules/\(file.name)") }
            if package.isPlatform { try slim("\(bundle)/lib/\(library.file)") }
        }
        for (path, text) in package.links { try put(text, "\(folder)/\(path)") }
        if let kind = facts.kind { try put("\(kind.rawValue)\n", "\(folder)/\(SDK.kindFile)") }
        try put(package.manifest, "\(folder)/Package.swift")
    }

    /// Takes out the names that only debuggers and profilers read: SwiftPM copies every library into every build.
    private func slim(_ path: String) throws(PackError) { try toolchain.runTool("llvm-objcopy", ["--strip-unneeded", path]) }

    private func put(_ text: String, _ path: String) throws(PackError) { try put([UInt8](text.utf8), path) }

    private func put(_ bytes: [UInt8], _ path: String) throws(PackError) {
        let url = URL(fileURLWithPath: path)
        try SDKFolder.attempt(path) {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
    }
}
