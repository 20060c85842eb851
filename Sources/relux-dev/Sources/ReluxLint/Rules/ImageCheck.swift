import Foundation

/// Counts where the types of each domain's models are defined, over all libraries of a build.
package struct ImageCheck: Sendable {
    /// Descriptors of types and protocols by mangled name, by library.
    package let descriptors: [String: Set<String>]

    package init(descriptors: [String: Set<String>]) { self.descriptors = descriptors }

    /// Reads the symbols of all libraries in a folder.
    /// - Parameter folder: for example `.build/debug`; findings name files by it.
    package init(folder: String) throws(LintError) {
        let files: [String]
        do { files = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw LintError("lint.images", "\(folder) cannot be listed: \(error)", hint: "name the folder of a build, such as .build/debug")
        }
        let libraries = files.filter { $0.hasPrefix("lib") && $0.hasSuffix(".so") }.sorted()
        guard libraries.contains(where: { Self.domain(ofModels: $0) != nil }) else {
            throw LintError(
                "lint.images", "\(folder) has no lib<Domain>Models.so", hint: "build the package first, and name the folder of the build")
        }
        var found: [String: Set<String>] = [:]
        for library in libraries {
            let result = try Child.run(["nm", "--defined-only", "\(folder)/\(library)"])
            guard result.status == 0 else {
                throw LintError("lint.images", "\(folder)/\(library) cannot be read: \(result.errors.prefix(500))", hint: "build it again")
            }
            found["\(folder)/\(library)"] = Set(
                result.output.split(separator: "\n").compactMap { line in
                    let name = line.split(separator: " ").last ?? ""
                    // `Mn` ends the descriptor of a nominal type, `Mp` that of a protocol.
                    return name.hasPrefix("$s") && (name.hasSuffix("Mn") || name.hasSuffix("Mp")) ? String(name) : nil
                })
        }
        self.init(descriptors: found)
    }

    /// Domains whose models were found, and the number of their markers.
    package var markers: [String: Int] {
        Dictionary(uniqueKeysWithValues: libraries.map { domain, library in (domain, owned(by: domain, in: library).count) })
    }

    package func findings() -> [Finding] {
        libraries.sorted { $0.key < $1.key }.flatMap { domain, library -> [Finding] in
            let markers = owned(by: domain, in: library)
            guard !markers.isEmpty else {
                return [Finding(.image, Place(file: library), "it defines no type of \(domain)Models")]
            }
            let everywhere = descriptors.filter { $0.key != library }.sorted { $0.key < $1.key }
            return everywhere.compactMap { file, symbols in
                let copies = symbols.filter { $0.hasPrefix(Self.prefix(domain)) && markers.contains($0) }.sorted()
                guard let first = copies.first else { return nil }
                return Finding(
                    .image, Place(file: file),
                    "it defines \(copies.count == 1 ? first : "\(first) and \(copies.count - 1) more") a second time, after \(library)")
            }
        }
    }

    private var libraries: [String: String] {
        Dictionary(
            descriptors.keys.compactMap { file in Self.domain(ofModels: file).map { ($0, file) } }, uniquingKeysWith: { min($0, $1) })
    }

    private func owned(by domain: String, in library: String) -> Set<String> {
        descriptors[library]?.filter { $0.hasPrefix(Self.prefix(domain)) } ?? []
    }

    /// Swift's mangling begins with the module's name and its length.
    private static func prefix(_ domain: String) -> String {
        let module = domain + Layer.models.rawValue
        return "$s\(module.utf8.count)\(module)"
    }

    /// `Auth` of `…/libAuthModels.so`.
    private static func domain(ofModels file: String) -> String? {
        let name = file.split(separator: "/").last ?? ""
        guard name.hasPrefix("lib"), name.hasSuffix("Models.so"), name.utf8.count > 12 else { return nil }
        return String(name.dropFirst(3).dropLast(9))
    }
}
