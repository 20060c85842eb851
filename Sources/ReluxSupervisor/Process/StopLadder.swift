import Glibc

/// The way down for one process: drain, then SIGTERM, then SIGKILL, each with its time; a value, so that the order of
/// its rungs can be tested without a process.
///
/// The ladder ends when the process does; only then may a successor start. Times are durations since the supervisor's
/// start.
package struct StopLadder: Sendable, Equatable {
    package struct Timing: Sendable, Equatable {
        /// How long a process may drain before it is told to end.
        package var drain: Duration
        /// How long after SIGTERM it is killed.
        package var term: Duration
        package init(drain: Duration = .seconds(5), term: Duration = .seconds(2)) {
            self.drain = drain
            self.term = term
        }
    }

    private var rungs: [Rung]

    private struct Rung: Sendable, Equatable {
        var due: Duration
        var signal: Int32
    }

    /// The broker has asked the process to drain: it gets time to end by itself, then SIGTERM, then SIGKILL.
    package static func afterDrainRequest(now: Duration, timing: Timing) -> Self {
        let term = now + timing.drain
        return Self(rungs: [Rung(due: term, signal: SIGTERM), Rung(due: term + timing.term, signal: SIGKILL)])
    }

    /// Nobody has asked: SIGTERM does at once, and the time for the drain follows it.
    package static func withoutDrainRequest(now: Duration, timing: Timing) -> Self {
        let kill = now + timing.drain + timing.term
        return Self(rungs: [Rung(due: now, signal: SIGTERM), Rung(due: kill, signal: SIGKILL)])
    }

    package static func immediately(now: Duration) -> Self {
        Self(rungs: [Rung(due: now, signal: SIGKILL)])
    }

    /// When the next signal is due; nil once SIGKILL was sent and only the end of the process is awaited.
    package var deadline: Duration? { rungs.first?.due }

    /// When SIGKILL is due; nil once it was sent.
    var killedAt: Duration? { rungs.last?.due }

    /// The signal that is due, which counts as sent then. Call it again until it says nil.
    package mutating func step(now: Duration) -> Int32? {
        guard let rung = rungs.first, rung.due <= now else { return nil }
        rungs.removeFirst()
        return rung.signal
    }
}
