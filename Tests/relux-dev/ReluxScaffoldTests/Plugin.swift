import Foundation
import Testing

/// A checked-in plugin, by name.
struct Plugin {
    private let folder: String

    init(_ name: String) { folder = "\(Folders.root)/Plugins/\(name)" }

    /// A file's text without what is the plugin's own.
    ///
    /// - Parameter own: what stands there and what stands in its place; each is there just once, or the test has failed.
    func text(_ path: String, without own: [(text: String, instead: String)] = []) throws -> String {
        var text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
        for (words, instead) in own {
            #expect(text.components(separatedBy: words).count == 2, "\(path) has not just once: \(words)")
            text = text.replacingOccurrences(of: words, with: instead)
        }
        return text
    }

    /// Every Swift file's path from the package's folder.
    func sources() throws -> Set<String> {
        let walk = try #require(FileManager.default.enumerator(atPath: folder))
        return Set(walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") })
    }
}

/// The checkout that this test is of.
enum Folders {
    /// …/Tests/relux-dev/ReluxScaffoldTests/File.swift
    static let root = "/" + URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().pathComponents.dropFirst().dropLast(4).joined(separator: "/")
}
