import ArgumentParser
import Foundation
import ReluxGraph
import ReluxLint

struct GraphCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, dot, mermaid, json }

    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Draws which module depends on whose interface, from sources or from a running cluster.",
        discussion: """
            From sources it reads the packages below a folder: what their manifests and files import, what each plugin's declaration handles, \
            emits, provides and observes, and the contracts beside the interfaces. With --live it asks the cluster by `relux status`.

            Rows are the phases. A line is solid where one emits another's effects, dashed where it only handles or observes them, dotted where \
            it only imports.

            EXAMPLES:
              relux graph Plugins
              relux graph --live -o dot | dot -Tsvg > cluster.svg

            Exit status: 0 drawn, 1 the sources or the answer cannot be read, 2 usage, and with --live 3 if there is no relux, \
            else what `relux status` ended with.
            """)

    @Argument(help: "Packages, or folders with packages below; else the folder here.")
    var paths: [String] = []

    @Flag(help: "Draw the running cluster instead of sources.")
    var live = false

    @OptionGroup var cluster: ClusterOptions

    @Option(name: [.short, .customLong("output")], help: "How the graph is printed.")
    var output: Format?

    @Flag(help: "The same as -o json; errors are JSON too, on standard error.")
    var json = false

    private var format: Format { output ?? (json ? .json : .text) }

    func validate() throws {
        if live, !paths.isEmpty { throw ValidationError("a running cluster has no folders; leave out \(paths[0]) or --live") }
        if !live, !cluster.arguments.isEmpty { throw ValidationError("--run and --config say which cluster: they need --live") }
    }

    func run() throws {
        let graph: Architecture
        do throws(LintError) { graph = try live ? ofCluster() : ofSources() } catch {
            throw Output.failure(error.code, error.message, hint: error.hint, status: error.status ?? 1, json: format == .json)
        }
        switch format {
        case .text: Output.data(GraphText.lines(graph).joined(separator: "\n"))
        case .dot: Output.data(GraphDOT.lines(graph).joined(separator: "\n"))
        case .mermaid: Output.data(GraphMermaid.lines(graph).joined(separator: "\n"))
        case .json: Output.data(GraphJSON(graph).text)
        }
        guard format != .json else { return }
        for note in GraphText.notes(graph) { Output.talk(note) }
        Output.talk(GraphText.summary(graph))
    }

    private func ofSources() throws(LintError) -> Architecture {
        let folders = try Packages.named(paths.isEmpty ? ["."] : paths)
        return Architecture(sources: try Linter(root: FileManager.default.currentDirectoryPath).facts(folders))
    }

    private func ofCluster() throws(LintError) -> Architecture {
        try Architecture(status: try ReluxProgram.find().status(cluster.arguments))
    }
}

/// Which cluster, as `relux` takes it.
struct ClusterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The cluster's run directory, as relux status takes it.", valueName: "dir"))
    var run: String?

    @Option(help: ArgumentHelp("The cluster's file, as relux status takes it.", valueName: "file"))
    var config: String?

    var arguments: [String] { (run.map { ["--run", $0] } ?? []) + (config.map { ["--config", $0] } ?? []) }
}
