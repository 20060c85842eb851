import Foundation
import ReluxOutput

/// What new packages depend on: Relux's checkout, or an SDK, which has built libraries in the same places.
package struct Checkout: Hashable, Sendable {
    /// Absolute.
    package let root: String
    /// An SDK, where nothing is added to and nothing is built.
    package let isSDK: Bool

    /// The SDK that an installation has beside its programs; nil without one.
    /// - Parameter program: absolute, links resolved.
    package init?(installedWith program: String) {
        let version = URL(fileURLWithPath: program).deletingLastPathComponent()
        guard Self.isSDK("\(version.path)/sdk") else { return nil }
        // The link goes with the next version; a package does not name this one.
        let current = version.deletingLastPathComponent().path + "/current"
        let isCurrent = URL(fileURLWithPath: current).resolvingSymlinksInPath().path == version.resolvingSymlinksInPath().path
        root = (isCurrent ? current : version.path) + "/sdk"
        isSDK = true
        isInstalled = true
    }

    private let isInstalled: Bool

    /// The checkout that a folder is in; nil outside.
    package init?(around folder: String) {
        var at = URL(fileURLWithPath: folder).standardizedFileURL
        while !Self.isRoot(at.path) {
            let above = at.deletingLastPathComponent().standardizedFileURL
            guard above.path != at.path, at.path != "/" else { return nil }
            at = above
        }
        root = at.path
        isSDK = false
        isInstalled = false
    }

    /// - Throws: `new.checkout` for a folder that is neither.
    package init(at folder: String) throws(ScaffoldError) {
        let path = URL(fileURLWithPath: folder).standardizedFileURL.path
        // It goes into manifests.
        guard !path.contains("\"") && !path.contains("\\") else {
            throw ScaffoldError("new.checkout", "\(path) has a quote or a backslash in its name, which a manifest cannot name", hint: "rename the folder")
        }
        isSDK = Self.isSDK(path)
        guard isSDK || Self.isRoot(path) else {
            throw ScaffoldError(
                "new.checkout", "\(folder) is no checkout of Relux and no SDK: it has no sdk.json, and no Sources/Relux or no Plugins/Navigation",
                hint: "name the folder that Relux was cloned into, or that `relux sdk export` has written: --relux DIR")
        }
        root = path
        isInstalled = false
    }

    package var plugins: String { root + "/Plugins" }

    /// How a package in another folder writes the way here.
    package func surroundings(of folder: String) -> Surroundings {
        // An installation is in the same place on every machine, whatever folder a package is in.
        if isInstalled { return Surroundings(core: root, plugins: plugins, isInside: false) }
        let isInside = !isSDK && URL(fileURLWithPath: folder).deletingLastPathComponent().path == plugins
        return isInside
            ? .inside
            : Surroundings(core: Self.path(to: root, from: folder), plugins: Self.path(to: plugins, from: folder), isInside: false)
    }

    /// The package of a domain: beside the new one, else among the plugins.
    /// - Returns: where it lies from the new package's folder.
    /// - Throws: `new.domains` when it is nowhere, or has no interface.
    package func domain(_ name: String, for folder: String) throws(ScaffoldError) -> (name: String, path: String) {
        let siblings = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        for place in [siblings, plugins] {
            guard let package = Self.package(of: name, with: "ReluxInt", in: "\(place)/\(name)") else { continue }
            return (name, isInstalled && place == plugins ? package : Self.path(to: package, from: folder))
        }
        throw ScaffoldError(
            "new.domains", "there is no domain '\(name)' with an interface: neither in \(siblings) nor in \(plugins)",
            hint: Self.meant(name, in: [siblings, plugins]) + (isSDK ? "add one that a cluster runs to the SDK: relux sdk add \(name); or " : "") + "name domains by their packages' folders, such as --domains Auth,Notes; make a new one by `relux new domain \(name)`")
    }

    /// A plugin for a cluster in a folder: a package beside that folder, else among the plugins.
    /// - Throws: `new.cluster` when it is nowhere, or is neither a domain nor an orchestrator.
    package func plugin(_ name: String, for folder: String) throws(ScaffoldError) -> ClusterScaffold.Plugin {
        let siblings = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        // What an SDK has the interface of, an installation has packed.
        if isSDK, Self.package(of: name, with: "ReluxInt", in: "\(siblings)/\(name)") == nil, Self.package(of: name, with: "ReluxInt", in: "\(plugins)/\(name)") != nil {
            return .init(name: name, library: "$bin/lib\(name)ReluxImpl.so")
        }
        let libraries = [("ReluxImpl", "lib\(name)ReluxImpl.so"), ("Impl", "lib\(name).so")]
        for place in siblings == plugins ? [plugins] : [siblings, plugins] {
            for (layer, library) in libraries {
                guard let package = Self.package(of: name, with: layer, in: "\(place)/\(name)") else { continue }
                // Relux's own plugins are built with it.
                return .init(
                    name: name,
                    library: place == plugins ? "$bin/\(library)" : "$here/\(Self.path(to: package, from: folder))/.build/debug/\(library)")
            }
        }
        throw ScaffoldError(
            "new.cluster", "there is no domain and no orchestrator '\(name)': neither in \(siblings) nor in \(plugins)",
            hint: Self.meant(name, in: [siblings, plugins]) + "name them by their packages' folders, such as --modules Auth,Notes; make a new one by `relux new domain \(name)`")
    }

    /// The package's folder that is named nearly so, as the beginning of a remedy; nothing when there is none.
    private static func meant(_ name: String, in places: [String]) -> String {
        let folders = places.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }.filter { !$0.hasPrefix(".") }.sorted()
        return NearestName.meant(name, among: folders).map { "\($0) Else " } ?? ""
    }

    /// The package of a domain that has a layer: the domain's folder, or one of the two in it.
    package static func package(of domain: String, with layer: String, in folder: String) -> String? {
        [folder, "\(folder)/\(domain)Interfaces", "\(folder)/\(domain)Implementations"].first { package in
            ["Sources/\(domain)\(layer)", "\(domain)\(layer).artifactbundle"].contains { FileManager.default.fileExists(atPath: "\(package)/\($0)") }
        }
    }

    /// A relative path, so that nothing that is committed names one machine's folders.
    package static func path(to target: String, from folder: String) -> String {
        let (to, from) = (parts(target), parts(folder))
        let common = zip(to, from).prefix { $0 == $1 }.count
        let way = Array(repeating: "..", count: from.count - common) + to[common...]
        return way.isEmpty ? "." : way.joined(separator: "/")
    }

    /// The name by which a manifest calls a package that it depends on by its path.
    static func identity(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private static func parts(_ path: String) -> [String] {
        URL(fileURLWithPath: path).standardizedFileURL.path.split(separator: "/").map(String.init)
    }

    private static func isSDK(_ path: String) -> Bool {
        struct Note: Decodable { let schema: String }
        guard let data = FileManager.default.contents(atPath: "\(path)/sdk.json"), let note = try? JSONDecoder().decode(Note.self, from: data) else { return false }
        return note.schema == "relux.sdk/1"
    }

    private static func isRoot(_ path: String) -> Bool {
        ["Package.swift", "Sources/Relux", "Plugins/Navigation"].allSatisfy { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
    }
}
