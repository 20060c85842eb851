import ArgumentParser
import Foundation
import ReluxLoader
import ReluxPack
import ReluxPlugin
import ReluxWire

struct ModulePackCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack", abstract: "Makes immutable plugin directories out of built libraries.",
        discussion: """
            --all takes every lib*ReluxImpl.so and lib*Orchestration.so of the build folder, --configured those of them whose \
            modules the cluster's file names: what else an earlier build left there does not matter then. A library that is \
            refused does not keep the others from being packed. The version that was packed last becomes the module's `current`.
            """)
    static let examples = [
        "relux module pack --configured --build .build/debug", "relux module pack .build/debug/libAuthReluxImpl.so --check-contract",
    ]

    @Argument(help: "Built libraries.") var libraries: [String] = []
    @Flag(help: "Which plugins of the build folder.") var choice: Choice?
    @Option(help: ArgumentHelp("Folder of the built libraries; else the one of this executable.", valueName: "dir"))
    var build: String?
    @Option(help: ArgumentHelp("Where to publish; else cluster.packed of the configuration.", valueName: "dir"))
    var out: String?
    @Option(help: ArgumentHelp("Folder of the plugins' packages, for their contract files.", valueName: "dir"))
    var plugins: String = "Plugins"
    @Option(help: ArgumentHelp("relux-host, which asks a library for its declaration and raw values.", valueName: "path"))
    var hostExecutable: String?
    @Flag(help: "Pack nothing; fail if a contract file beside an interface is stale.") var checkContract = false
    @Flag(help: "Write the contract files beside the interfaces.") var writeContract = false
    @Flag(help: "Say what would be packed.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let chosen = try chosenLibraries(session)
        let host = hostExecutable.map(session.path) ?? "\(session.console.executableDirectory)/relux-host"
        let asked = HostProcess(executable: host)
        let packer = Packer(
            describe: { try asked.describe(library: $0) }, rawValues: { try asked.rawValues(library: $0, enums: $1) })
        if dryRun {
            session.printLines(chosen.map { "pack      \($0)" }, .plan)
            return .ok
        }
        let target = try checkContract ? "" : outFolder(session)
        var objects: [JSONValue] = []
        var refusals: [CLIError] = []
        for library in chosen {
            do {
                if checkContract {
                    try check(packer, library, session)
                    continue
                }
                let packed = try packer.pack(library: library, into: target)
                try PackPublication.makeCurrent(packed.directory)
                if writeContract { try contractFile(packed.manifest.module.id.rawValue, session).write(packed.manifest.contract) }
                for note in packed.notes { session.say("note: \(note)") }
                objects.append(show(packed, session))
            } catch {
                refusals.append(Self.error(error))
            }
        }
        if session.format == .json, !checkContract, refusals.isEmpty || !objects.isEmpty {
            session.print(.object([.init("schema", "relux.packed/1"), .init("packed", .array(objects))]))
        }
        if let error = refusal(of: refusals, among: chosen.count) { throw error }
        return .ok
    }

    private func outFolder(_ session: CommandSession) throws(CLIError) -> String {
        if let out { return session.path(out) }
        let location = try session.location()
        // Its file says where to.
        if let fault = location.fault { throw fault }
        return location.packed
    }

    private func check(_ packer: Packer, _ library: String, _ session: CommandSession) throws {
        let module = Self.module(of: library)
        let contract = try packer.contract(ofLibrary: library, module: module).contract
        let file = contractFile(module, session)
        try file.check(contract)
        session.say("\(file.path) is up to date")
    }

    private func contractFile(_ module: String, _ session: CommandSession) -> ContractFile {
        ContractFile(plugin: "\(session.path(plugins))/\(module)", module: module)
    }

    static func module(of library: String) -> String {
        var name = URL(fileURLWithPath: library).deletingPathExtension().lastPathComponent
        if name.hasPrefix("lib") { name.removeFirst(3) }
        if name.hasSuffix("ReluxImpl") { name.removeLast(9) }
        return name
    }

    private func show(_ packed: PackedPlugin, _ session: CommandSession) -> JSONValue {
        let module = packed.manifest.module
        let object = JSONValue.object([
            .init("module", .string(module.id.rawValue)), .init("version", .string(module.version)),
            .init("directory", .string(packed.directory)), .init("new", .bool(packed.isNew)),
            .init("files", .integer(Int128(packed.manifest.files.count))),
            .init("topics", .integer(Int128(packed.manifest.contract.topics.count))),
        ])
        switch session.format {
        case .json: break
        case .ndjson: session.print(object)
        case .name: session.print(packed.directory)
        case .table, .wide:
            session.print("\(module.id)  \(module.version)  \(packed.isNew ? "packed" : "unchanged")  \(packed.directory)")
        }
        return object
    }

    private static func error(_ error: any Error) -> CLIError {
        switch error {
        case let error as CLIError: error
        case let error as PackError where error.code == .staleContract:
            CLIError(.unmet, error.code.name, error.message)
        case let error as PackError where error.code == .layer: CLIError(.refused, error.code.name, error.message)
        case let error as PackError: CLIError(.failed, error.code.name, error.message)
        default: CLIError(.refused, "pack.library", error is LoaderError ? "\(error)" : FileReason.of(error))
        }
    }

    /// The error that the command ends with: the library's own when there was one library, else all of them in one.
    private func refusal(of refusals: [CLIError], among count: Int) -> CLIError? {
        guard let first = refusals.first, count > 1 else { return refusals.first }
        // Reasons that lie in the machine are the same for each library.
        var reasons: [String] = []
        for refusal in refusals where !reasons.contains(refusal.description) { reasons.append(refusal.description) }
        let isOneKind = refusals.allSatisfy { ($0.status, $0.code) == (first.status, first.code) }
        var hints: [String] = []
        if !checkContract, refusals.count < count { hints.append("the others are packed") }
        if choice == .all { hints.append("--configured takes only what the cluster's file names") }
        let fact = "\(checkContract ? "contracts not as built" : "not packed"): \(refusals.count) of \(count) libraries"
        return CLIError(
            isOneKind ? first.status : .failed, isOneKind ? first.code : "pack.several",
            ([fact] + reasons).joined(separator: "\n       "), hint: hints.joined(separator: "; "))
    }
}

/// The link that names the version to use.
enum PackPublication {
    /// Replaces `<module>/current` in one step.
    static func makeCurrent(_ directory: String) throws(CLIError) {
        let url = URL(fileURLWithPath: directory)
        let link = url.deletingLastPathComponent().appendingPathComponent("current").path
        let draft = "\(link).\(getpid())"
        guard symlink(url.lastPathComponent, draft) == 0, rename(draft, link) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(draft)
            throw CLIError(.failed, "pack.current", "the link \(link) cannot be set: \(reason)")
        }
    }
}
