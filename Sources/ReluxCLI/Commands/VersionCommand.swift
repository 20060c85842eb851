import ArgumentParser
import ReluxPlugin
import ReluxWire

struct VersionCommand: SessionCommand {
    /// The platform's version; plugins have their own.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Prints the version and the runtime that plugins must be built for.")
    static let examples = ["relux version", "relux version --json"]

    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        if session.format.isJSON {
            session.print(
                .object([
                    .init("schema", "relux.version/1"), .init("version", .string(Self.version)),
                    .init("runtimeGuard", .string(reluxRuntimeGuard)),
                    .init("frameFormat", .integer(Int128(Frame.version))),
                ]))
        } else {
            session.print("relux \(Self.version)")
            if session.format != .name { session.print("runtime \(reluxRuntimeGuard)") }
        }
        return .ok
    }
}
