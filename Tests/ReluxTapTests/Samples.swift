public import ReluxWire

/// Effects and settlements as modules would say them.
enum Sample {
    static let noon: UInt64 = 1_700_000_000_114

    static func effect(
        _ position: UInt64, sequence: UInt64 = 1, caseName: String = "authSucceeded", ancestry: [EffectID] = [],
        payload: CBORValue = ["authSucceeded": ["userId": .text("u7")]], file: String = "AuthReluxImpl/Auth+Saga.swift",
        label: String = "", flags: EffectFlags = [], at offset: UInt64 = 0
    ) -> EffectRecord {
        EffectRecord(
            position: position, sequence: sequence, caseName: caseName, ancestry: ancestry, flags: flags,
            site: CallSite(file: file, line: 41, function: "handle(_:)"), label: label, wallTimeMilliseconds: noon + offset,
            payload: payload.encoded()[...])
    }

    static func settled(
        _ sequence: UInt64, of position: UInt64, effectSequence: UInt64 = 1, status: SettledRecord.Status = .succeeded,
        durationMicroseconds: UInt64 = 0, diverged: [UInt64] = [], result: [UInt8] = []
    ) -> SettledRecord {
        SettledRecord(
            sequence: sequence, topic: "Auth.Business.Effect", effects: EffectRuns(position: position, sequence: effectSequence),
            status: status, durationMicroseconds: durationMicroseconds, diverged: diverged, result: result[...])
    }

    static func frame(
        _ records: [WireRecord], topic: Topic = "Auth.Business.Effect", publisher: ModuleID = "Auth", epoch: UInt64 = 1
    ) throws -> [UInt8] {
        try Frame(topic: topic, publisher: publisher, epoch: Epoch(epoch), records: records).encoded()
    }
}

extension CBORValue: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, CBORValue)...) {
        self = .map(elements.map { Pair(.text($0.0), $0.1) })
    }
}
