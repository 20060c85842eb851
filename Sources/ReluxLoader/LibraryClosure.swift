import ReluxLayers

/// A built library and all that it needs from the folder it lies in.
package struct LibraryClosure: Sendable {
    /// The library itself first, then by name.
    package let images: [ElfImage]

    /// Follows the needed entries to files beside the library; platform libraries stay where the host finds them.
    /// - Throws: what ``ElfImage`` says of each file; `loader.missing` for a file that is missing and no platform library.
    package init(library: String) throws(LoaderError) {
        let folder = library.lastIndex(of: "/").map { String(library[..<$0]) } ?? "."
        let root = try ElfImage(contentsOf: library)
        var found: [String: ElfImage] = [PluginVerifier.name(of: root): root]
        var queue = [root]
        while let image = queue.popLast() {
            for name in image.needed where found[name] == nil && !LibraryName.isPlatform(name) {
                let next: ElfImage
                do throws(LoaderError) { next = try ElfImage(contentsOf: "\(folder)/\(name)") } catch {
                    guard error.code == .unreadable else { throw error }
                    throw LoaderError(
                        .missing, offender: image.file, "it needs \(name), which is not beside it: \(error.message)",
                        remedy: "build the whole package, then try again")
                }
                found[name] = next
                queue.append(next)
            }
        }
        images = [root] + found.values.filter { $0.file != root.file }.sorted { $0.file < $1.file }
    }
}
