import Foundation
import Glibc
import PageKit
import ReluxTestKit
import Testing

/// Executes a page in a folder of its own, or in the checkout, for a cluster that runs.
///
/// The products of a page's packages go to the build that is tested, where all that they depend on is built already; a person's own takes a
/// minute more. That is all in which it differs from what a person does.
final class PageRun {
    private let page: String
    private let folder: PageFolder
    private let scratch: String
    private let environment: [String: String]
    private let transcript: Transcript
    private let cli: CLI
    private let clock = ContinuousClock()
    private var tap: TerminalProgram?
    /// The commands' times, for whoever reads the test's output.
    private(set) var times: [(command: String, took: Duration)] = []

    /// The folder is a new one, unless the page is for the checkout.
    init(_ cluster: Cluster, _ page: Pages) throws {
        self.page = page.path
        cli = cluster.cli
        folder = PageFolder(page.page.isInCheckout ? Built.repository : cluster.directory + "/work")
        let programs = cluster.directory + "/programs"
        for path in [folder.path, programs] { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        transcript = Transcript(places: [("~/work", folder.path), ("~/cluster", cluster.directory)])
        scratch = URL(fileURLWithPath: Built.directory).deletingLastPathComponent().deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        try Self.packageManager(scratch, path).write(toFile: programs + "/swift", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: programs + "/swift")
        var environment = cluster.cli.environment
        environment["PATH"] = "\(programs):\(Built.directory):\(path)"
        // Part of the plan of the build that is shared.
        environment["RELUX_CONFIGURATION"] = URL(fileURLWithPath: Built.directory).lastPathComponent
        environment["RELUX_BENCH"] = ProcessInfo.processInfo.environment["RELUX_BENCH"]
        self.environment = environment
    }

    /// `swift` with the scratch path of the build that is tested. Whoever runs this test may hold its lock, and the plan of another package
    /// must not be taken for this one's.
    private static func packageManager(_ scratch: String, _ path: String) -> String {
        """
        #!/bin/sh
        PATH='\(path)'
        word=$1
        case $word in
        build | test)
            shift
            exec swift "$word" --scratch-path '\(scratch)' --ignore-lock --disable-build-manifest-caching "$@"
            ;;
        esac
        exec swift "$@"

        """
    }

    /// A command that prints something else is an issue.
    /// - Throws: at the first step that cannot be executed.
    func play(_ step: Page.Step) async throws {
        switch step {
        case .write(let file, let text): try folder.write(text, to: file)
        case .change(let file, let changes): try folder.change(file, changes)
        case .tap(let command, let warmUp):
            let program = try TerminalProgram(command, in: folder.path, environment)
            try await program.hear(warmUp, cli)
            tap = program
        case .run(let command): try await run(command)
        }
    }

    private func run(_ command: Page.Command) async throws {
        let begun = clock.now
        let outcome = try await CLI.run(
            "/bin/sh", ["-c", "cd '\(folder.path)' && { \(command.text)\n} 2>&1"], environment: environment, limit: .seconds(600))
        times.append((command.text, begun.duration(to: clock.now)))
        linkBuild()
        let printed = Transcript.lines(outcome.stdout)
        if let difference = transcript.difference(said: command.prints, printed: printed) {
            Issue.record("\(page):\(command.line): \(command.text)\n\(difference)")
        }
        try #require(outcome.status == 0, "\(page):\(command.line): \(command.text) ended with \(outcome.status)\n\(outcome.stdout)")
        if let tap { try await end(tap) }
    }

    /// A package's `.build` that the page looks into lies in the build that is tested.
    private func linkBuild() {
        guard folder.path != Built.repository else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try? FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)/.build", withDestinationPath: scratch)
        }
    }

    private func end(_ program: TerminalProgram) async throws {
        tap = nil
        let printed = try await program.end()
        // Two hosts' effects come on two sockets.
        let order = { (lines: [String]) in lines.map { self.transcript.plain($0).split(separator: " ").dropFirst().joined(separator: " ") }.sorted() }
        if order(program.command.prints) != order(printed) {
            Issue.record(
                "\(page):\(program.command.line): \(transcript.difference(said: program.command.prints, printed: printed) ?? "in another order")")
        }
    }
}
