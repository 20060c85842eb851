import ArgumentParser
import Foundation
import ReluxPack
import ReluxPlugin
import ReluxTap
import ReluxWire

struct SDKCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sdk", abstract: "What plugins are built against without Relux's source.",
        discussion: """
            An SDK is a folder of built libraries and of what a compiler reads of them. The one meant is named by --sdk or RELUX_SDK, else it lies \
            beside this program. `relux new domain NAME --standalone` writes a package that depends on it.
            """,
        subcommands: [SDKShowCommand.self, SDKExportCommand.self, SDKAddCommand.self], defaultSubcommand: SDKShowCommand.self)
}

struct SDKShowCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Says where the SDK lies, for which runtime, and whose interfaces it has.")
    static let examples = ["relux sdk", "relux sdk show --sdk ./sdk -o json"]

    @OptionGroup var place: SDKPlace
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        session.show(try place.resolve(session))
        return .ok
    }
}

struct SDKExportCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes an SDK into a folder of its own.",
        discussion: """
            It copies the SDK that is meant. --build makes it of a build of Relux's checkout instead, which `swift build --target ReluxSDK` has filled. An SDK \
            that is in the folder already is replaced as a whole; anything else that is there stays, and is an error.
            """)
    static let examples = ["relux sdk export ./sdk", "relux sdk export ./sdk --build .build/debug"]

    @Argument(help: ArgumentHelp("The folder.", valueName: "dir")) var folder: String
    @Option(help: ArgumentHelp("Folder of a build, such as .build/debug.", valueName: "dir")) var build: String?
    @OptionGroup var place: SDKPlace
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        guard !folder.isEmpty, build != "" else { throw CLIError(.usage, "usage", "a folder's name is empty", hint: "name one: relux sdk export ./sdk") }
        guard build == nil || place.sdk == nil else {
            throw CLIError(.usage, "usage", "--build and --sdk both say what the SDK is made of", hint: "leave one of them out")
        }
        // It is published by a rename, which a name that ends in `/..` has none of.
        let folder = URL(fileURLWithPath: session.path(folder)).standardizedFileURL.path
        let source = try build == nil ? place.resolve(session) : nil
        let former = (try? SDK(at: folder))?.interfaces ?? []
        let host = HostProcess(executable: "\(session.console.executableDirectory)/relux-host")
        let written: SDK
        do throws(PackError) {
            let writer = SDKWriter()
            if let source {
                written = try writer.copy(source, to: folder)
            } else {
                written = try writer.export(build: session.path(build ?? ""), version: VersionCommand.version, to: folder) { library in
                    (try? host.describe(library: library))?.kind
                }
            }
        } catch {
            throw CLIError(error)
        }
        let gone = former.filter { !written.interfaces.contains($0) }
        if !gone.isEmpty { session.say("note: the SDK that was there had \(gone.joined(separator: ", ")) too; add what you need: relux sdk add") }
        session.show(written)
        return .ok
    }
}

struct SDKAddCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds the interfaces of packed modules to an SDK.",
        discussion: """
            It takes what was packed last: of the cluster that is meant, or in --packed. An interface that the SDK has already is replaced. All of them are \
            added, or none.
            """)
    static let examples = ["relux sdk add Notes --sdk ./sdk", "relux sdk add Notes Auth --packed deploy/.relux/packed"]

    @Argument(help: "The modules.") var modules: [String]
    @Option(help: ArgumentHelp("Folder of packed plugins; else cluster.packed of the configuration.", valueName: "dir")) var packed: String?
    @OptionGroup var place: SDKPlace
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let sdk = try place.resolve(session)
        let folder: String
        if let packed {
            folder = session.path(packed)
        } else {
            let location = try session.location()
            if let fault = location.fault { throw fault }
            folder = location.packed
        }
        do throws(PackError) {
            for name in try SDKWriter().add(modules.map { "\(folder)/\($0)/current" }, to: sdk) { session.say("\(name) added to \(sdk.folder)") }
        } catch {
            throw CLIError(error)
        }
        session.show(sdk)
        return .ok
    }
}

/// Which SDK is meant.
struct SDKPlace: ParsableArguments {
    @Option(help: ArgumentHelp("The SDK's folder; else RELUX_SDK, else the one beside this program.", valueName: "dir")) var sdk: String?

    func resolve(_ session: CommandSession) throws(CLIError) -> SDK {
        let variable = session.console.environment["RELUX_SDK"]
        guard sdk != "", sdk != nil || variable != "" else {
            throw CLIError(.usage, "usage", "\(sdk == nil ? "RELUX_SDK" : "--sdk") is empty", hint: "name an SDK's folder, or leave it out")
        }
        let named = (sdk ?? variable).map(session.path)
        let beside = "\(session.console.executableDirectory)/sdk"
        guard named != nil || FileManager.default.fileExists(atPath: beside) else {
            throw CLIError(
                .notFound, "sdk.missing", "no SDK is known: neither --sdk nor RELUX_SDK names one, and \(beside) is not there",
                hint: "install the package relux-dev; or make one of a build: relux sdk export DIR --build .build/debug, behind swift build --target ReluxSDK")
        }
        do throws(PackError) { return try SDK(at: named ?? beside) } catch { throw CLIError(error) }
    }
}

extension CLIError {
    fileprivate init(_ error: PackError) {
        self.init(error.code == .sdkRuntime ? .refused : .failed, error.code.name, error.message)
    }
}

extension CommandSession {
    fileprivate func show(_ sdk: SDK) {
        let note = sdk.note
        switch format {
        case .json, .ndjson:
            print(
                .object([
                    .init("schema", .string(SDK.Note.schema)), .init("folder", .string(sdk.folder)), .init("version", .string(note.version)),
                    .init("runtimeGuard", .string(note.runtimeGuard)), .init("compiler", .string(note.compiler)), .init("target", .string(note.target)),
                    .init("interfaces", .array(sdk.interfaces.map { .string($0) })),
                ]))
        case .name: print(sdk.folder)
        case .table, .wide:
            print("sdk         \(TerminalText.escaped(sdk.folder))")
            print(TerminalText.escaped("relux       \(note.version), runtime \(note.runtimeGuard)"))
            print(TerminalText.escaped("compiler    \(note.compiler), \(note.target)"))
            print(TerminalText.escaped("interfaces  \(sdk.interfaces.isEmpty ? "none" : sdk.interfaces.joined(separator: ", "))"))
        }
    }
}
