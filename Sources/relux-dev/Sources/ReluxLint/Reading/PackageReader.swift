import Dispatch
import Foundation
import ReluxGenerate
import Synchronization

/// Packages and their sources on the disk.
enum PackageReader {
    /// The packages in the folders, then those that they depend on by path, as context.
    static func read(_ folders: [String]) throws(LintError) -> (packages: [PackageModel], context: Set<Int>) {
        var packages = try dump(folders)
        let linted = packages.count
        var known = Set(folders)
        while true {
            let next = Set(packages.flatMap { $0.isCore ? [] : Array($0.neighbours.values) }).subtracting(known).sorted()
            if next.isEmpty { break }
            known.formUnion(next)
            packages += try dump(next)
        }
        return (packages, Set(linted..<packages.count))
    }

    /// Each description costs a start of the package manager; two at a time, as there are cores to spare at least.
    private static func dump(_ folders: [String]) throws(LintError) -> [PackageModel] {
        let results = Mutex<[Int: Result<PackageModel, LintError>]>([:])
        DispatchQueue.concurrentPerform(iterations: folders.count) { index in
            let result = Result { () throws(LintError) in prebuilt(try PackageDump.read(folders[index])) }
            results.withLock { $0[index] = result }
        }
        var packages: [PackageModel] = []
        for (_, result) in results.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { packages.append(try result.get()) }
        return packages
    }

    /// A package of an SDK as its sources would describe it: the Swift modules of its bundles are its targets, and what only links is none.
    private static func prebuilt(_ package: PackageModel) -> PackageModel {
        var modules: [String: [String]] = [:]
        for target in package.targets where target.kind == .other {
            guard let path = target.path, path.hasSuffix(".artifactbundle") else { continue }
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(package.folder)/\(path)/modules")) ?? []
            modules[target.name] = files.sorted().compactMap { file in
                ["swiftmodule", "swiftinterface"].first { file.hasSuffix(".\($0)") }.map { String(file.dropLast($0.utf8.count + 1)) }
            }
        }
        guard !modules.isEmpty else { return package }
        var described = package
        described.targets = package.targets.flatMap { target in
            (modules[target.name] ?? []).map { PackageModel.Target(name: $0, kind: .regular, dependencies: [], path: target.path) }
        }
        described.products = package.products.map { product in
            PackageModel.Product(name: product.name, kind: .dynamic, targets: product.targets.flatMap { modules[$0] ?? [] })
        }
        let kind = FileManager.default.contents(atPath: "\(package.folder)/kind").map { String(decoding: $0, as: UTF8.self) }
        described.statedKind = kind.flatMap { DeclaredModule.Kind(rawValue: $0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        return described
    }

    /// The manifest and the files of every target.
    static func sources(of package: PackageModel, relativeTo root: String) throws(LintError) -> [LintSource] {
        var sources = [try source("\(package.folder)/Package.swift", package, nil, root)]
        for target in package.targets where target.kind != .other {
            let folder = target.folder == "." ? package.folder : "\(package.folder)/\(target.folder)"
            for path in files(in: folder, target) { sources.append(try source(path, package, target.name, root)) }
        }
        return sources
    }

    private static func source(_ path: String, _ package: PackageModel, _ target: String?, _ root: String) throws(LintError) -> LintSource {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw LintError("lint.source", "\(path) cannot be read", hint: "check that it is there and may be read")
        }
        let name = path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count + 1)) : path
        return LintSource(package: package.folder, target: target, path: name, text: String(decoding: bytes, as: UTF8.self))
    }

    private static func files(in folder: String, _ target: PackageModel.Target) -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
        let excluded = target.exclude.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        func covers(_ entry: String, _ path: String) -> Bool { path == entry || path.hasPrefix(entry + "/") }
        var found: [String] = []
        for case let path as String in walk where path.hasSuffix(".swift") {
            if path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) { continue }
            if excluded.contains(where: { covers($0, path) }) { continue }
            if let sources = target.sources, !sources.contains(where: { covers($0, path) }) { continue }
            found.append("\(folder)/\(path)")
        }
        return found.sorted()
    }

    /// Whether a file of generated coders lies somewhere below a folder, hidden ones left out.
    static func hasCoders(_ folder: String) -> Bool {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return false }
        for case let path as String in walk {
            if path.hasPrefix(".") || path.contains("/.") {
                walk.skipDescendants()
            } else if path.hasSuffix(WireFile.suffix) {
                return true
            }
        }
        return false
    }

    // MARK: Finding packages

    /// The packages in a folder and below it.
    static func packages(below folder: String) -> [String] {
        var found: [String] = []
        search(folder, depth: 3, &found)
        return found
    }

    private static func search(_ folder: String, depth: Int, _ found: inout [String]) {
        let files = FileManager.default
        if files.fileExists(atPath: "\(folder)/Package.swift") { found.append(folder) }
        guard depth > 0, let entries = try? files.contentsOfDirectory(atPath: folder) else { return }
        for entry in entries.sorted() where !entry.hasPrefix(".") && entry != "Fixtures" && entry != "Goldens" {
            var isFolder: ObjCBool = false
            let path = "\(folder)/\(entry)"
            if files.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { search(path, depth: depth - 1, &found) }
        }
    }
}
