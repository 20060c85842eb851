import ReluxControl
import ReluxWire
import Testing

@testable import ReluxSupervisor

@Suite struct RestartPolicyTests {
    private func policy(_ restart: HostSpec.Restart) -> RestartPolicy { RestartPolicy(restart, limits: .init()) }

    private func delay(_ decision: RestartPolicy.Decision) -> Duration? {
        if case .restart(let delay) = decision { delay } else { nil }
    }

    @Test func `five deaths within a minute are borne, the sixth is quarantine`() {
        var policy = policy(.permanent)
        for second in 0..<5 {
            #expect(delay(policy.ended(.signalled(4), now: .seconds(second), jitter: 0.5)) != nil)
        }
        guard case .quarantine(let why) = policy.ended(.signalled(4), now: .seconds(59), jitter: 0.5) else {
            Issue.record("not quarantined")
            return
        }
        #expect(why.contains("signal 4 (SIGILL)") && why.contains("5 restarts within 60s"))
    }

    @Test func `what is given up names what there is to read`() {
        func why(_ status: ChildStatus) -> String {
            var policy = policy(.permanent)
            for _ in 0..<5 { _ = policy.ended(status, now: .seconds(1), jitter: 0.5) }
            guard case .quarantine(let why) = policy.ended(status, now: .seconds(1), jitter: 0.5) else { return "" }
            return why
        }
        #expect(why(.signalled(4)).contains("read its crash reports"))
        #expect(why(.exited(1)).contains("read its log and its crash reports"))
        // Nothing has died.
        #expect(why(.exited(0)).contains("read its log, and see that its executable is a host"))
        #expect(why(.notStarted("no such file")).contains("mend that"))
    }

    @Test func `a death that an effect has to answer for is not counted, and delays the next life all the same`() {
        var policy = policy(.permanent)
        for death in 0..<40 {
            let decision = policy.ended(.signalled(4), now: .seconds(1), jitter: 0.5, isCharged: true)
            #expect(delay(decision) == min(.milliseconds(50) * (1 << min(death, 20)), .seconds(15)), "\(death)")
        }
        for second in 2..<7 {
            #expect(delay(policy.ended(.signalled(4), now: .seconds(second), jitter: 0.5)) != nil, "the five of its own are left")
        }
        guard case .quarantine = policy.ended(.signalled(4), now: .seconds(8), jitter: 0.5) else {
            Issue.record("not quarantined")
            return
        }
        // Not even then does a charged one end the patience that is left.
        guard case .restart = policy.ended(.signalled(4), now: .seconds(9), jitter: 0.5, isCharged: true) else {
            Issue.record("quarantined for an effect")
            return
        }
    }

    @Test func `an effect has to answer neither for a status that repeats itself nor for a host that is not to return`() {
        var policy = policy(.permanent)
        guard case .quarantine = policy.ended(.exited(64), now: .zero, jitter: 0, isCharged: true) else {
            Issue.record("exit 64 was restarted")
            return
        }
        var temporary = self.policy(.temporary)
        #expect(temporary.ended(.signalled(4), now: .zero, jitter: 0, isCharged: true) == .rest)
    }

    @Test func `deaths that have left the period no longer count`() {
        var policy = policy(.permanent)
        for second in stride(from: 0, to: 600, by: 13) {
            #expect(delay(policy.ended(.exited(1), now: .seconds(second), jitter: 0)) != nil)
        }
    }

    @Test func `the bound of the delay doubles from 100 ms to 30 s and jitter takes its share`() {
        var policy = RestartPolicy(.permanent, limits: .init(intensity: 100))
        var bounds: [Int64] = []
        for _ in 0..<11 {
            let half = delay(policy.ended(.exited(1), now: .zero, jitter: 0.5))!
            bounds.append(DurationText.milliseconds(half) * 2)
        }
        #expect(bounds == [100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000])
        #expect(delay(policy.ended(.exited(1), now: .zero, jitter: 0)) == .zero)
    }

    @Test func `a healthy minute sets the delay back`() {
        var policy = policy(.permanent)
        policy.started(now: .zero)
        _ = policy.ended(.exited(1), now: .seconds(1), jitter: 1)
        policy.started(now: .seconds(2))
        #expect(policy.ended(.exited(1), now: .seconds(61), jitter: 1) == .restart(after: .milliseconds(200)))
        policy.started(now: .seconds(70))
        #expect(policy.ended(.exited(1), now: .seconds(130), jitter: 1) == .restart(after: .milliseconds(100)))
    }

    @Test(arguments: [
        (HostSpec.Restart.permanent, ChildStatus.exited(0), true), (.permanent, .signalled(9), true),
        (.transient, .exited(0), false), (.transient, .exited(1), true), (.transient, .signalled(11), true),
        (.temporary, .exited(1), false), (.temporary, .signalled(11), false),
    ])
    func `permanent always returns, transient after a failure, temporary never`(
        restart: HostSpec.Restart, status: ChildStatus, returns: Bool
    ) {
        var policy = policy(restart)
        let decision = policy.ended(status, now: .zero, jitter: 0)
        #expect(returns ? delay(decision) != nil : decision == .rest)
    }

    @Test func `a process that may not go on with its journal is started again, and given up when that does not help`() {
        var policy = policy(.permanent)
        for _ in 0..<5 { #expect(delay(policy.ended(.exited(81), now: .zero, jitter: 0)) != nil) }
        guard case .quarantine(let why) = policy.ended(.exited(81), now: .zero, jitter: 0) else {
            Issue.record("it was restarted for ever")
            return
        }
        #expect(why.hasPrefix("exit 81, its journal takes nothing any more"))
    }

    @Test(arguments: [70, 71, 74]) func `what the system refused once is tried again, and counted`(code: Int32) {
        var policy = policy(.permanent)
        for _ in 0..<5 { #expect(delay(policy.ended(.exited(code), now: .zero, jitter: 0)) != nil) }
        #expect(delay(policy.ended(.exited(code), now: .zero, jitter: 0)) == nil)
    }

    @Test(arguments: [64, 72, 73, 78]) func `a status that would repeat itself is quarantine at once`(code: Int32) {
        var policy = policy(.permanent)
        guard case .quarantine = policy.ended(.exited(code), now: .zero, jitter: 0) else {
            Issue.record("exit \(code) was restarted")
            return
        }
    }

    @Test func `a status that says nothing of the next try is borne like any other`() {
        var policy = policy(.permanent)
        for _ in 0..<5 { #expect(delay(policy.ended(.exited(69), now: .zero, jitter: 0)) != nil) }
        #expect(delay(policy.ended(.exited(69), now: .zero, jitter: 0)) == nil)
    }

    @Test func `a host that is turned away comes back later and later, and is never given up for that`() {
        var policy = policy(.permanent)
        for attempt in 0..<40 {
            let decision = policy.ended(.exited(75), now: .seconds(1), jitter: 0.5)
            #expect(delay(decision) == min(.milliseconds(50) * (1 << min(attempt, 20)), .seconds(15)), "\(attempt)")
        }
        for _ in 0..<5 { #expect(delay(policy.ended(.exited(1), now: .seconds(2), jitter: 0)) != nil, "its own are left") }
        #expect(delay(policy.ended(.exited(1), now: .seconds(2), jitter: 0)) == nil)
    }
}
