import ReluxPlugin
package import ReluxWire

/// How an event looks to programs: one object per line, schema `relux.tap.effect/1`, `relux.tap.settlement/1` and `relux.tap.refusal/1`.
package enum TapJSON {
    /// - Parameter absentees: recipients that nobody waits for; those of an effect are its `parked`, if there are any.
    package static func object(of event: TapEvent, _ absentees: Absentees = Absentees()) -> JSONValue {
        switch event {
        case .effect(let effect): object(of: effect, parked: absentees.parked(effect))
        case .settlement(let settlement): object(of: settlement)
        case .refusal(let refusal): object(of: refusal)
        }
    }

    package static func object(of effect: TappedEffect, parked: [ModuleID] = []) -> JSONValue {
        let record = effect.record
        var members: [JSONValue.Member] = [.init("schema", "relux.tap.effect/1")] + JSONValue.members(of: effect.id) + [
            .init("topic", .string(effect.topic.rawValue)), .init("case", .string(record.caseName)),
            .init("payload", effect.payload.map { JSONValue($0) } ?? .null), .init("module", .string(effect.publisher.rawValue)),
            .init("epoch", .integer(Int128(effect.epoch.rawValue))), .init("sequence", .integer(Int128(record.sequence))),
            .init("timeMilliseconds", .integer(Int128(record.wallTimeMilliseconds))),
        ]
        if !record.site.file.isEmpty { members.append(.init("site", object(of: record.site))) }
        if record.contractFingerprint != 0 {
            members.append(.init("contract", .string("\(ContractFingerprint(rawValue: record.contractFingerprint))")))
        }
        if !record.label.isEmpty { members.append(.init("label", .string(record.label))) }
        if let cause = record.cause { members += JSONValue.members(of: cause, as: "cause") }
        if let root = record.root { members += JSONValue.members(of: root, as: "root") }
        members.append(.init("hop", .integer(Int128(record.hop))))
        members.append(.init("unhandled", .bool(record.flags.contains(.unhandled))))
        if !parked.isEmpty { members.append(.init("parked", .array(parked.map { .string($0.rawValue) }))) }
        return .object(members)
    }

    private static func object(of site: CallSite) -> JSONValue {
        .object([
            .init("file", .string(site.file)), .init("line", .integer(Int128(site.line))), .init("function", .string(site.function)),
        ])
    }

    package static func object(of refusal: TappedRefusal) -> JSONValue {
        let record = refusal.record
        var members: [JSONValue.Member] = [
            .init("schema", "relux.tap.refusal/1"), .init("topic", .string(record.topic)), .init("case", .string(record.caseName)),
            .init("module", .string(refusal.module.rawValue)), .init("reason", .string(record.reason)),
            .init("message", .string(record.message)), .init("timeMilliseconds", .integer(Int128(record.wallTimeMilliseconds))),
        ]
        if !record.site.file.isEmpty { members.append(.init("site", object(of: record.site))) }
        if !record.label.isEmpty { members.append(.init("label", .string(record.label))) }
        if let cause = record.cause { members += JSONValue.members(of: cause, as: "cause") }
        return .object(members)
    }

    package static func object(of settlement: TappedSettlement) -> JSONValue {
        let record = settlement.record
        var members: [JSONValue.Member] = [.init("schema", "relux.tap.settlement/1")]
        members += JSONValue.members(of: settlement.effect, as: "effect") + [
            .init("topic", .string(record.topic.rawValue)), .init("effectSequence", .integer(Int128(settlement.sequence))),
            .init("recipient", .string(settlement.recipient.rawValue)), .init("status", .string("\(record.status)")),
            .init("durationMicroseconds", .integer(Int128(settlement.durationMicroseconds))),
        ]
        if !record.diverged.isEmpty {
            members.append(.init("diverged", .array(settlement.diverged.map { .string($0.number) })))
        }
        return .object(members)
    }
}
