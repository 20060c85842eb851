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
}
