import Testing

@testable import ReluxBroker

@Suite struct PatientClockTests {
    @Test func `time goes on as it does while the broker looks often enough`() {
        var clock = PatientClock()
        for step in 0...40 { #expect(clock.look(at: .milliseconds(7000 + 250 * step)) == .milliseconds(7000 + 250 * step)) }
        #expect(clock.look(at: .seconds(17) + PatientClock.limit) == .seconds(17) + PatientClock.limit)
    }

    @Test func `what it has missed counts for nobody, each time`() {
        var clock = PatientClock()
        #expect(clock.look(at: .seconds(5)) == .seconds(5))
        #expect(clock.look(at: .seconds(65)) == .seconds(5))
        #expect(clock.look(at: .milliseconds(65_100)) == .milliseconds(5100))
        #expect(clock.look(at: .seconds(100)) == .milliseconds(5100))
        #expect(clock.look(at: .milliseconds(100_500)) == .milliseconds(5600))
    }
}
