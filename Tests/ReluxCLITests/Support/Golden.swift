import Foundation
import Testing

/// Compares whole outputs with files under `Goldens`; `RELUX_RECORD=1` writes them and fails the run.
func expectGolden(_ text: String, _ name: String, location: SourceLocation = #_sourceLocation) throws {
    let folder = URL(filePath: #filePath).appending(path: "../../Goldens").standardizedFileURL
    let golden = folder.appendingPathComponent(name + ".txt")
    if ProcessInfo.processInfo.environment["RELUX_RECORD"] == "1" {
        try FileManager.default.createDirectory(
            at: golden.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((text + "\n").utf8).write(to: golden)
        Issue.record("recorded \(golden.lastPathComponent); run again without RELUX_RECORD", sourceLocation: location)
        return
    }
    let expected = (try? String(contentsOf: golden, encoding: .utf8)) ?? "(no golden)\n"
    #expect(text + "\n" == expected, sourceLocation: location)
}
