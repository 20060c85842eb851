import Relux
@testable import ReluxBus
import Testing

@Suite struct MembershipTests {
    private let here = CoreBench.member("Here", on: "here")
    private let there = CoreBench.member("There", on: "there")

    @Test func `a picture that is not newer is ignored`() {
        var bench = CoreBench.paired()
        #expect(bench.picture(1, [here]).isEmpty)
        #expect(!bench.picture(2, [here]).isEmpty)
        #expect(bench.picture(1, [here, there]).isEmpty)
        #expect(bench.core.picture?.version == 2)
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
        bench.core.forget("There")
        #expect(bench.core.isSettled("Here") && bench.core.unsettledBytes.isEmpty)
        #expect(bench.picture(4, [here]).lost.isEmpty)
    }

    @Test func `a life that is over is lost, what is said afterwards waits for the next`() throws {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        #expect(bench.core.lost("There").lost == ["There"])
        bench.core.forget("There")
        _ = bench.picture(2, [here, CoreBench.member("There", on: nil)])
        _ = bench.emit(2)
        _ = bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 2)])
        let stream = try #require(bench.marked().ready?.streams.first { $0.topic == CoreBench.work })
        #expect(stream.head == 2 && stream.starts == [.init(recipient: "There", after: 1)])
    }

    @Test func `the snapshots of an owner without a process are stale`() {
        var bench = CoreBench()
        _ = bench.add("Here", observes: ["Seen"])
        let owner = CoreBench.member("There", on: "there", provides: ["Seen"])
        #expect(bench.picture(1, [here, owner]).staleSnapshots == 0)
        #expect(bench.picture(2, [here, CoreBench.member("There", on: nil, provides: ["Seen"])]).staleSnapshots == 1)
        #expect(bench.picture(3, [here, CoreBench.member("There", on: nil, provides: ["Seen"])]).staleSnapshots == 0)
    }

    @Test func `frames of a removed publisher come too late until it returns`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        _ = bench.picture(2, [here])
        #expect(try bench.hear(effects: [1]).delivered.isEmpty)
        _ = bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 2)])
        _ = try bench.answer([CoreBench.head(0, epoch: 2)])
        #expect(try bench.hear(effects: [1], epoch: 2).delivered == [1])
    }
}
