package import ReluxControl
import ReluxWire

/// Decides what follows the death of one host: another start after a delay, none, or quarantine.
///
/// Pure: time comes in as the duration since the supervisor's start, chance as a number in 0..<1. Restarts that the
/// broker has ordered do not pass through it and so are not counted.
package struct RestartPolicy: Sendable, Equatable {
    package struct Limits: Sendable, Equatable {
        /// The number of restarts allowed within `period`; the next death quarantines the host.
        package var intensity: Int
        package var period: Duration
        /// The first delay's upper bound; it doubles with each death, up to `cap`.
        package var base: Duration
        package var cap: Duration
        /// A life of this length sets the delay back to `base`.
        package var healthyAfter: Duration
        package init(
            intensity: Int = 5, period: Duration = .seconds(60), base: Duration = .milliseconds(100),
            cap: Duration = .seconds(30), healthyAfter: Duration = .seconds(60)
        ) {
            self.intensity = intensity
            self.period = period
            self.base = base
            self.cap = cap
            self.healthyAfter = healthyAfter
        }
    }

    package enum Decision: Sendable, Equatable {
        case restart(after: Duration)
        /// Its kind of child is not started again after such an end.
        case rest
        case quarantine(why: String)
    }

    package let restart: HostSpec.Restart
    package let limits: Limits
    private var restarts: [Duration] = []
    private var doublings = 0
    private var startedAt: Duration?

    package init(_ restart: HostSpec.Restart, limits: Limits) {
        self.restart = restart
        self.limits = limits
    }

    package mutating func started(now: Duration) { startedAt = now }

    /// - Parameters:
    ///   - jitter: in 0..<1; the delay is that share of its upper bound (full jitter), so that hosts which
    ///     died together do not come back together.
    ///   - isCharged: an effect has to answer for this death, and is given up after five. It is not counted against the
    ///     intensity; the delay grows all the same. So it is for a process that was turned away.
    ///   - wantsMore: the next process has something to run that this one was not started for, so it would not end the same.
    ///   - told: the status with the reason that the process gave; nil when it gave none.
    package mutating func ended(
        _ status: ChildStatus, now: Duration, jitter: Double, isCharged: Bool = false, wantsMore: Bool = false, told: String? = nil
    ) -> Decision {
        defer { startedAt = nil }
        let told = told ?? status.description
        switch restart {
        case .temporary: return .rest
        case .transient where status.isClean: return .rest
        default: break
        }
        if status.forbidsRestart, !wantsMore {
            return .quarantine(why: "\(told): a restart would end the same; read its log, then `relux module restart`")
        }
        if let startedAt, now - startedAt >= limits.healthyAfter { doublings = 0 }
        restarts.removeAll { now - $0 >= limits.period }
        if isCharged || status.isTurnedAway { return .restart(after: nextDelay(jitter: jitter)) }
        guard restarts.count < limits.intensity else {
            return .quarantine(
                why: "\(told): \(restarts.count) restarts within \(DurationText.print(limits.period)), more than "
                    + "supervisor.intensity allows; \(Self.remedy(status)), then `relux module restart`")
        }
        restarts.append(now)
        return .restart(after: nextDelay(jitter: jitter))
    }

    /// Only a process that has died leaves a report.
    private static func remedy(_ status: ChildStatus) -> String {
        switch status {
        case .notStarted: "mend that"
        case .exited: status.isClean ? "read its log, and see that its executable is a host" : "read its log and its crash reports"
        default: "read its crash reports"
        }
    }

    private mutating func nextDelay(jitter: Double) -> Duration {
        // 2^40 times the smallest base is far past any cap.
        var bound = limits.base
        for _ in 0..<min(doublings, 40) where bound < limits.cap { bound *= 2 }
        doublings += 1
        return min(bound, limits.cap) * min(max(jitter, 0), 1)
    }
}
