/// SplitMix64: the same seed gives the same values on every machine.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}

extension SeededRandom {
    mutating func count(upTo limit: Int) -> Int { Int.random(in: 0...limit, using: &self) }

    /// An integer of any magnitude, small ones as likely as large ones.
    mutating func unsigned() -> UInt64 { next() >> UInt64.random(in: 0..<64, using: &self) }

    mutating func text(upTo limit: Int = 12) -> String {
        let alphabet = Array("abcxyzABC019 _-.\"\\\n\u{0}éß漢🙂")
        return String((0..<count(upTo: limit)).map { _ in alphabet.randomElement(using: &self) ?? "x" })
    }

    mutating func bytes(upTo limit: Int = 40) -> [UInt8] {
        (0..<count(upTo: limit)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    mutating func list<Element>(upTo limit: Int, _ make: (inout SeededRandom) -> Element) -> [Element] {
        (0..<count(upTo: limit)).map { _ in make(&self) }
    }
}
