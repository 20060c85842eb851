import ArgumentParser
import Foundation
import ReluxLint

struct LintCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, sarif }

    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Checks layering, linking and the pattern's rules in packages and built libraries.",
        discussion: """
            Without a path it checks the package here and those below it. A rule is silenced where it is broken by a comment on \
            the line or above it: // lint:allow RULE: the reason
            """)

    @Argument(help: "Packages, or folders with packages below.")
    var paths: [String] = []

    @Option(name: [.short, .customLong("output")], help: "How findings are printed.")
    var output: Format?

    @Flag(help: "The same as -o json.")
    var json = false

    @Option(help: ArgumentHelp("A folder of built libraries: each type of a domain's models must be defined in one.", valueName: "folder"))
    var images: String?

    @Flag(help: "Print every rule with its reason and remedy, and do nothing.")
    var rules = false

    private var format: Format { output ?? (json ? .json : .text) }

    func run() throws {
        if rules {
            Output.data(FindingText.rules().joined(separator: "\n"))
            return
        }
        let report: LintReport
        do { report = try self.report() } catch {
            throw Output.failure(error.code, error.message, hint: error.hint, status: 2, json: format != .text)
        }
        switch format {
        case .text:
            if !report.findings.isEmpty { Output.data(FindingText.lines(report).joined(separator: "\n")) }
            Output.talk(FindingText.summary(report))
        case .json: Output.data(FindingJSON(report).text)
        case .sarif: Output.data(SARIF(report).text)
        }
        if !report.findings.isEmpty { throw ExitCode(1) }
    }

    private func report() throws(LintError) -> LintReport {
        // With libraries alone, no source is asked.
        let folders = try Packages.named(paths.isEmpty && images == nil ? ["."] : paths)
        var report = LintReport()
        if !folders.isEmpty { report = try Linter(root: FileManager.default.currentDirectoryPath).lint(folders) }
        if let images { report.add(try ImageCheck(folder: images)) }
        return report
    }
}
