/// A position or a sequence as people read it: the module's life and the number within it, `3.42`.
///
/// On the wire, in journals and in JSON it is one number, 3298534883370 for that one: ``Epoch/start`` of the life and the rest.
package enum LifeNumber {
    /// `3.42`; the number alone where no life was given out.
    package static func text(of number: UInt64) -> String {
        let life = Epoch(start: number)
        return life.rawValue == 0 ? "\(number)" : "\(life).\(number - life.start)"
    }

    /// `3.42`, or a single number for one number.
    package static func text(of range: ClosedRange<UInt64>) -> String {
        range.lowerBound == range.upperBound ? text(of: range.lowerBound) : "\(text(of: range.lowerBound))...\(text(of: range.upperBound))"
    }

    /// Takes both forms, in decimal without leading zeros; nil for anything else.
    package static func parse(_ text: some StringProtocol) -> UInt64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = decimal(parts[0]) else { return nil }
        guard parts.count == 2 else { return first }
        let start = Epoch(first).start
        // A life or a number of more bits than it has would be another one's.
        guard Epoch(start: start).rawValue == first, let rest = decimal(parts[1]), Epoch(start: rest).rawValue == 0 else { return nil }
        return start | rest
    }

    private static func decimal(_ text: some StringProtocol) -> UInt64? {
        guard let number = UInt64(text), "\(number)" == text else { return nil }
        return number
    }
}
