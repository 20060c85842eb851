import ReluxWire

/// Leads the CBOR decoder through every kind of container, with generated code and without.
enum FuzzEffect: WireCodable {
    case none
    case values(Int8, UInt64, Double, Float, Bool, String?)
    case collections(list: [Int], table: [String: [Bool]], set: Set<String>, numbered: [Int: ByteString])
    case sealed(SealedBytes, ModuleID, EffectID)
    indirect case nested(FuzzEffect, [FuzzEffect?])
    case record(FuzzRecord, others: [FuzzRecord?], byName: [String: FuzzRecord]?)
    case aliased(Maybe<Int>, mark: Maybe<FuzzRecord.Mark>, list: [Maybe<Bool>], twice: Maybe<Maybe<Int>>, never: Maybe<Int>?)
}

/// An optional, and nobody sees it who does not know this line.
typealias Maybe<Wrapped> = Wrapped?

struct FuzzRecord: Codable {
    enum Level: Int, Codable { case low = 1, high = 2 }
    enum Mark: String, Codable { case plain, `default` }
    enum Choice: Codable {
        case nothing
        case text(String, in: Mark?)
    }

    var level: Level
    var mark: Mark?
    let bytes: ByteString
    var choice: Choice
    var ratios: [[Float?]]
    var deep: [Int: Mark]
}
