import ArgumentParser
import Foundation
import ReluxGenerate
import ReluxLint

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes fast coders for the effects and snapshots of interfaces.",
        discussion: """
            Beside the effects of each <Domain>ReluxInt, and of each orchestrator that has some, it writes <Domain>+Wire.generated.swift: \
            coders that write and read exactly the bytes of Codable. It reads sources only, so that nothing has to compile for it. \
            Any other target that has a file of that kind, even an empty one, is kept up to date too. Effects without generated coders \
            stay as they are: Codable codes them.

            What it cannot code from the declaration alone (coding by hand, private properties, generic types, types of other packages, types \
            that contain themselves) it leaves to Codable, field by field.

            EXAMPLES:
              relux generate Plugins/Notes
              relux generate --check

            Exit status: 0 done, 1 stale (with --check) or not to be read, 2 usage.
            """)

    @Argument(help: "Packages, or folders with packages below; else the folder here.")
    var paths: [String] = []

    @Flag(help: "Write nothing; say which files are stale or missing, and end with 1 if any is.")
    var check = false

    @Flag(help: "Only bring files up to date that are there: make none, remove none. So does relux dev.")
    var existing = false

    func run() throws {
        let targets: [WireTarget]
        do throws(LintError) {
            let folders = try Packages.named(paths.isEmpty ? ["."] : paths)
            targets = try Linter(root: FileManager.default.currentDirectoryPath).wireTargets(folders, existing: existing)
        } catch {
            throw Output.failure(error.code, error.message, hint: error.hint, status: error.status ?? 1, json: false)
        }
        for target in targets { for note in target.file.notes { Output.talk(note) } }
        // From half a type no coders follow.
        let unread = targets.filter { $0.isStale && $0.problem != nil }
        let stale = targets.filter { $0.isStale && $0.problem == nil }
        for target in stale {
            if !check { try write(target) }
            Output.data(line(target))
        }
        if let target = unread.first, let problem = target.problem {
            throw Output.failure(
                "generate.syntax", "\(problem.place.file):\(problem.place.line):\(problem.place.column) does not parse; \(target.path) stays as it is",
                hint: "make it parse, and run relux generate again", status: 1, json: false)
        }
        let payloads = targets.reduce(0) { $0 + $1.file.payloads.count }
        let files = targets.count { $0.file.text != nil }
        Output.talk(
            "\(payloads) effect\(payloads == 1 ? "" : "s") and snapshots in \(files) file\(files == 1 ? "" : "s"), "
                + "\(stale.count { check || !existing || $0.file.text != nil }) \(check ? "stale" : "written")")
        if check, !stale.isEmpty { throw ExitCode(1) }
    }

    private func line(_ target: WireTarget) -> String {
        switch (target.written, target.file.text) {
        case (nil, _): check ? "\(target.path): missing; run relux generate" : "\(target.path): new"
        case (_, nil): check || existing ? "\(target.path): codes nothing any more; run relux generate" : "\(target.path): removed"
        default: check ? "\(target.path): stale; run relux generate" : "\(target.path): changed"
        }
    }

    private func write(_ target: WireTarget) throws {
        let file = URL(fileURLWithPath: target.path)
        do {
            if let text = target.file.text {
                try Data(text.utf8).write(to: file, options: .atomic)
            } else if !existing {
                try FileManager.default.removeItem(at: file)
            }
        } catch {
            throw Output.failure(
                "generate.write", "\(target.path) cannot be written: \(FileReason.of(error))", hint: "check that its folder may be written",
                status: 1, json: false)
        }
    }
}
