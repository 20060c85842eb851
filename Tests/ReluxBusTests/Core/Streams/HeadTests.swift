import Relux
@testable import ReluxBus
import Testing

@Suite struct HeadTests {
    private func bench() throws -> CoreBench {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        while !bench.tick().isEmpty {}
        return bench
    }

    private let start = CoreBench.start

    @Test func `heads are said within 200 ms while anything is unsettled, and not a moment longer`() throws {
        var bench = try bench()
        #expect(bench.core.nextTick == nil)
        _ = bench.emit(1)
        #expect(try #require(bench.core.nextTick) - bench.now <= .milliseconds(200))
        for _ in 0..<3 { #expect(bench.tick().heads.map(\.streams) == [[.init(topic: CoreBench.work, low: 1, head: 1)]]) }
        _ = try bench.hear([CoreBench.settled(1, position: 1)], on: .settlements(of: "Here"))
        // Once more, to say that the settlement has come in.
        let last = bench.tick().heads
        #expect(last.map(\.streams) == [[]])
        #expect(last.map(\.acknowledged) == [[.init(module: "There", topic: .settlements(of: "Here"), lowWater: start + 1)]])
        #expect(bench.tick().isEmpty && bench.core.nextTick == nil)
    }

    @Test func `a head that shows more than what came makes the tail be fetched`() throws {
        var bench = try bench()
        _ = try bench.hear(effects: [1])
        let head = HeadRecord(streams: [.init(topic: CoreBench.work, low: 2, head: 3)])
        #expect(try bench.hear([.head(head)], on: "~head.There").fetches == [[2...3]])
    }

    @Test func `settlements are kept until the publisher has acknowledged them`() throws {
        var bench = try bench()
        for position in UInt64(1)...3 { _ = bench.settle(position) }
        func acknowledge(_ mark: UInt64) throws {
            let word = HeadRecord.Acknowledgement(module: "Here", topic: .settlements(of: "There"), lowWater: start + mark)
            _ = try bench.hear([.head(HeadRecord(streams: [], acknowledged: [word]))], on: "~head.There")
        }
        try acknowledge(2)
        #expect(bench.tick().heads.first?.streams == [.init(topic: .settlements(of: "There"), low: start + 3, head: start + 3)])
        // Not by somebody else's word.
        let foreign = HeadRecord.Acknowledgement(module: "Here", topic: .settlements(of: "Other"), lowWater: start + 3)
        _ = try bench.hear([.head(HeadRecord(streams: [], acknowledged: [foreign]))], on: "~head.There")
        #expect(!bench.core.isSettled("Here"))
        try acknowledge(3)
        #expect(bench.core.isSettled("Here"))
    }

    @Test(arguments: [true, false]) func `a module that leaves goes with the last word it needs, and not with the next heads`(hasSaid: Bool) throws {
        var bench = try bench()
        if hasSaid { _ = bench.emit(1) } else { _ = bench.settle(1) }
        #expect(bench.core.remove("Here", now: bench.now).left == [])
        bench.now += .milliseconds(10)
        #expect(try #require(bench.core.nextTick) > bench.now)
        if hasSaid {
            _ = try bench.hear([CoreBench.settled(1, position: 1)], on: .settlements(of: "Here"))
        } else {
            let word = HeadRecord.Acknowledgement(module: "Here", topic: .settlements(of: "There"), lowWater: start + 1)
            _ = try bench.hear([.head(HeadRecord(streams: [], acknowledged: [word]))], on: "~head.There")
        }
        #expect(bench.core.nextTick == bench.now)
        let last = bench.tick()
        #expect(last.left == ["Here"])
        // Whoever has settled it needs the word, too.
        #expect(last.heads.flatMap(\.acknowledged).count == (hasSaid ? 1 : 0))
    }

    @Test func `a head that shows settlements as unacknowledged makes the word be said again`() throws {
        var bench = try bench()
        _ = bench.emit(1)
        _ = try bench.hear([CoreBench.settled(1, position: 1)], on: .settlements(of: "Here"))
        while !bench.tick().isEmpty {}
        let head = HeadRecord(streams: [.init(topic: .settlements(of: "Here"), low: start + 1, head: start + 1)])
        _ = try bench.hear([.head(head)], on: "~head.There")
        #expect(bench.tick().heads.map(\.acknowledged) == [[.init(module: "There", topic: .settlements(of: "Here"), lowWater: start + 1)]])
    }

    @Test func `while a subscriber has no room, heads are said four times as often, and snapshots only when it has room again`() throws {
        var bench = try bench()
        _ = bench.emit(1)
        _ = bench.core.snapshotChanged("Seen", of: "Here", payload: [1], now: bench.now)
        for _ in 0..<3 {
            bench.core.droppedForSlowSubscriber(now: bench.now)
            let before = bench.now
            let probe = bench.tick()
            #expect(bench.now - before == .milliseconds(50))
            #expect(probe.heads.count == 1 && probe.shown == 0)
        }
        // The last probe was not dropped.
        let before = bench.now
        #expect(bench.tick().shown == 1)
        #expect(bench.now - before == .milliseconds(50))
        #expect(try #require(bench.core.nextTick) - bench.now == HeadClock.interval)
        #expect(bench.tick().shown == 0)
    }

    @Test func `a request that stays unanswered is made again when its patience ends, then with the heads`() throws {
        var bench = try bench()
        _ = try bench.hear(effects: [1])
        let head = HeadRecord(streams: [.init(topic: CoreBench.work, low: 2, head: 900)])
        #expect(try bench.hear([.head(head)], on: "~head.There").fetches == [[2...900]])
        var times: [Duration] = []
        let start = bench.now
        while bench.now < start + .milliseconds(600) { if !bench.tick().fetches.isEmpty { times.append(bench.now - start) } }
        #expect(times == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(600)])
    }

    @Test func `the rest of an answer whose end was dropped is asked for after 40 ms`() throws {
        var bench = try bench()
        _ = try bench.hear(effects: [1])
        let head = HeadRecord(streams: [.init(topic: CoreBench.work, low: 2, head: 900)])
        #expect(try bench.hear([.head(head)], on: "~head.There").fetches == [[2...900]])
        bench.now += .milliseconds(90)
        let part: [WireRecord] = [.stream(StreamRecord(topic: CoreBench.work))] + (2...60).map { CoreBench.effect($0) }
        #expect(try bench.hear(part, on: "~replay.Here").fetches == [])
        let before = bench.now
        var fetches: [[ClosedRange<UInt64>]] = []
        while fetches.isEmpty { fetches = bench.tick().fetches }
        #expect(fetches == [[61...900]])
        #expect(bench.now - before == .milliseconds(40))
    }
}

extension [BusCore.Action] {
    /// Snapshots that are said.
    fileprivate var shown: Int { published.count { if case .snapshot = $0 { true } else { false } } }
}
