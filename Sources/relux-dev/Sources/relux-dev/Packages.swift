import Foundation
import ReluxLint

enum Packages {
    /// The packages in folders that were named, and below them; each once, absolute.
    /// - Throws: `lint.noPackage` for a folder without any.
    static func named(_ paths: [String]) throws(LintError) -> [String] {
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        var folders: [String] = []
        for path in paths {
            let folder = URL(fileURLWithPath: path, relativeTo: here).standardizedFileURL.path
            let found = Linter.packages(below: folder)
            guard !found.isEmpty else {
                throw LintError(
                    "lint.noPackage", "there is no Package.swift in \(folder) or up to three folders below", hint: "name a package's folder",
                    status: 2)
            }
            folders += found.filter { !folders.contains($0) }
        }
        return folders
    }
}
