extension UInt64 {
    /// Counts with a number from outside, which may be any: the sum stays at the highest one.
    package mutating func grow(by count: UInt64) {
        let (sum, overflow) = addingReportingOverflow(count)
        self = overflow ? .max : sum
    }
}
