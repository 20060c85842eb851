extension DocumentSchema {
    /// All documents of `relux`, by name.
    static let catalogue = (cluster + effects + journals + tool).sorted { $0.name < $1.name }

    /// Documents of the tool about itself.
    private static let tool = [
        DocumentSchema(
            name: "relux.error/1", printedBy: ["every command, on standard error"],
            members: [.text("code"), .integer("status"), .text("message"), .text("hint")]),
        DocumentSchema(name: "relux.plan/1", printedBy: ["commands with --dry-run or --plan"], members: [.texts("lines")]),
        DocumentSchema(name: "relux.done/1", printedBy: ["commands that change something"], members: [.texts("lines")]),
        DocumentSchema(
            name: "relux.version/1", printedBy: ["relux version"],
            members: [.text("version"), .text("runtimeGuard"), .integer("frameFormat"), .text("programs"), .text("configuration").nullable]),
        DocumentSchema(
            name: "relux.explain/1", printedBy: ["relux explain"], members: [.objects("codes", [.text("code"), .text("why"), .text("fix"), .text("page").optional])]),
        DocumentSchema(name: "relux.cheat/1", printedBy: ["relux cheat"], members: [.objects("lines", Property.texts("subject", "want", "command"))]),
        DocumentSchema(
            name: "relux.contexts/1", printedBy: ["relux context ls"],
            members: [.objects("contexts", [.text("name"), .boolean("selected"), .text("config").nullable, .text("run").nullable])]),
        DocumentSchema(name: "relux.context/1", printedBy: ["relux context show"], members: [.text("config").nullable, .text("run"), .text("by")]),
        DocumentSchema(
            name: "relux.sdk/1", printedBy: ["relux sdk show"],
            members: Property.texts("folder", "version", "runtimeGuard", "compiler", "target") + [.texts("interfaces")]),
        DocumentSchema(
            name: "relux.schemas/1", printedBy: ["relux schema"], members: [.objects("schemas", [.text("name"), .texts("printedBy")])]),
    ]
}
