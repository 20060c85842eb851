extension DocumentSchema {
    private static let refusal: [Property] = [.text("reason"), .text("effect"), .text("site"), .integer("count"), .text("message")]

    /// The broker's own module, `Cluster`, has these too.
    private static let identity: [Property] = [.text("id"), .text("kind"), .text("state"), .text("host"), .integer("pid"), .texts("emits")]

    private static let details: [Property] = [
        .text("version"), .text("why"), .integer("restarts"), .integer("readyMilliseconds"), .texts("imports"), .texts("handles"), .text("directory"),
        .object(
            "counters",
            Property.integers("emitted", "handled", "failed", "lost", "unhandled", "inFlight", "gaps", "repaired", "refused") + [.objects("refusals", refusal)]),
    ]

    private static let module = identity + [.integer("epoch")] + details + [.text("handOver").optional, .text("build").optional]

    /// Documents about a cluster and its modules.
    static let cluster = [
        DocumentSchema(
            name: "relux.status/1", printedBy: ["relux status"],
            members: [
                .text("run"), .text("phase"), .integer("brokerPid"), .integer("supervisorPid"), .integer("brokerDeaths"),
                .objects("modules", module + [.texts("provides"), .texts("observes"), .text("absence").optional]),
                .objects("hosts", Property.texts("id", "endpoint", "tapEndpoint")), .objects("refusedAtIngress", refusal), .texts("notes"),
                .objects("barriers", [.text("module"), .boolean("open"), .boolean("stuck"), .text("text"), .text("unknownMode").optional]),
                .texts("unloaded").optional,
            ]),
        DocumentSchema(name: "relux.modules/1", printedBy: ["relux module ls"], members: [.objects("modules", module)]),
        DocumentSchema(
            name: "relux.module/1", printedBy: ["relux module show"],
            members: identity + [.integer("epoch").nullable] + details.map(\.optional) + [
                .text("handOver").optional, .text("build").optional, .integer("refused").optional, .objects("refusals", refusal).optional,
            ]),
        DocumentSchema(name: "relux.whyNot/1", printedBy: ["relux module why-not"], members: [.text("module"), .texts("unmet"), .texts("notes")]),
        DocumentSchema(
            name: "relux.packed/1", printedBy: ["relux module pack"],
            members: [.objects("packed", [.text("module"), .text("version"), .text("directory"), .boolean("new"), .integer("files"), .integer("topics")])]),
        DocumentSchema(
            name: "relux.contract-diff/1", printedBy: ["relux contract diff"],
            members: [
                .text("verdict"), .text("from").nullable, .text("to").nullable, .objects("changes", [.text("place"), .text("what"), .boolean("breaking")]),
            ]),
        DocumentSchema(name: "relux.down/1", printedBy: ["relux down"], members: Property.integers("stopped", "milliseconds")),
        DocumentSchema(name: "relux.doctor/1", printedBy: ["relux doctor"], members: [.objects("checks", Property.texts("verdict", "subject", "text", "remedy"))]),
        DocumentSchema(name: "relux.log/1", printedBy: ["relux logs"], members: Property.texts("process", "line")),
        DocumentSchema(
            name: "relux.signals/1", printedBy: ["relux signal ls"],
            members: [.objects("signals", [.text("name"), .text("module"), .boolean("complete"), .integer("waiting")])]),
    ]
}
