import ArgumentParser
import ReluxOutput
import ReluxTap
import ReluxWire

struct SchemaCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the schemas of the JSON documents that commands print.",
        discussion: """
            A document says its schema: "schema": "relux.status/1". A member may be added under the same number; one that goes or changes its meaning \
            raises it. With -o ndjson a list's rows are printed without the document around them.
            """)
    static let examples = ["relux schema", "relux schema relux.status/1 > status.schema.json"]

    @Argument(help: "The schema's name, such as relux.status/1; all names without one.", completion: .list(DocumentSchema.catalogue.map(\.name)))
    var name: String?
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let all = DocumentSchema.catalogue
        if let name {
            // As people say it: without the number, or the tool's name.
            let meant = [name, "relux.\(name)", "\(name)/1", "relux.\(name)/1"]
            guard let schema = all.first(where: { meant.contains($0.name) }) else {
                throw CLIError(
                    .notFound, "schema.unknown", "there is no schema '\(name)'",
                    hint: NearestName.hint(name, among: all.map(\.name)))
            }
            session.print(schema.json)
            return .ok
        }
        switch session.format {
        case .json: session.print(.object([.init("schema", "relux.schemas/1"), .init("schemas", .array(all.map(Self.row)))]))
        case .ndjson: for schema in all { session.print(Self.row(schema)) }
        case .name: for schema in all { session.print(schema.name) }
        case .table, .wide:
            var table = TextTable(["SCHEMA", "PRINTED BY"])
            for schema in all { table.add([schema.name, schema.printedBy.joined(separator: ", ")]) }
            let style = session.style
            for line in table.lines(paint: { row, _, text in row == 0 ? style(text, .dim) : text }) { session.print(line) }
        }
        return .ok
    }

    private static func row(_ schema: DocumentSchema) -> JSONValue {
        .object([.init("name", .string(schema.name)), .init("printedBy", .array(schema.printedBy.map { .string($0) }))])
    }
}
