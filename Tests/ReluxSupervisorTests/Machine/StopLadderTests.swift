import Glibc
import ReluxWire
import Testing

@testable import ReluxSupervisor

@Suite struct StopLadderTests {
    private func rungs(_ ladder: StopLadder) -> [String] {
        var ladder = ladder
        var seen: [String] = []
        while let due = ladder.deadline {
            if due > .zero { #expect(ladder.step(now: due - .milliseconds(1)) == nil) }
            seen.append("\(DurationText.print(due)) \(ChildStatus.name(ofSignal: ladder.step(now: due)!)!)")
        }
        return seen
    }

    @Test func `a drained process gets five seconds, then TERM, then KILL after two`() {
        #expect(rungs(.afterDrainRequest(now: .seconds(10), timing: .init())) == ["15s SIGTERM", "17s SIGKILL"])
    }

    @Test func `without a request to drain TERM comes first and keeps the same time in all`() {
        #expect(rungs(.withoutDrainRequest(now: .seconds(10), timing: .init())) == ["10s SIGTERM", "17s SIGKILL"])
    }

    @Test func `no signal is sent twice`() {
        var ladder = StopLadder.immediately(now: .zero)
        #expect(ladder.step(now: .zero) == SIGKILL)
        #expect(ladder.step(now: .seconds(100)) == nil && ladder.deadline == nil)
    }
}
