import Foundation
import Testing

/// relux-dev with a standard output that takes nothing: a full device, and a reader that has gone.
@Suite struct OutputFailureTests {
    private static let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path + "/relux-dev"

    /// - Parameter script: what a shell does with the program, `$@`.
    private func run(_ arguments: [String], _ script: String) throws -> (status: Int32, talk: String, folder: String) {
        let folder = NSTemporaryDirectory() + "/relux-output-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "import X\n".write(toFile: folder + "/Package.swift", atomically: true, encoding: .utf8)
        let talk = URL(fileURLWithPath: folder + "/talk")
        try Data().write(to: talk)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", Self.tool] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: talk)
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: talk, encoding: .utf8), folder)
    }

    private static let plugin = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().path + "/../../../Plugins/Navigation"
    private static let printing = [
        ["lint", "--rules"], ["lint", plugin, "--json"], ["checklist", plugin], ["graph", plugin], ["graph", plugin, "-o", "mermaid"], ["--help"],
        ["new", "domain", "--help"], ["new", "domain", "Rain", "--standalone"],
    ]

    @Test func `what cannot be written is a failure with a reason`() throws {
        for arguments in Self.printing {
            let ended = try run(arguments, #"exec "$@" >/dev/full"#)
            #expect(ended.status == 74, "\(arguments): \(ended)")
            #expect(ended.talk.contains("relux: standard output cannot be written: No space left on device"), "\(arguments): \(ended)")
        }
    }

    @Test func `without a reader it ends quietly, also where SIGPIPE is ignored`() throws {
        for arguments in Self.printing {
            // A pipe whose only reader was closed before anything is written.
            let ended = try run(arguments, #"trap '' PIPE; mkfifo pipe; exec 4<>pipe; exec 5>pipe; exec 4<&-; exec "$@" >&5"#)
            #expect(ended.status == 141, "\(arguments): \(ended)")
            #expect(!ended.talk.contains("relux: standard output"), "\(arguments): \(ended)")
        }
    }

    @Test func `a word that means nothing where it stands is answered with the nearest that would`() throws {
        for (arguments, said) in [
            (["lnt"], "'lnt' is no command of `relux-dev`\n       did you mean 'lint'?"),
            (["new", "domian", "X"], "'domian' is no command of `relux-dev new`\n       did you mean 'domain'?"),
            (["new", "domian", "--help"], "'domian' is no command of `relux-dev new`\n       did you mean 'domain'?"),
            (["help", "new", "feture"], "'feture' is no command of `relux-dev new`\n       did you mean 'feature'?"),
            (["lint", "--riles"], "'--riles' is no option of `relux-dev lint`\n       did you mean '--rules'?"),
            (["lint", "--sort"], "'--sort' is no option of `relux-dev lint`\n       `relux-dev lint --help` names those that there are"),
            (["graph", "-o", "jsno"], "'jsno' is no value of -o\n       did you mean 'json'?"),
        ] {
            let ended = try run(arguments, #"exec "$@""#)
            #expect(ended.status == 2 && ended.talk == "relux: \(said)\n", "\(ended)")
        }
        let json = try run(["lint", "--json", "--riles"], #"exec "$@""#)
        #expect(json.status == 2 && json.talk.contains(#""code":"usage.option""#), "\(json)")
    }

    @Test func `the name that an orchestrator gets is said when it is another one`() throws {
        let ended = try run(["new", "orchestrator", "UptimeAlerts", "--domains", "Nobody"], #"exec "$@""#)
        #expect(ended.talk.hasPrefix("UptimeAlerts becomes UptimeAlertsOrchestration: "), "\(ended)")
        let same = try run(["new", "orchestrator", "UptimeAlertsOrchestration", "--domains", "Nobody"], #"exec "$@""#)
        #expect(!same.talk.contains("becomes"), "\(same)")
        let near = try run(["new", "orchestrator", "Sky", "--domains", "Navigatoin"], "cd \(Self.plugin)/..; exec \"$@\"")
        #expect(near.talk.contains("did you mean 'Navigation'? Else name domains"), "\(near)")
    }
}
