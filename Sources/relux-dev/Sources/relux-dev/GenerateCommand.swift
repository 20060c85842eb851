import ArgumentParser
import Foundation
import ReluxGenerate
import ReluxLint

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes fast coders for interfaces, and the dependencies of manifests.",
        discussion: """
            Beside the effects of each <Domain>ReluxInt, and of each orchestrator that has some, it writes <Domain>+Wire.generated.swift: \
            coders that write and read exactly the bytes of Codable. It reads sources only, so that nothing has to compile for it. \
            Any other target that has a file of that kind, even an empty one, is kept up to date too. Effects without generated coders \
            stay as they are: Codable codes them.

            What it cannot code from the declaration alone (coding by hand, private properties, generic types, types of other packages, types \
            that contain themselves) it leaves to Codable, field by field.

            In a manifest with a comment that says "\(ManifestFile.mark)" it also writes the dependencies of targets from what their sources \
            import: layers of the package itself, the platform's products, and packages that lie beside it. Products of packages from elsewhere stay \
            as they are.

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
        let files: GeneratedFiles
        do throws(LintError) {
            let folders = try Packages.named(paths.isEmpty ? ["."] : paths)
            files = try Linter(root: FileManager.default.currentDirectoryPath).generated(folders, existing: existing)
        } catch {
            throw Output.failure(error.code, error.message, hint: error.hint, status: error.status ?? 1, json: false)
        }
        let targets = files.coders
        for target in targets { for note in target.file.notes { Output.talk(note) } }
        // From half a type no coders follow.
        let unread = targets.filter { $0.isStale && $0.problem != nil }
        let stale = targets.filter { $0.isStale && $0.problem == nil }
        for target in stale {
            if !check { try write(target) }
            Output.data(line(target))
        }
        if let target = unread.first, let problem = target.problem { throw unparsed(problem, target.path) }
        let manifests = files.manifests.filter(\.isStale)
        if let manifest = manifests.first(where: { $0.problem != nil }), let problem = manifest.problem { throw unparsed(problem, manifest.path) }
        for manifest in manifests {
            if !check { try write(manifest.text, to: manifest.path) }
            Output.data(check ? "\(manifest.path): stale; run relux generate" : "\(manifest.path): changed")
        }
        let payloads = targets.reduce(0) { $0 + $1.file.payloads.count }
        let written = targets.count { $0.file.text != nil }
        let changed = stale.count { check || !existing || $0.file.text != nil } + manifests.count
        Output.talk(
            "\(payloads) effect\(payloads == 1 ? "" : "s") and snapshots in \(written) file\(written == 1 ? "" : "s"), "
                + "\(changed) \(check ? "stale" : "written")")
        if check, !stale.isEmpty || !manifests.isEmpty { throw ExitCode(1) }
    }

    private func unparsed(_ problem: Finding, _ path: String) -> any Error {
        Output.failure(
            "generate.syntax", "\(problem.place.file):\(problem.place.line):\(problem.place.column) does not parse; \(path) stays as it is",
            hint: "make it parse, and run relux generate again", status: 1, json: false)
    }

    private func line(_ target: WireTarget) -> String {
        switch (target.written, target.file.text) {
        case (nil, _): check ? "\(target.path): missing; run relux generate" : "\(target.path): new"
        case (_, nil): check || existing ? "\(target.path): codes nothing any more; run relux generate" : "\(target.path): removed"
        default: check ? "\(target.path): stale; run relux generate" : "\(target.path): changed"
        }
    }

    private func write(_ target: WireTarget) throws {
        if target.file.text != nil || !existing { try write(target.file.text, to: target.path) }
    }

    /// - Parameter text: nil for a file that is to go.
    private func write(_ text: String?, to path: String) throws {
        let file = URL(fileURLWithPath: path)
        do {
            if let text { try Data(text.utf8).write(to: file, options: .atomic) } else { try FileManager.default.removeItem(at: file) }
        } catch {
            throw Output.failure(
                "generate.write", "\(path) cannot be written: \(FileReason.of(error))", hint: "check that its folder may be written", status: 1,
                json: false)
        }
    }
}
