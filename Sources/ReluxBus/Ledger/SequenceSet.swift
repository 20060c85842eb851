/// A set of sequences, kept as few ranges: what of a stream is done. Pure.
package struct SequenceSet: Sendable, Hashable, Codable {
    /// In order; no two touch.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    package init(upTo mark: UInt64) { ranges = [0...mark] }

    /// Every sequence up to here is in the set.
    package var lowWater: UInt64 {
        guard let first = ranges.first, first.lowerBound <= 1 else { return 0 }
        return first.upperBound
    }

    package func contains(_ sequence: UInt64) -> Bool { range(around: sequence) != nil }

    /// The range of the set that the sequence lies in.
    package func range(around sequence: UInt64) -> ClosedRange<UInt64>? {
        let index = index(endingAtOrAfter: sequence)
        guard index < ranges.count, ranges[index].contains(sequence) else { return nil }
        return ranges[index]
    }

    package mutating func insert(_ sequence: UInt64) {
        // Nearly always the next one of the first or the last range.
        if let last = ranges.indices.last, ranges[last].upperBound < .max, ranges[last].upperBound + 1 == sequence {
            ranges[last] = ranges[last].lowerBound...sequence
        } else {
            insert(sequence...sequence)
        }
    }

    package mutating func insert(_ new: ClosedRange<UInt64>) {
        // Those that overlap or touch `new` are joined with it.
        let first = index(endingAtOrAfter: new.lowerBound == 0 ? 0 : new.lowerBound - 1)
        var end = first
        var (low, high) = (new.lowerBound, new.upperBound)
        while end < ranges.count, ranges[end].lowerBound <= (high == .max ? .max : high + 1) {
            low = min(low, ranges[end].lowerBound)
            high = max(high, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: [low...high])
    }

    private func index(endingAtOrAfter sequence: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
