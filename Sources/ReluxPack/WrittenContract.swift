package import Foundation
package import ReluxPlugin

/// A contract as it lies on the disk: in the file beside an interface, or in the manifest of a packed version.
package struct WrittenContract: Sendable {
    package let contract: Contract
    /// `Auth 1.4.0` of a packed version; nil for a file beside an interface.
    package let version: String?

    /// - Parameter path: a contract's file, a packed version's directory or its manifest, or a plugin's package.
    /// - Throws: `contract.missing` when there is none, `contract.unreadable` when it is of another format or its fingerprints are not those
    ///   of the fields beside them.
    package init(at path: String) throws(PackError) {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw PackError(.missingContract, "there is no \(path)")
        }
        try self.init(file: isFolder.boolValue ? Self.file(in: path) : path)
    }

    /// - Parameter name: how an error calls it.
    package init(_ data: Data, name: String) throws(PackError) {
        // A manifest holds a contract; a contract has topics.
        let isManifest = (try? JSONDecoder().decode(Manifest.self, from: data)) != nil
        do {
            if isManifest {
                let manifest = try JSONDecoder().decode(PluginManifest.self, from: data)
                contract = manifest.contract
                version = "\(manifest.module.id) \(manifest.module.version)"
            } else {
                contract = try JSONDecoder().decode(Contract.self, from: data)
                version = nil
            }
        } catch {
            throw PackError(.unreadableContract, "\(name) is no contract of this format: \(Self.reason(error))")
        }
    }

    private init(file: String) throws(PackError) {
        guard let data = PlainFile.contents(file) else {
            throw PackError(.missingContract, "\(file) cannot be read")
        }
        try self.init(data, name: file)
    }

    private static func file(in folder: String) throws(PackError) -> String {
        let files = FileManager.default
        let manifest = "\(folder)/\(PluginManifest.fileName)"
        if files.fileExists(atPath: manifest) { return manifest }
        let sources = "\(folder)/Sources"
        let targets = ((try? files.contentsOfDirectory(atPath: sources)) ?? []).sorted()
        let found = targets.flatMap { target in
            ((try? files.contentsOfDirectory(atPath: "\(sources)/\(target)")) ?? []).sorted()
                .filter { $0.hasSuffix(".contract.json") }.map { "\(sources)/\(target)/\($0)" }
        }
        guard found.count == 1 else {
            throw PackError(
                .missingContract,
                found.isEmpty
                    ? "\(folder) has no \(PluginManifest.fileName) and no Sources/*/*.contract.json"
                    : "\(folder) has more than one contract: \(found.joined(separator: ", "))")
        }
        return found[0]
    }

    private struct Manifest: Decodable { let runtimeGuard: String }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context),
            DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            context.debugDescription
        default: "\(error)"
        }
    }
}
