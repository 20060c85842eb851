/// Which files of a package a change has to be seen of. Pure.
enum SourcePath {
    /// The folders of a package that are watched, with all below them; of the package's folder itself only the manifest is.
    static let folders = ["Sources", "Tests"]

    /// Hidden folders, and those that a build or an editor makes.
    static func isWatched(folder name: String) -> Bool { !name.hasPrefix(".") && name != "__pycache__" }

    /// No file that an editor makes for itself: hidden ones, backups, swap files, what `vim` tries a folder with, and drafts of a rename.
    static func isWatched(file name: String) -> Bool {
        guard !name.isEmpty, !name.hasPrefix("."), !name.hasPrefix("#"), !name.hasSuffix("~") else { return false }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if let ending = parts.last, parts.count > 1, ["swp", "swo", "swx", "tmp", "bak", "orig", "rej", "part", "lock"].contains(ending) { return false }
        // 4913 and the like: a number without more.
        return !name.utf8.allSatisfy { (0x30...0x39).contains($0) } && name != "Package.resolved"
    }

    /// Whether `relux generate` writes the file with this path.
    static func isGenerated(_ path: String) -> Bool { path.hasSuffix("+Wire.generated.swift") }

    /// Directly in the package's folder.
    static func isWatched(inPackage name: String) -> Bool {
        name == "Package.swift" || name.hasPrefix("Package@swift-") && name.hasSuffix(".swift")
    }
}
