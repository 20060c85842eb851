import ArgumentParser
import Foundation
import ReluxLint

struct ChecklistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checklist",
        abstract: "Goes through the seeds' checklists for a plugin, by what its sources and packages say now.",
        discussion: """
            [x] is done, [ ] is open with what is missing, [?] is what only a person can tell. Exit status 1 when a point is open. Without a \
            path it looks at the package here and those below it. It looks at both packages of a domain that has two: the other one lies beside \
            the one that is named.
            """)

    @Argument(help: "Packages, or folders with packages below.")
    var paths: [String] = ["."]

    @Flag(help: "Print JSON; errors are JSON too, on standard error.")
    var json = false

    func run() throws {
        let lists: [Checklist]
        do { lists = try Linter(root: FileManager.default.currentDirectoryPath).checklists(try Packages.named(paths)) } catch {
            throw Output.failure(error.code, error.message, hint: error.hint, status: error.status ?? 2, json: json)
        }
        if json {
            Output.data(ChecklistJSON(lists).text)
        } else {
            Output.data(ChecklistText.lines(lists).joined(separator: "\n"))
            Output.talk(ChecklistText.summary(lists))
        }
        if lists.contains(where: { $0.open > 0 }) { throw ExitCode(1) }
    }
}
