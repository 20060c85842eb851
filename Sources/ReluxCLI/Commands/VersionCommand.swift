import ArgumentParser
import ReluxPlugin
import ReluxTap
import ReluxWire

struct VersionCommand: SessionCommand {
    /// The platform's version; plugins have their own.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Prints the version, the runtime that plugins must be built for, and where things lie.")
    static let examples = ["relux version", "relux version --json"]

    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let found = Result { () throws(CLIError) in try session.console.installation }
        let installation = (try? found.get()) ?? nil
        let folder = session.console.executableDirectory
        if session.format.isJSON {
            session.print(
                .object([
                    .init("schema", "relux.version/1"), .init("version", .string(Self.version)),
                    .init("runtimeGuard", .string(reluxRuntimeGuard)),
                    .init("frameFormat", .integer(Int128(Frame.version))),
                    .init("programs", .string(folder)),
                    .init("configuration", installation.map { .string($0.configuration) } ?? .null),
                ]))
        } else {
            session.print("relux \(Self.version)")
            if session.format == .name { return .ok }
            session.print("runtime        \(reluxRuntimeGuard)")
            session.print("programs       \(TerminalText.escaped(folder))" + (installation == nil ? "  (a build)" : ""))
            if let installation { session.print("configuration  \(TerminalText.escaped(installation.configuration))") }
        }
        // After all that is known without it.
        _ = try found.get()
        return .ok
    }
}
