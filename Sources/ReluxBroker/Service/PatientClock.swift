/// The time that the broker grants to others: what passed while this process itself stood still counts for nobody.
///
/// A machine that is suspended or starved stops all processes alike. Afterwards each of them needs a moment to say what it has to say, and
/// every limit would be over by then: silence, starts, hand-overs.
struct PatientClock {
    /// Two looks are a tick apart, or as long as a busy broker works off what has come.
    static let limit = Duration.seconds(1)

    private var lastLook: Duration?
    private var missed = Duration.zero

    /// - Parameter time: of a clock that never stops; it only rises.
    mutating func look(at time: Duration) -> Duration {
        if let lastLook, time - lastLook > Self.limit { missed += time - lastLook }
        lastLook = time
        return time - missed
    }
}
