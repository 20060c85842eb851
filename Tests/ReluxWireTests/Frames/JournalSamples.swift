import ReluxWire

/// The records of a journal that do not travel, one of each kind, in the order of the kinds. ACKED and REFUSED are Auth's, the others are Notes'.
enum JournalSamples {
    static func records() throws -> [(name: String, record: WireRecord)] {
        let effect = EffectID(module: "Auth", position: 3 << 40 | 7)
        let topic: Topic = "Auth.Business.Effect"
        let payload = try CBOR.encode(SampleEffect.authSucceeded(userId: "u1"))[...]
        return [
            (
                "acked",
                .acked(
                    AckedRecord(
                        recipient: "Notes", settlementSequence: 11, topic: topic,
                        effects: EffectRuns(position: effect.position, sequence: 4), status: .succeeded))
            ),
            ("cursor", .cursor(CursorRecord(module: "Auth", topic: topic, range: 1...2))),
            (
                "state",
                .state(
                    StateRecord(
                        stateName: "Notes.Business.State", version: 2, reduced: [effect], value: try CBOR.encode(["count": 3])[...]))
            ),
            ("kept", .kept(KeptRecord(cause: effect, valueName: "noteId", value: try CBOR.encode("n7")[...]))),
            ("attempt", .attempt(AttemptRecord(effect: effect, deaths: 2, wasAlone: true))),
            (
                "dead",
                .dead(
                    DeadRecord(
                        effect: effect, topic: topic, caseName: "authSucceeded", deaths: 5, wallTimeMilliseconds: 1_790_000_000_000,
                        reason: "its handler has ended the process", payload: payload))
            ),
            ("request", .request(RequestRecord(position: 3 << 40 | 7, topic: topic, sequence: 4, request: "order-17"))),
            (
                "refused",
                .refused(
                    RefusedRecord(
                        count: 3, reason: "undeclared", topic: "Notes.Business.Effect", caseName: "sync", ancestry: [effect],
                        site: CallSite(file: "AuthReluxImpl/Auth+Saga.swift", line: 41, function: "apply(_:)"), label: "",
                        wallTimeMilliseconds: 1_790_000_000_000, message: "Auth does not declare it"))
            ),
            (
                "schedule",
                .schedule(
                    ScheduleRecord(
                        scheduleName: "poll", rule: "every 30s", last: 1_790_000_010_000, next: 1_790_000_040_000, position: effect.position))
            ),
        ]
    }
}
