extension Duration {
    /// A hundred years; a longer wait is this one. The system's timers end far below what a duration can say.
    static let longestWait = Duration.seconds(100 * 365 * 86_400)

    /// Milliseconds as they travel: without a fraction, zero for what is less, the largest number for what does not fit.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (milliseconds, isTooLarge) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        let (sum, isAbove) = milliseconds.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000_000_000)
        return isTooLarge || isAbove ? .max : sum
    }
}
