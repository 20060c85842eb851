import Glibc
import ReluxControl
import ReluxTap
import ReluxWire
import ReluxZeroMQ
import Testing

@Suite struct TapSessionTests {
    @Test func `a tap hears what a host publishes, by the prefix of its pattern`() throws {
        let context = try ZeroMQContext()
        let publisher = try ZeroMQSocket(.pub, in: context)
        let endpoint = "inproc://tap-\(getpid())"
        try publisher.bind(endpoint)
        var session = try TapSession(context: context, patterns: [try TapPattern("Auth.**")], settlements: false)
        #expect(try session.follow([ClusterPicture.Host(id: "a", endpoint: "", tapEndpoint: endpoint)]))
        #expect(try !session.follow([ClusterPicture.Host(id: "a", endpoint: "", tapEndpoint: endpoint)]))
        // A subscription takes its time; until then it is said again, under the next number.
        var sequence: UInt64 = 0
        var events: [TapEvent] = []
        for _ in 0..<1000 where events.isEmpty {
            sequence += 1
            _ = try publisher.send(try Sample.frame([.effect(Sample.effect(sequence, sequence: sequence))]))
            _ = try publisher.send(
                try Sample.frame([.effect(Sample.effect(sequence, sequence: sequence))], topic: "Notes.Business.Effect"))
            events = try session.receive(milliseconds: 20)
        }
        guard case .effect(let effect)? = events.first else {
            Issue.record("nothing was heard")
            return
        }
        #expect(effect.topic == "Auth.Business.Effect")
        #expect(session.counters.dropped == 0)
    }
}
