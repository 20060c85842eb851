import Testing

@testable import ReluxBroker

@Suite struct PatientClockTests {
    @Test func `time goes on as it does while the broker looks often enough`() {
        var clock = PatientClock(since: .seconds(7))
        for step in 0...40 { #expect(clock.look(at: .milliseconds(7000 + 250 * step)) == .milliseconds(7000 + 250 * step)) }
        #expect(clock.look(at: .seconds(17) + PatientClock.limit) == .seconds(17) + PatientClock.limit)
    }

    @Test func `of what it has missed only the limit counts, each time`() {
        var clock = PatientClock(since: .seconds(5))
        #expect(clock.look(at: .seconds(65)) == .seconds(6))
        #expect(clock.look(at: .milliseconds(65_100)) == .milliseconds(6100))
        #expect(clock.look(at: .seconds(100)) == .milliseconds(7100))
        #expect(clock.look(at: .milliseconds(100_500)) == .milliseconds(7600))
    }

    @Test func `a broker that is slow for ever still comes to the end of every limit`() {
        var clock = PatientClock(since: .zero)
        var now = Duration.zero
        for look in 1...60 { now = clock.look(at: .milliseconds(1100 * look)) }
        #expect(now == .seconds(60))
    }
}
