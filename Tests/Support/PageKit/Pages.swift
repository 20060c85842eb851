import Foundation

/// A page of a repository: its README, one of a plugin, or of a catalogue.
package struct Pages: Sendable {
    /// From the root of the repository.
    package let path: String
    package let page: Page

    /// The pages that name this test. Which these are is found by looking, so that none can be forgotten; those in the checkout come first, for they
    /// find it as it was.
    ///
    /// - Parameters:
    ///   - test: the test's own file, by `#filePath`.
    ///   - root: the repository's.
    package static func executed(by test: String, in root: String) throws -> [Pages] {
        let own = test.hasPrefix(root + "/") ? String(test.dropFirst(root.count + 1)) : test
        let pages = try paths(in: root).map { path in
            do {
                return Pages(path: path, page: try Page(String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)))
            } catch {
                throw PageError("\(path): \(error)")
            }
        }
        let mine = pages.filter { $0.page.executor == own }
        return mine.filter(\.page.isInCheckout) + mine.filter { !$0.page.isInCheckout }
    }

    /// The README, then the others in the order of their names.
    static func paths(in root: String) throws -> [String] {
        let manager = FileManager.default
        func below(_ folder: String) -> [String] { (try? manager.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? [] }
        let readmes = below("Plugins").map { "Plugins/\($0)/README.md" }
        let targets = below("Sources").map { "Sources/\($0)" } + below("Sources/relux-dev/Sources").map { "Sources/relux-dev/Sources/\($0)" }
        let catalogues = targets.flatMap { target in
            below(target).filter { $0.hasSuffix(".docc") }.flatMap { catalogue in
                below("\(target)/\(catalogue)").filter { $0.hasSuffix(".md") }.map { "\(target)/\(catalogue)/\($0)" }
            }
        }
        return (["README.md"] + (readmes + catalogues).sorted()).filter { manager.fileExists(atPath: "\(root)/\($0)") }
    }
}
