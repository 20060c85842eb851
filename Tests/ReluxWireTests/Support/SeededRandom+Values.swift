import ReluxTestKit

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
