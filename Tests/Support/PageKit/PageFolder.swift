import Foundation

/// The folder in which a page's commands run, and its edits.
package struct PageFolder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// - Throws: when the file is there already.
    package func write(_ text: String, to file: String) throws {
        guard !FileManager.default.fileExists(atPath: "\(path)/\(file)") else { throw PageError("\(file) is there already") }
        try text.write(toFile: "\(path)/\(file)", atomically: true, encoding: .utf8)
    }

    /// - Throws: when what is to be changed does not stand in the file just once; nothing is changed then.
    package func change(_ file: String, _ changes: [Page.Change]) throws {
        var text = try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
        for change in changes {
            guard text.components(separatedBy: change.before).count == 2 else {
                throw PageError("\(file) has not just once:\n\(change.before)")
            }
            text = text.replacing(change.before, with: change.after)
        }
        try text.write(toFile: "\(path)/\(file)", atomically: true, encoding: .utf8)
    }
}
