import ArgumentParser
import ReluxLayers
import ReluxOutput
import ReluxWire

struct ExplainCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Says what a code of an error means, and what to do.",
        discussion: "Without a code it lists all of them. The end of a code behind its dot is enough where no other code ends so.")
    static let examples = ["relux explain loader.guard", "relux explain hops", "relux explain -o name"]

    @Argument(help: "Codes, as errors print them.", completion: .list(ErrorCode.catalogue.map(\.id))) var codes: [String] = []
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        guard !codes.isEmpty else {
            list(session)
            return .ok
        }
        var meant: [ErrorCode] = []
        for code in codes { meant += try Self.meant(by: code) }
        switch session.format {
        case .json: session.print(.object([.init("schema", "relux.explain/1"), .init("codes", .array(meant.map(Self.json)))]))
        case .ndjson: for code in meant { session.print(Self.json(code)) }
        case .name: for code in meant { session.print(code.id) }
        case .table, .wide:
            for (index, code) in meant.enumerated() {
                if index > 0 { session.print("") }
                Self.lines(code).forEach { session.print($0) }
            }
        }
        return .ok
    }

    private func list(_ session: CommandSession) {
        switch session.format {
        case .json, .ndjson: session.print(.object([.init("schema", "relux.explain/1"), .init("codes", .array(ErrorCode.catalogue.map(Self.json)))]))
        case .name: for code in ErrorCode.catalogue { session.print(code.id) }
        case .table, .wide:
            for (index, group) in ErrorCode.groups.enumerated() {
                if index > 0 { session.print("") }
                session.print(group.title)
                for code in group.codes { session.print("  \(code.id)") }
            }
        }
    }

    static func lines(_ code: ErrorCode) -> [String] {
        [code.id, "  why  \(code.why)", "  fix  \(code.remedy)"] + (code.page.isEmpty ? [] : ["  see  \(code.page)"])
    }

    private static func json(_ code: ErrorCode) -> JSONValue {
        .object(
            [.init("code", .string(code.id)), .init("why", .string(code.why)), .init("fix", .string(code.remedy))]
                + (code.page.isEmpty ? [] : [.init("page", .string(code.page))]))
    }

    private static func meant(by text: String) throws(CLIError) -> [ErrorCode] {
        let found = ErrorCode.meant(by: text)
        guard found.isEmpty else { return found }
        throw CLIError(
            .notFound, "explain.unknown", "there is no code '\(text)'",
            hint: (NearestName.meant(text, among: ErrorCode.catalogue.map(\.id)).map { "\($0) Else " } ?? "") + "`relux explain` lists all")
    }
}
