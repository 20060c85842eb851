import Foundation

/// Executes a page that needs no cluster.
package struct PlainPageRun: Sendable {
    private let folder: PageFolder
    private let transcript: Transcript
    private let environment: [String: String]

    /// - Parameters:
    ///   - folder: where its commands run; the page calls it `~/work`.
    ///   - environment: of the commands, and no other.
    package init(in folder: String, environment: [String: String]) {
        self.folder = PageFolder(folder)
        transcript = Transcript(places: [("~/work", folder)])
        self.environment = environment
    }

    /// - Returns: what is wrong, by the page's lines; it is executed to its end unless a step cannot be.
    package func play(_ page: Page) async throws -> [String] {
        var wrong: [String] = []
        for step in page.steps {
            switch step {
            case .write(let file, let text): try folder.write(text, to: file)
            case .change(let file, let changes): try folder.change(file, changes)
            case .tap(let command, _): throw PageError("line \(command.line): \(command.text) needs a cluster")
            case .run(let command):
                let (status, printed) = try await shell(command.text)
                if let difference = transcript.difference(said: command.prints, printed: printed) {
                    wrong.append("line \(command.line): \(command.text)\n\(difference)")
                }
                guard status == 0 else { return wrong + ["line \(command.line): \(command.text) ended with \(status)"] }
            }
        }
        return wrong
    }

    /// Off the pool, for it blocks.
    private func shell(_ command: String) async throws -> (status: Int32, lines: [String]) {
        let (folder, environment) = (folder.path, environment)
        return try await withCheckedThrowingContinuation { done in
            Thread {
                done.resume(with: Result {
                    let process = Process()
                    let pipe = Pipe()
                    process.executableURL = URL(fileURLWithPath: "/bin/sh")
                    process.arguments = ["-c", "{ \(command)\n} 2>&1"]
                    process.currentDirectoryURL = URL(fileURLWithPath: folder)
                    process.environment = environment
                    process.standardInput = FileHandle.nullDevice
                    process.standardOutput = pipe
                    try process.run()
                    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    process.waitUntilExit()
                    return (process.terminationStatus, Transcript.lines(text))
                })
            }.start()
        }
    }
}
