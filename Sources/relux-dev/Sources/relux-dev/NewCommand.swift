import ArgumentParser
import Foundation
import ReluxScaffold

struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Writes what builds, passes its tests and breaks no rule at once.",
        subcommands: [NewDomainCommand.self, NewOrchestratorCommand.self, NewUICommand.self, NewFeatureCommand.self, NewClusterCommand.self])
}

struct NewDomainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domain", abstract: "Writes a domain of six products, or of four.",
        discussion: """
            Inside Relux's checkout it goes to Plugins/NAME, with --standalone to NAME here. It prints what is left to do; later \
            `relux checklist` does, by what it finds.
            """)

    @Argument(help: "The domain's name, such as Weather.")
    var name: String

    @Flag(help: "Start small: four products, the service inside the implementation.")
    var hybrid = false

    @Flag(help: "A product more, NAMEKit, which gives clients all that they need by one import.")
    var kit = false

    @Flag(help: "Two packages in the folder, NAMEInterfaces and NAMEImplementations, instead of one.")
    var split = false

    @Flag(help: "It does something by the clock too: with a schedule, and a test that turns the clock.")
    var schedule = false

    @OptionGroup var place: PlaceOptions

    private var shape: DomainShape {
        [(hybrid, DomainShape.hybrid), (kit, .kit), (split, .split), (schedule, .schedule)].reduce(into: []) { shape, item in if item.0 { shape.insert(item.1) } }
    }

    func run() throws {
        try place.output.write { () throws(ScaffoldError) in
            let name = try ModuleName(domain: name)
            let (folder, checkout) = try place.resolve(name.text)
            return (name.text, folder, DomainScaffold.make(name, checkout.surroundings(of: folder), shape))
        }
    }
}

struct NewOrchestratorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orchestrator", abstract: "Writes an orchestrator over the interfaces of some domains.",
        discussion:
            "Inside Relux's checkout it goes to Plugins/NAMEOrchestration, with --standalone to a folder here. It prints what is left to do."
    )

    @Argument(help: "Its concern, such as Commerce; Orchestration is added.")
    var name: String

    @Option(help: ArgumentHelp("The domains that it listens to.", valueName: "name,name"))
    var domains: String

    @OptionGroup var place: PlaceOptions

    func run() throws {
        try place.output.write { () throws(ScaffoldError) in
            let given = name
            let name = try ModuleName(orchestrator: given)
            if name.text != given, !place.output.json {
                Output.talk("\(given) becomes \(name.text): the name of an orchestrator ends so, that one can tell it from a domain")
            }
            let (folder, checkout) = try place.resolve(name.text)
            var found: [(name: String, path: String)] = []
            for domain in domains.split(separator: ",") {
                let checked = try ModuleName(domain: domain.trimmingCharacters(in: .whitespaces))
                found.append(try checkout.domain(checked.text, for: folder))
            }
            return (name.text, folder, try OrchestratorScaffold.make(name, domains: found, checkout.surroundings(of: folder)))
        }
    }
}
