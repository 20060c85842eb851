import ReluxTestKit

extension SeededRandom {
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .microseconds(range.lowerBound * 1000 + below((range.upperBound - range.lowerBound) * 1000 + 1))
    }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
