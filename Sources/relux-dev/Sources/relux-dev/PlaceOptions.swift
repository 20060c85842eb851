import ArgumentParser
import Foundation
import ReluxScaffold

/// Where a new package goes.
struct PlaceOptions: ParsableArguments {
    @Flag(help: "Write into a folder here, outside of Relux's checkout.")
    var standalone = false

    @OptionGroup var output: ScaffoldOptions

    func resolve(_ name: String) throws(ScaffoldError) -> (folder: String, Checkout) {
        if standalone { return ("\(ScaffoldOptions.here)/\(name)", try output.checkout()) }
        guard output.relux != nil || Checkout(around: ScaffoldOptions.here) != nil else { throw ScaffoldOptions.noCheckout }
        let checkout = try output.checkout()
        guard !checkout.isSDK else {
            throw ScaffoldError(
                "new.checkout", "\(checkout.root) is an SDK, which nothing is added to", hint: "for a package in the folder here say --standalone")
        }
        return ("\(checkout.plugins)/\(name)", checkout)
    }
}

/// The checkout that a package is written with, and how the result is reported.
struct ScaffoldOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Relux's checkout or an SDK; else the checkout around here, else RELUX_SDK, else the SDK or the checkout that this program lies in.",
            valueName: "folder"))
    var relux: String?

    @Flag(help: "Print what was written as JSON; errors are JSON too, on standard error.")
    var json = false

    static var here: String { FileManager.default.currentDirectoryPath }

    static var noCheckout: ScaffoldError {
        ScaffoldError(
            "new.checkout", "\(here) is not in a checkout of Relux",
            hint: "go there, or name it: --relux DIR; for a package in the folder here say --standalone")
    }

    func checkout() throws(ScaffoldError) -> Checkout {
        if let relux { return try Checkout(at: URL(fileURLWithPath: relux, relativeTo: URL(fileURLWithPath: Self.here)).path) }
        if let found = Checkout(around: Self.here) { return found }
        if let sdk = ProcessInfo.processInfo.environment["RELUX_SDK"], !sdk.isEmpty {
            return try Checkout(at: URL(fileURLWithPath: sdk, relativeTo: URL(fileURLWithPath: Self.here)).path)
        }
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        guard let found = Checkout(installedWith: own) ?? Checkout(around: own) else {
            throw ScaffoldError(
                "new.checkout", "no SDK and no checkout of Relux is known: neither \(Self.here) nor \(own) is in a checkout, and no SDK lies beside the latter",
                hint: "name one: --relux DIR, or RELUX_SDK; make one: relux sdk export DIR")
        }
        return found
    }

    func write(_ make: () throws(ScaffoldError) -> (String, folder: String, Scaffold)) throws {
        do throws(ScaffoldError) {
            let (name, folder, scaffold) = try make()
            try scaffold.write(to: folder)
            report(name, folder, scaffold)
        } catch {
            throw refusal(error)
        }
    }

    /// As ``write(_:)``, into a package that is there.
    func add(_ make: () throws(ScaffoldError) -> (String, folder: String, Scaffold, manifest: String)) throws {
        do throws(ScaffoldError) {
            let (name, folder, scaffold, manifest) = try make()
            try scaffold.add(to: folder, manifest: manifest)
            report(name, folder, scaffold)
        } catch {
            throw refusal(error)
        }
    }

    private func refusal(_ error: ScaffoldError) -> ExitCode {
        Output.failure(error.code, error.message, hint: error.hint, status: error.code == "new.exists" ? 6 : 2, json: json)
    }

    private func report(_ name: String, _ folder: String, _ scaffold: Scaffold) {
        if json {
            Output.data(NewReport(name: name, folder: folder, scaffold).text)
            return
        }
        Output.data("\(folder): \(scaffold.files.count) files")
        Output.talk("")
        for step in scaffold.checklist { Output.talk("[\(step.isDone ? "x" : " ")] \(step.text)") }
        Output.talk("")
        let tested = scaffold.tested.map { "\(folder)/\($0)" } ?? folder
        Output.talk(
            scaffold.executables.isEmpty
                ? "swift test --package-path \(tested) && relux lint \(folder) && relux checklist \(folder)" : "\(folder)/cluster up")
    }
}

/// `relux.new/1`.
private struct NewReport: Encodable {
    struct Step: Encodable {
        let text: String
        let done: Bool
    }

    let schema = "relux.new/1"
    let name: String
    let folder: String
    let files: [String]
    let checklist: [Step]

    private enum CodingKeys: CodingKey { case schema, name, folder, files, checklist }

    init(name: String, folder: String, _ scaffold: Scaffold) {
        self.name = name
        self.folder = folder
        files = scaffold.files.keys.sorted()
        checklist = scaffold.checklist.map { Step(text: $0.text, done: $0.isDone) }
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("names and texts always encode") }
        return String(decoding: data, as: UTF8.self)
    }
}
