/// The time that the broker's limits go by: what passed while this process itself stood still for longer than a second counts for nobody.
///
/// A machine that is suspended or starved stops all processes alike. Afterwards each of them needs a moment to say what it has to say, and
/// every limit would be over by then: silence, starts, hand-overs.
struct PatientClock {
    /// Two looks are a tick apart, or as long as a busy broker works off what has come.
    static let limit = Duration.seconds(1)

    private var lastLook: Duration
    private var missed = Duration.zero

    init(since time: Duration) { lastLook = time }

    /// The time that counts. It goes on by the limit whatever is missed, so that a broker that is slow for ever still ends what hangs.
    ///
    /// - Parameter time: of a clock that never stops; it only rises.
    mutating func look(at time: Duration) -> Duration {
        missed += max(.zero, time - lastLook - Self.limit)
        lastLook = time
        return time - missed
    }
}
