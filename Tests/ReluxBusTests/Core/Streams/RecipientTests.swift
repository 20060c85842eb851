import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import Testing

@Suite struct RecipientTests {
    /// Joined to There, whose stream has said nothing yet.
    private func bench() throws -> CoreBench {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        return bench
    }

    @Test func `what comes in order is handed over at once, a second copy is counted`() throws {
        var bench = try bench()
        #expect(try bench.hear(effects: [1, 2]).delivered == [1, 2])
        #expect(try bench.hear(effects: [2, 3]).delivered == [3])
        #expect(bench.core.counters.duplicates == 1 && bench.core.counters.gaps == 0)
    }

    @Test func `a stream that is joined or repaired brings some records by both ways, and that is no second copy`() throws {
        var bench = try bench()
        // The answer was quicker than what was said.
        #expect(try bench.replay([CoreBench.effect(1), CoreBench.effect(2)], head: 2).delivered == [1, 2])
        #expect(try bench.hear(effects: [1, 2, 3]).delivered == [3])
        // The effects that were said were quicker than the answer.
        #expect(try bench.replay([CoreBench.effect(2), CoreBench.effect(3)], head: 3).delivered.isEmpty)
        #expect(bench.core.counters.duplicates == 0 && bench.core.counters.troubles.isEmpty)
        #expect(try bench.hear(effects: [3]).delivered.isEmpty)
        #expect(bench.core.counters.duplicates == 1)
    }

    @Test func `a gap holds back what came too early, and only what is missing is asked for`() throws {
        var bench = try bench()
        let actions = try bench.hear(effects: [1, 4, 6])
        #expect(actions.delivered == [1])
        #expect(actions.fetches == [[2...3, 5...5]])
        #expect(bench.core.counters.gaps == 1)
        // Asked already: the next record of the gap does not ask again.
        #expect(try bench.hear(effects: [7]).fetches.isEmpty)
        #expect(try bench.replay([CoreBench.effect(2), CoreBench.effect(3), CoreBench.effect(5)], head: 7).delivered == Array(2...7))
        #expect(bench.core.counters.repaired == 6 && bench.core.inbound.lagging.isEmpty)
    }

    /// Seed 178719 of the simulator: nobody would ever have answered.
    @Test func `what is missing of a publisher that comes here without its journal is passed over`() throws {
        var bench = try bench()
        #expect(try bench.hear(effects: [1, 3]).delivered == [1])
        #expect(!bench.core.inbound.lagging.isEmpty)
        _ = bench.add("There", epoch: 2)
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "here", epoch: 2)])
        for _ in 0..<20 where !bench.core.inbound.lagging.isEmpty { _ = bench.tick() }
        #expect(bench.core.inbound.lagging.isEmpty)
    }

    @Test func `a foreign answer that names a stream nobody hears, in its midst, moves none of those that are heard`() throws {
        // Whatever room there is for streams: one of these counts leaves none.
        for count in 1...40 as ClosedRange<Int> {
            var bench = try bench()
            for number in 1..<count {
                let key = BusCore.InboundKey(recipient: "Here", publisher: try ModuleID("Other\(number)"), topic: CoreBench.work)
                bench.core.inbound.streams[key] = InboundStream(startsAfter: 0, head: 0)
            }
            let unheard = WireRecord.head(HeadRecord(streams: [.init(topic: "Nobody.Business.Effect", low: 1, head: 9)]))
            #expect(try bench.replay([CoreBench.effect(1), unheard, CoreBench.effect(2)], head: 2).delivered == [1, 2])
            #expect(bench.core.inbound.streams.count == count)
        }
    }

    @Test func `what is gone is passed over`() throws {
        var bench = try bench()
        _ = try bench.hear(effects: [4])
        let gone = WireRecord.gone(GoneRecord(topic: CoreBench.work, range: 1...3))
        #expect(try bench.replay([gone], head: 4).delivered == [4])
        #expect(bench.core.counters.passedOver == 1)
    }

    @Test func `more than the bound is not held back but fetched when its turn comes`() throws {
        var bench = try bench()
        let limit = UInt64(InboundStream<WireRecord>.heldLimit)
        for start in stride(from: UInt64(2), through: limit + 12, by: 100) {
            _ = try bench.hear(effects: Array(start..<min(start + 100, limit + 12)))
        }
        #expect(try bench.replay([CoreBench.effect(1)], head: limit + 11).delivered == Array(1...limit + 1))
        bench.now += .seconds(1)
        #expect(bench.tick().fetches == [[limit + 2...limit + 11]])
    }

    @Test func `an unanswered FETCH is repeated with a later tick`() throws {
        var bench = try bench()
        #expect(try bench.hear(effects: [2]).fetches == [[1...1]])
        #expect(bench.tick().fetches == [[1...1]])
        #expect(bench.tick().fetches == [[1...1]])
    }

    @Test func `a FETCH that the publisher's host cannot have heard is said again as soon as it hears us`() throws {
        var bench = CoreBench.paired()
        #expect(try bench.answer([CoreBench.head(1, starts: [.init(recipient: "Here", after: 0)])]).fetches == [[1...1]])
        #expect(bench.marked(by: "elsewhere").fetches.isEmpty)
        #expect(bench.marked().fetches == [[1...1]])
        #expect(try bench.replay([CoreBench.effect(1)], head: 1).delivered == [1])
        #expect(bench.marked().fetches.isEmpty)
    }

    @Test func `an earlier life's frames are dropped, a later life goes on with its streams`() throws {
        var bench = try bench()
        _ = try bench.hear(effects: [1, 2])
        #expect(try bench.hear(effects: [2, 3], epoch: 2).delivered == [3])
        #expect(try bench.hear(effects: [4]).isEmpty)
        #expect(bench.core.counters.staleEpoch == 1)
    }

    @Test func `what was accepted before the recipient became a member is not meant for it`() throws {
        var bench = CoreBench()
        _ = bench.add("Here")
        _ = bench.picture(1, [CoreBench.member("Here", on: "here", since: 7), CoreBench.member("There", on: "there")])
        _ = try bench.answer([CoreBench.head(0)])
        #expect(try bench.hear(effects: [1], version: 6).delivered.isEmpty)
        #expect(try bench.hear(effects: [2], version: 7).delivered == [2])
        #expect(bench.core.counters.notForUs == 1)
    }

    @Test func `what comes before the heads are known waits for them`() throws {
        var bench = CoreBench.paired()
        #expect(try bench.hear(effects: [5]).isEmpty)
        // There counts Here in from its fourth effect on.
        let actions = try bench.answer([CoreBench.head(5, starts: [.init(recipient: "Here", after: 3)])])
        #expect(actions.fetches == [[4...5]])
    }

    @Test(arguments: [[UInt8]](arrayLiteral: [], [0], [0xFF], Array("Work".utf8), [UInt8](repeating: 0xFF, count: 400)))
    func `what is no frame is refused and counted`(_ message: [UInt8]) {
        var bench = CoreBench.paired()
        #expect(bench.core.receive(message, now: .zero).isEmpty)
        #expect(bench.core.counters.framesRefused == 1)
    }
}
