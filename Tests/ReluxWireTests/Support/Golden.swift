import Foundation
import Testing

/// Texts that are kept beside the tests. `RELUX_RECORD=1` writes them anew and fails the run, so that nobody records unnoticed.
enum Golden {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Goldens")

    static func expect(_ text: String, at name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = directory.appending(path: name + ".hex")
        if ProcessInfo.processInfo.environment["RELUX_RECORD"] == "1" {
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            Issue.record("recorded \(name); run again without RELUX_RECORD", sourceLocation: sourceLocation)
        }
        #expect(try self.text(at: name) == text, sourceLocation: sourceLocation)
    }

    static func text(at name: String) throws -> String {
        String(decoding: try Data(contentsOf: directory.appending(path: name + ".hex")), as: UTF8.self)
    }
}
