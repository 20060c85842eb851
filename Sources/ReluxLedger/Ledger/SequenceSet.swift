package import ReluxWire

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

    /// Whether some sequence of the range is in the set.
    package func overlaps(_ range: ClosedRange<UInt64>) -> Bool {
        let index = index(endingAtOrAfter: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound <= range.upperBound
    }

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
        // Ranges that overlap or touch `new` are joined with it.
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

    package mutating func insert(_ effects: EffectRuns) {
        let effect = effects.firstEffect
        if effects.count == 1 { return insert(effect.sequence) }
        for range in effects.sequences { insert(range) }
    }

    /// Forgets the lowest ranges, so that no more than that many are left.
    mutating func keep(last count: Int) { if ranges.count > count { ranges.removeFirst(ranges.count - count) } }

    package var isEmpty: Bool { ranges.isEmpty }
    /// How many there are; stays at the largest number when there are more.
    package var count: UInt64 {
        ranges.reduce(0) { count, range in
            let (width, isFull) = (range.upperBound - range.lowerBound).addingReportingOverflow(1)
            let (sum, overflow) = count.addingReportingOverflow(width)
            return isFull || overflow ? .max : sum
        }
    }

    /// The sequences of this set that the other one does not have.
    package func subtracting(_ other: SequenceSet) -> SequenceSet {
        var rest = SequenceSet()
        for range in ranges {
            var low = range.lowerBound
            while true {
                let index = other.index(endingAtOrAfter: low)
                let next = index < other.ranges.count ? other.ranges[index] : nil
                // The part in front of what the other has.
                if next.map({ $0.lowerBound > low }) ?? true {
                    rest.insert(low...min(range.upperBound, next.map { $0.lowerBound - 1 } ?? .max))
                }
                guard let next, next.upperBound < range.upperBound else { break }
                low = next.upperBound + 1
            }
        }
        return rest
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
