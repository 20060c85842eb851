import Foundation
import Glibc

/// The plugins of this build, packed once per test process.
enum PackedPlugins {
    private static let folder = SharedFolder()

    /// The directory in which they lie.
    static func shared() async throws -> String {
        try await folder.path { try await pack() }
    }

    private static func pack() async throws -> String {
        let directory = try SharedFolder.make("rxe-packed")
        let start = ContinuousClock.now
        let outcome = try await CLI.run(
            Built.path("relux"), ["module", "pack", "--all", "--build", Built.directory, "--out", directory],
            environment: ProcessInfo.processInfo.environment, limit: .seconds(600))
        guard outcome.status == 0 else { throw HarnessError("the plugins were not packed\n\(outcome)") }
        // Seconds on an idle machine, minutes on a busy one; the first story that needs them has it in its time.
        let seconds = (ContinuousClock.now - start).components.seconds
        FileHandle.standardError.write(Data("--- the plugins were packed in \(seconds) s, which the story that runs now is charged with\n".utf8))
        return directory
    }
}
