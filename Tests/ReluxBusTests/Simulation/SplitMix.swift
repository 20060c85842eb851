/// Random numbers by seed. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .microseconds(range.lowerBound * 1000 + below((range.upperBound - range.lowerBound) * 1000 + 1))
    }
}
