import Foundation
import ReluxLayers

/// The facts that the built libraries of a folder state: where each type is defined, and who links whom.
package struct ImageCheck: Sendable {
    /// Descriptors of types and protocols by mangled name, by library.
    package let descriptors: [String: Set<String>]
    /// The libraries that each library needs, by file name without a folder.
    package let needed: [String: [String]]

    package init(descriptors: [String: Set<String>], needed: [String: [String]] = [:]) {
        self.descriptors = descriptors
        self.needed = needed
    }

    /// Reads the symbols and the needed entries of all libraries in a folder.
    /// - Parameter folder: for example `.build/debug`; findings name files by it.
    package init(folder: String) throws(LintError) {
        let files: [String]
        do { files = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw LintError("lint.images", "\(folder) cannot be listed: \(FileReason.of(error))", hint: "name the folder of a build, such as .build/debug")
        }
        let libraries = files.filter { $0.hasPrefix("lib") && $0.hasSuffix(".so") }.sorted().map { "\(folder)/\($0)" }
        guard libraries.contains(where: { Self.domain(ofModels: $0) != nil }) else {
            throw LintError(
                "lint.images", "\(folder) has no lib<Domain>Models.so", hint: "build the package first, and name the folder of the build")
        }
        var found: [String: Set<String>] = [:]
        for library in libraries {
            found[library] = Set(
                try Self.read(["nm", "--defined-only", library]).compactMap { line in
                    let name = line.split(separator: " ").last ?? ""
                    // `Mn` ends the descriptor of a nominal type, `Mp` that of a protocol.
                    return name.hasPrefix("$s") && (name.hasSuffix("Mn") || name.hasSuffix("Mp")) ? String(name) : nil
                })
        }
        self.init(descriptors: found, needed: try Self.needed(libraries))
    }

    /// The needed entries of each file: `readelf` prints the header `File: PATH` for two files or more only, so the first is asked twice.
    private static func needed(_ libraries: [String]) throws(LintError) -> [String: [String]] {
        var found: [String: [String]] = [:]
        var file = ""
        for line in try read(["env", "LC_ALL=C", "readelf", "--dynamic", "--wide"] + libraries + [libraries[0]]) {
            if line.hasPrefix("File: ") {
                file = String(line.dropFirst("File: ".count))
                found[file] = []
            } else if line.contains("(NEEDED)"), let name = line.split(separator: "[").last?.prefix(while: { $0 != "]" }) {
                found[file, default: []].append(String(name))
            }
        }
        return found
    }

    private static func read(_ command: [String]) throws(LintError) -> [Substring] {
        let result = try Child.run(command)
        guard result.status == 0 else {
            throw LintError("lint.images", "\(command.last ?? "") cannot be read: \(result.errors.prefix(500))", hint: "build it again")
        }
        return result.output.split(separator: "\n")
    }

    /// Domains whose models were found, and the number of their markers.
    package var markers: [String: Int] {
        Dictionary(uniqueKeysWithValues: models.map { domain, library in (domain, owned(by: domain, in: library).count) })
    }

    /// - Parameter infrastructure: whether a module is such that every domain may know it, of those of which the sources say so; of others
    ///   nothing is said when they know each other.
    package func findings(infrastructure: [String: Bool] = [:]) -> [Finding] {
        let empty = models.sorted { $0.key < $1.key }.compactMap { domain, library in
            owned(by: domain, in: library).isEmpty ? Finding(.image, Place(file: library), "it defines no type of \(domain)Models") : nil
        }
        return empty + copies() + ImageLayers(needed: needed, infrastructure: infrastructure).findings()
    }

    /// Each type is somebody's once: of the library that is named like its Swift module, else of the first by name.
    private func copies() -> [Finding] {
        var owners: [String: String] = [:]
        for (file, symbols) in descriptors.sorted(by: { $0.key < $1.key }) {
            let prefix = Self.prefix(Self.stem(file))
            for symbol in symbols where owners[symbol] == nil || symbol.hasPrefix(prefix) { owners[symbol] = file }
        }
        return descriptors.sorted { $0.key < $1.key }.flatMap { file, symbols in
            let copies = Dictionary(grouping: symbols.filter { owners[$0] != file }) { owners[$0] ?? file }
            return copies.sorted { $0.key < $1.key }.map { owner, symbols in
                let first = symbols.min() ?? ""
                return Finding(
                    .image, Place(file: file),
                    "it defines \(symbols.count == 1 ? first : "\(first) and \(symbols.count - 1) more") a second time, after \(owner)")
            }
        }
    }

    private var models: [String: String] {
        Dictionary(
            descriptors.keys.compactMap { file in Self.domain(ofModels: file).map { ($0, file) } }, uniquingKeysWith: { min($0, $1) })
    }

    private func owned(by domain: String, in library: String) -> Set<String> {
        descriptors[library]?.filter { $0.hasPrefix(Self.prefix(domain + Layer.models.rawValue)) } ?? []
    }

    /// Swift's mangling begins with the module's name and its length.
    private static func prefix(_ module: String) -> String { "$s\(module.utf8.count)\(module)" }

    /// `AuthModels` of `…/libAuthModels.so`.
    static func stem(_ file: String) -> String {
        let name = file.split(separator: "/").last ?? ""
        guard name.hasPrefix("lib"), let end = name.range(of: ".so") else { return String(name) }
        return String(name[name.index(name.startIndex, offsetBy: 3)..<end.lowerBound])
    }

    private static func domain(ofModels file: String) -> String? {
        guard let (domain, layer) = Layer.split(stem(file)), layer == .models else { return nil }
        return domain
    }
}
