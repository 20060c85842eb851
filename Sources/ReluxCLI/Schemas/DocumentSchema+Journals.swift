extension DocumentSchema {
    private static let lost: [Property] = [.text("topic")] + Property.range
    private static let positions: Property = .object("lostPositions", Property.range).nullable

    private static let report: [Property] =
        [.text("module"), .text("directory"), .text("incarnation"), .boolean("sound"), .boolean("sealed"), .integer("lastBatch")]
        + Property.number("lastPosition") + [
            .integer("tornBytes"),
            .objects("segments", [.integer("number"), .text("file")] + Property.integers("epoch", "created", "batches", "records", "bytes")),
            .objects("streams", [.text("topic")] + Property.range + Property.integers("records", "bytes")),
            .objects("holes", [.text("reason"), .boolean("jumps"), .objects("lost", lost), positions]),
            .objects("faults", [.text("code"), .text("file"), .integer("position").nullable, .text("reason"), .text("remedy")]), .texts("quarantined"),
        ]

    private static let key: [Property] = Property.texts("publisher", "topic", "recipient")

    /// Documents about the books of a node.
    static let journals = [
        DocumentSchema(
            name: "relux.journals/1", printedBy: ["relux journal ls"],
            members: [
                .objects(
                    "journals",
                    [
                        .text("module"), .integer("segments"), .integer("bytes"), .integer("epoch").nullable, .integer("lastPid").nullable, .integer("quarantined"),
                        .text("directory"),
                    ])
            ]),
        DocumentSchema(
            name: "relux.journal/1", printedBy: ["relux journal show"],
            members: report + [
                Property.objects(
                    "batches",
                    [
                        .text("place"), .integer("number"), .integer("bytes"), .integer("epoch"),
                        .objects("runs", [.text("topic"), .integer("records")] + Property.range),
                    ]
                ).optional
            ]),
        DocumentSchema(
            name: "relux.journalVerify/1", printedBy: ["relux journal verify"],
            members: [.objects("journals", [.init(key: "schema", shape: .constant("relux.journal/1"))] + report)]),
        DocumentSchema(
            name: "relux.journalRepair/1", printedBy: ["relux journal repair"],
            members: [
                .text("module"), .boolean("done"),
                .objects(
                    "steps",
                    [.text("action"), .text("file"), .integer("position"), .text("reason"), .integer("keptBatches"), .objects("lost", lost), positions]),
                .texts("copies"),
            ]),
        DocumentSchema(
            name: "relux.audit/1", printedBy: ["relux audit"],
            members: [
                .boolean("balanced"), .boolean("live"), .integer("accepted"), .integer("settled"),
                .objects(
                    "rows",
                    key + Property.integers("accepted", "succeeded", "failed", "unacknowledged", "open") + [
                        .integer("inFlight").nullable, .integer("parked").nullable, .text("why"), .integer("dead"), .integer("refused"), .integer("lost"),
                    ]),
                .objects(
                    "findings",
                    [.text("kind")] + key + [
                        .integer("count"), .integer("firstSequence").nullable, .integer("firstSequenceLife").optional, .integer("firstSequenceInLife").optional,
                        .text("message"), .text("remedy"),
                    ]),
                .objects("neverAccepted", [.text("module"), .text("reason"), .integer("count")]), .texts("gone"),
                .objects("unreadable", Property.texts("module", "why")),
            ]),
    ]
}
