import ArgumentParser
import Foundation
import ReluxScaffold

struct NewFeatureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feature", abstract: "Adds a feature with its tests to a domain.",
        discussion: """
            It goes to Features in the domain's ReluxImpl, and its tests beside the domain's; the manifest's tests get ReluxFeatureTestKit if they \
            have it not. The domain is the one of Relux's checkout, with --standalone the folder here. It prints what is left to do.
            """)

    @Argument(help: "What it shows and decides, such as Login; Feature is added.")
    var name: String

    @Option(help: ArgumentHelp("The domain that gets it, such as Weather.", valueName: "name"))
    var domain: String

    @OptionGroup var place: PlaceOptions

    func run() throws {
        try place.output.add { () throws(ScaffoldError) in
            let (name, domain) = (try ModuleName(feature: name), try ModuleName(domain: domain))
            let (home, checkout) = try place.resolve(domain.text)
            let folder = Checkout.package(of: domain.text, with: "ReluxImpl", in: home) ?? home
            guard FileManager.default.fileExists(atPath: "\(folder)/Sources/\(domain.text)ReluxImpl"),
                let manifest = FileManager.default.contents(atPath: "\(folder)/Package.swift")
            else {
                throw ScaffoldError(
                    "new.feature", "there is no domain '\(domain.text)' with an implementation in \(folder)",
                    hint: "make one by `relux new domain \(domain.text)`, or say --standalone where it is here")
            }
            let made = try FeatureScaffold.make(
                name, of: domain, manifest: String(decoding: manifest, as: UTF8.self), checkout.surroundings(of: folder))
            return (name.text + "Feature", folder, made.scaffold, manifest: made.manifest)
        }
    }
}
