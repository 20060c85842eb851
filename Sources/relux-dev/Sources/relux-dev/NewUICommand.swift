import ArgumentParser
import Foundation
import ReluxLint
import ReluxScaffold

struct NewUICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ui", abstract: "Writes a domain's user interface for a terminal: views, what is typed, a process that shows them.",
        discussion: """
            It goes to Plugins/NAMEUI inside Relux's checkout, with --standalone to NAMEUI here. The domain must be there, for its pages, \
            effects and snapshot are read from its interface: a page each, a word to type for each effect without values or with one text. \
            An effect whose comment has the sentence "Orchestrators send it." gets no word: no person asks for it. It prints what is left to do.
            """)

    @Argument(help: "The domain whose views these are, such as Weather.")
    var name: String

    @OptionGroup var place: PlaceOptions

    func run() throws {
        try place.output.write { () throws(ScaffoldError) in
            let domain = try ModuleName(domain: name)
            let (folder, checkout) = try place.resolve(domain.text + "UI")
            let path = try checkout.domain(domain.text, for: folder).path
            // The new folder is not there yet: only a name can lead through it.
            let package = URL(fileURLWithPath: path.hasPrefix("/") ? path : "\(folder)/\(path)").standardizedFileURL.path
            guard FileManager.default.fileExists(atPath: "\(package)/Sources/\(domain.text)ReluxInt") else {
                throw ScaffoldError(
                    "new.ui", "\(package) has the built interface of \(domain.text), and views are written after its source",
                    hint: "write them beside a \(domain.text) whose source is here")
            }
            let outline = InterfaceOutline(of: domain.text, package: package)
            return (domain.text + "UI", folder, try UIScaffold.make(domain, outline, path: path, checkout.surroundings(of: folder)))
        }
    }
}
