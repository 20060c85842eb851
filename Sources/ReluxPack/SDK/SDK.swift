import Foundation
import ReluxLayers

/// A folder with what plugins are built against, laid out as Relux's checkout is.
package struct SDK: Sendable {
    /// `sdk.json`, by which a folder is one.
    package struct Note: Codable, Sendable {
        package static let schema = "relux.sdk/1"
        package static let fileName = "sdk.json"

        package let schema: String
        /// Relux's version.
        package let version: String
        /// The guard that everything built against it needs.
        package let runtimeGuard: String
        /// First line of the compiler's version: no other one reads what is here.
        package let compiler: String
        /// For example `x86_64-unknown-linux-gnu`.
        package let target: String

        var text: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(self) else { preconditionFailure("texts always encode") }
            return String(decoding: data, as: UTF8.self) + "\n"
        }
    }

    /// Beside an interface's `Package.swift`: its module's kind, for what lint judges by.
    static let kindFile = "kind"

    package let folder: String
    package let note: Note

    /// - Throws: `sdk.folder` for a folder that is none.
    package init(at folder: String) throws(PackError) {
        let path = "\(folder)/\(Note.fileName)"
        guard let data = PlainFile.contents(path) else {
            throw PackError(.sdk, "\(folder) is no SDK: \(FileReason.unread(path).map { "\(path): \($0)" } ?? "\(path) is missing"); make one: relux sdk export DIR")
        }
        guard let note = try? JSONDecoder().decode(Note.self, from: data), note.schema == Note.schema else {
            throw PackError(.sdk, "\(path) is no \(Note.schema): another version wrote it, or somebody changed it; export the SDK again")
        }
        self.folder = folder
        self.note = note
    }

    /// The domains whose interfaces it has, sorted.
    package var interfaces: [String] {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/Plugins")) ?? []
        return found.filter { !$0.hasPrefix(".") && $0 != SDKContents.database.name && FileManager.default.fileExists(atPath: "\(folder)/Plugins/\($0)/Package.swift") }.sorted()
    }

    /// The domains among those that a package's products need which are not there.
    func missing(for package: SDKContents.Package, besides others: Set<String>) -> [String] {
        let there = Set(interfaces).union(others)
        return Set(package.products.flatMap(\.needs).map(\.package)).subtracting(there).subtracting([SDKContents.coreName]).sorted()
    }
}
