extension DocumentSchema {
    private static let site: Property = .object("site", [.text("file"), .integer("line"), .text("function")]).optional

    private static let tapped: [Property] =
        [.init(key: "schema", shape: .constant("relux.tap.effect/1"))] + tappedEffect

    private static let tappedEffect: [Property] =
        Property.effect() + [
            .text("topic"), .text("case"), .any("payload"), .text("module"), .integer("epoch"), .integer("sequence"), .integer("timeMilliseconds"), site,
            .text("contract").optional, .text("label").optional,
        ] + Property.effect("cause").map(\.optional) + Property.effect("root").map(\.optional)
        + [.integer("hop"), .boolean("unhandled"), .texts("parked").optional]

    private static let tappedSettlement: [Property] =
        Property.effect("effect") + [
            .text("topic"), .integer("effectSequence"), .text("recipient"), .text("status"), .integer("durationMicroseconds"), .texts("diverged").optional,
        ]

    private static let tappedRefusal: [Property] =
        [.text("topic"), .text("case"), .text("module"), .text("reason"), .text("message"), .integer("timeMilliseconds"), site, .text("label").optional]
        + Property.effect("cause").map(\.optional)

    private static let letter: [Property] =
        Property.effect() + [
            .text("topic"), .text("case"), .text("module"), .text("state"), .integer("deaths"), .integer("timeMilliseconds"), .text("reason"), .any("payload"),
        ]

    /// Documents about effects and schedules.
    static let effects = [
        DocumentSchema(
            name: "relux.effects/1", printedBy: ["relux effect ls"],
            members: [
                .objects(
                    "effects",
                    [
                        .text("topic"), .text("case"),
                        .objects("fields", [.text("label"), .text("type"), .boolean("optional"), .boolean("secret"), .texts("values").optional]),
                        .text("fingerprint"), .texts("emittedBy"), .texts("handledBy"), .text("doc").optional,
                    ])
            ]),
        DocumentSchema(
            name: "relux.effect.result/1", printedBy: ["relux effect send", "relux dlq retry"],
            members: Property.effect() + [
                .text("effect"), .boolean("succeeded"), .boolean("unhandled"),
                .objects("outcomes", [.text("recipient"), .text("status"), .text("message"), .any("value")]),
                .init(
                    key: "trace",
                    shape: .list(
                        .either([
                            .object(tapped), .object([.init(key: "schema", shape: .constant("relux.tap.settlement/1"))] + tappedSettlement),
                            .object([.init(key: "schema", shape: .constant("relux.tap.refusal/1"))] + tappedRefusal),
                        ]))
                ).optional,
            ]),
        DocumentSchema(name: "relux.effect.plan/1", printedBy: ["relux effect send --dry-run"], members: [.text("effect"), .boolean("fits")]),
        DocumentSchema(name: "relux.tap.effect/1", printedBy: ["relux tap"], members: tappedEffect),
        DocumentSchema(name: "relux.tap.settlement/1", printedBy: ["relux tap --settlements"], members: tappedSettlement),
        DocumentSchema(name: "relux.tap.refusal/1", printedBy: ["relux tap"], members: tappedRefusal),
        DocumentSchema(name: "relux.deadLetters/1", printedBy: ["relux dlq ls"], members: [.objects("letters", letter)]),
        DocumentSchema(
            name: "relux.deadLetter/1", printedBy: ["relux dlq show"],
            members: letter + [
                .objects("crashes", [.text("report"), .text("status"), .text("cause").nullable, .text("message").nullable, .texts("topFrames")])
            ]),
        DocumentSchema(
            name: "relux.schedules/1", printedBy: ["relux schedule ls"],
            members: [
                .objects(
                    "schedules",
                    [
                        .text("module"), .text("schedule"), .text("rule"), .text("state"), .integer("lastMilliseconds").nullable,
                        .integer("nextMilliseconds").nullable, .text("effect").nullable, .integer("effectLife").optional, .integer("effectPosition").optional,
                    ])
            ]),
    ]
}
