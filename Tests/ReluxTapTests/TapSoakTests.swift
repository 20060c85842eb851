@testable import ReluxTap
import ReluxWire
import SoakKit
import Testing

/// A tap that runs for weeks.
@Suite struct TapSoakTests {
    @Test func `a thousand lives of a publisher on a thousand topics leave nothing behind in a tap`() throws {
        var soak = Soak("life")
        var reader = TapReader(patterns: [try TapPattern("Soak.**")])
        let topics = try (0..<1_000).map { try Topic("Soak.Topic\($0)") }
        try soak.play(SoakLength.of(6_000, full: 100_000), warmUp: 2_000, census: { Census(["reader": reader]) }) { number in
            let (epoch, topic) = (UInt64(number) + 1, topics[number % topics.count])
            let settled: [WireRecord] = [.settled(Sample.settled(1, of: UInt64(number)))]
            _ = reader.read(try Sample.frame([.effect(Sample.effect(UInt64(number), sequence: 1))], topic: topic, epoch: epoch))
            _ = reader.read(try Sample.frame(settled, topic: .settlements(of: "Auth"), publisher: "Profile", epoch: epoch))
        }
        // Which effects it has shown it remembers up to a limit of its own.
        #expect(soak.complaints.filter { !$0.hasPrefix("reader.followed") && !$0.contains("bytes of memory") } == [], "\(soak.summary)")
    }

    @Test func `what a tap hears of an earlier life behind a later one is left out`() throws {
        var reader = TapReader(patterns: [])
        #expect(reader.read(try Sample.frame([.effect(Sample.effect(1, sequence: 1))], epoch: 2)).count == 1)
        #expect(reader.read(try Sample.frame([.effect(Sample.effect(2, sequence: 90))], epoch: 1)).isEmpty)
        #expect(reader.counters.dropped == 0)
    }
}
