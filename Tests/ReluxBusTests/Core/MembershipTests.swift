import Relux
@testable import ReluxBus
import ReluxControl
import Testing

@Suite struct MembershipTests {
    private let here = CoreBench.member("Here", on: "here")
    private let there = CoreBench.member("There", on: "there")

    @Test func `a picture that is not newer is ignored`() {
        var bench = CoreBench.paired()
        #expect(bench.picture(1, [here]).isEmpty)
        #expect(!bench.picture(2, [here]).isEmpty)
        #expect(bench.picture(1, [here, there]).isEmpty)
        #expect(bench.core.membership.picture?.version == 2)
    }

    @Test func `hosts are connected when a picture relates them, and let go when it does not any more`() {
        var bench = CoreBench()
        _ = bench.add("Here")
        #expect(bench.picture(1, [here]).connected.isEmpty)
        #expect(bench.picture(2, [here, there]).connected == ["there"])
        #expect(bench.picture(3, [here, there]).connected.isEmpty)
        #expect(bench.picture(4, [here, CoreBench.member("There", on: nil)]).disconnected == ["there"])
        #expect(bench.picture(5, [here, there]).connected == ["there"])
    }

    @Test func `what pends on a member that is gone is lost once, a member without a process keeps its place`() {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        #expect(bench.picture(2, [here, CoreBench.member("There", on: nil)]).lost.isEmpty)
        #expect(!bench.core.isSettled("Here"))
        #expect(bench.picture(3, [here]).lost == ["There"])
        #expect(bench.core.isSettled("Here") && bench.core.backlog.bytes.isEmpty)
        #expect(bench.picture(4, [here]).lost.isEmpty)
    }

    @Test func `what pends on a life that is over waits for the next, with what is said meanwhile`() throws {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        let death = bench.picture(2, [here, CoreBench.member("There", on: nil)])
        #expect(death.interrupted == ["There": [1]] && death.lost.isEmpty)
        _ = bench.emit(2)
        #expect(bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 2)]).interrupted.isEmpty)
        let stream = try #require(bench.marked().ready?.streams.first { $0.topic == CoreBench.work })
        #expect(stream.head == 2 && stream.starts == [.init(recipient: "There", after: 0)])
    }

    @Test func `a life that is over between two pictures is told as well`() {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        #expect(bench.picture(2, [here, CoreBench.member("There", on: "there", epoch: 2)]).interrupted == ["There": [1]])
    }

    @Test func `a member that comes back under its name after its removal gets nothing of what waited for the former`() {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        #expect(bench.picture(9, [here, CoreBench.member("There", on: "there", epoch: 2, since: 8)]).lost == ["There"])
        #expect(bench.core.isSettled("Here") && bench.core.backlog.bytes.isEmpty)
    }

    @Test func `the snapshots of an owner without a process are stale`() {
        var bench = CoreBench()
        _ = bench.add("Here", observes: ["Seen"])
        let owner = CoreBench.member("There", on: "there", provides: ["Seen"])
        #expect(bench.picture(1, [here, owner]).staleSnapshots == 0)
        #expect(bench.picture(2, [here, CoreBench.member("There", on: nil, provides: ["Seen"])]).staleSnapshots == 1)
        #expect(bench.picture(3, [here, CoreBench.member("There", on: nil, provides: ["Seen"])]).staleSnapshots == 0)
    }

    @Test func `what a removed publisher has said is still handled, and it begins behind it when it returns`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        _ = bench.picture(2, [here])
        #expect(try bench.hear(effects: [1]).delivered == [1])
        _ = bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 2, since: 3)])
        let start = Epoch(2).start
        // Its new journal knows nothing of the numbers between.
        #expect(try bench.answer([CoreBench.head(start, epoch: 2)]).fetches == [[2...start]])
        let effect = CoreBench.effect(start + 1, version: 3)
        #expect(try bench.hear([effect], epoch: 2).delivered.isEmpty)
        let gone = WireRecord.gone(GoneRecord(topic: CoreBench.work, range: 2...start))
        #expect(try bench.replay([gone], head: start + 1, epoch: 2).delivered == [start + 1])
    }
}
