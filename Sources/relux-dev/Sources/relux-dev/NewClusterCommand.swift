import ArgumentParser
import Foundation
import ReluxScaffold

struct NewClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Writes a cluster's configuration and a script that starts it.",
        discussion: """
            The folder must not be there yet. Modules are packages beside it, with their libraries in .build/debug, or plugins of Relux's \
            checkout or installation. It prints what is left to do.
            """)

    @Argument(help: ArgumentHelp("The new folder; the cluster is called like it.", valueName: "path"))
    var path: String

    @Option(help: ArgumentHelp("What it runs besides ErrorHandling and Navigation, which every domain needs.", valueName: "name,name"))
    var modules: String = ""

    @OptionGroup var output: ScaffoldOptions

    func run() throws {
        try output.write { () throws(ScaffoldError) in
            let place = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: ScaffoldOptions.here)).standardizedFileURL
            let checkout = try output.checkout()
            var plugins: [ClusterScaffold.Plugin] = []
            for word in ["ErrorHandling", "Navigation"] + modules.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
                let name = word.hasSuffix("Orchestration") ? try ModuleName(orchestrator: word) : try ModuleName(domain: word)
                plugins.append(try checkout.plugin(name.text, for: place.path))
            }
            let name = place.lastPathComponent
            return (name, place.path, try ClusterScaffold.make(name, plugins, core: checkout.isSDK ? nil : checkout.surroundings(of: place.path).core))
        }
    }
}
