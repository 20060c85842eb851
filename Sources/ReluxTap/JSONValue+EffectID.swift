package import ReluxWire

extension JSONValue {
    /// An effect's id as it travels, and behind it its parts: `id`, `life`, `position`; or `cause`, `causeLife`, `causePosition`.
    package static func members(of effect: EffectID, as name: String = "id") -> [Member] {
        let isOwn = name == "id"
        return [
            Member(name, .string(effect.number)), Member(isOwn ? "life" : name + "Life", .integer(Int128(effect.life))),
            Member(isOwn ? "position" : name + "Position", .integer(Int128(effect.positionInLife))),
        ]
    }

    /// A position or a sequence as it travels, and behind it its parts: `first`, `firstLife` and `firstInLife`.
    package static func members(ofNumber number: UInt64, as name: String) -> [Member] {
        let life = Epoch(start: number)
        return [
            Member(name, .integer(Int128(number))), Member(name + "Life", .integer(Int128(life.rawValue))),
            Member(name + "InLife", .integer(Int128(number - life.start))),
        ]
    }
}
