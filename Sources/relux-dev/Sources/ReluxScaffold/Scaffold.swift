import Foundation
import ReluxLint

/// The files of a new package, and what is left to do by hand.
package struct Scaffold: Sendable {
    /// Text by path in the package.
    package let files: [String: String]
    /// The paths of those files that are run.
    package var executables: Set<String> = []
    /// The folder of the package with the tests; nil for the scaffold's own.
    package var tested: String?
    /// The seeds' checklist in its order.
    package let checklist: [Step]

    package struct Step: Hashable, Sendable {
        package let text: String
        package let isDone: Bool
    }

    /// Writes all files into a folder that is not there yet, or none.
    /// - Throws: `new.exists` for a folder or file that is there, `new.write` for what the system refuses.
    package func write(to folder: String) throws(ScaffoldError) {
        let manager = FileManager.default
        guard !manager.fileExists(atPath: folder), (try? manager.destinationOfSymbolicLink(atPath: folder)) == nil else {
            throw ScaffoldError(
                "new.exists", "\(folder) is there already, and nothing is overwritten", hint: "choose another name, or move it away")
        }
        let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        // Beside the place and then by rename, so that nobody sees half a package.
        let draft = "\(parent)/.\(URL(fileURLWithPath: folder).lastPathComponent).\(UUID().uuidString)"
        do {
            for (path, text) in files.sorted(by: { $0.key < $1.key }) {
                let file = URL(fileURLWithPath: "\(draft)/\(path)")
                try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
                if executables.contains(path) { try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path) }
            }
            try manager.moveItem(atPath: draft, toPath: folder)
        } catch {
            try? manager.removeItem(atPath: draft)
            throw ScaffoldError(
                "new.write", "\(folder) cannot be written: \(FileReason.of(error))", hint: "check the folder's rights and the disk")
        }
    }
}

extension Scaffold {
    /// Adds the files to a package that is there, or none of them.
    /// - Parameter manifest: the package's new manifest, written last.
    /// - Throws: `new.exists` for a file that is there, `new.write` for what the system refuses.
    package func add(to folder: String, manifest: String) throws(ScaffoldError) {
        let manager = FileManager.default
        if let taken = files.keys.sorted().first(where: { manager.fileExists(atPath: "\(folder)/\($0)") }) {
            throw ScaffoldError("new.exists", "\(folder)/\(taken) is there already, and nothing is overwritten", hint: "choose another name")
        }
        var written: [String] = []
        do {
            for (path, text) in files.sorted(by: { $0.key < $1.key }) {
                let file = URL(fileURLWithPath: "\(folder)/\(path)")
                try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file, options: .withoutOverwriting)
                written.append(file.path)
            }
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(folder)/Package.swift"), options: .atomic)
        } catch {
            for file in written { try? manager.removeItem(atPath: file) }
            throw ScaffoldError(
                "new.write", "\(folder) cannot be written to: \(FileReason.of(error))", hint: "check the folder's rights and the disk")
        }
    }
}

/// Where the packages lie that a new one depends on, as its manifest writes them.
package struct Surroundings: Hashable, Sendable {
    /// Relux itself, from the new package's folder.
    package let core: String
    /// Its plugins' folder, from there.
    package let plugins: String
    /// Inside Relux's checkout, whose manifest lists every plugin.
    package let isInside: Bool

    package init(core: String, plugins: String, isInside: Bool) {
        self.core = core
        self.plugins = plugins
        self.isInside = isInside
    }

    /// From a folder in the new package's.
    var deeper: Surroundings { Surroundings(core: "../\(core)", plugins: "../\(plugins)", isInside: isInside) }

    /// For `Plugins/<Name>` of the checkout.
    package static let inside = Surroundings(core: "../..", plugins: "..", isInside: true)
}

/// A template with names put in, its imports in the order of their names.
func filled(_ template: String, _ words: [String: String]) -> String {
    var text = template
    for (mark, word) in words { text = text.replacingOccurrences(of: mark, with: word) }
    var lines: [Substring] = []
    var imports: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if importedModule(line) != nil {
            imports.append(line)
        } else {
            lines += imports.sorted { (importedModule($0) ?? "") < (importedModule($1) ?? "") }
            imports = []
            lines.append(line)
        }
    }
    lines += imports.sorted { (importedModule($0) ?? "") < (importedModule($1) ?? "") }
    return lines.joined(separator: "\n") + "\n"
}

/// `Relux` of `public import Relux`.
private func importedModule(_ line: Substring) -> Substring? {
    let words = line.split(separator: " ")
    guard words.count >= 2, words[words.count - 2] == "import", !line.hasPrefix("//"), !line.hasPrefix(" ") else { return nil }
    return words.last
}
