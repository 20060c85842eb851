import Relux
@testable import ReluxBus
import ReluxControl
import ReluxLedger
import ReluxPlugin
import SimulationKit
import Testing

/// A module goes from one process to another: `here` gives it up or takes it over, or only hears it.
@Suite struct HandOverTests {
    private let here = CoreBench.member("Here", on: "here")
    private let declaration = ModuleDeclaration(
        id: "Here", version: "1.0.0", kind: .domain, handles: [CoreBench.work], emits: [CoreBench.work], provides: [], observes: [])

    private func there(_ host: HostID = "there", standby: HostID? = nil, epoch: UInt64 = 1) -> ClusterPicture.Member {
        var member = CoreBench.member("There", on: host, epoch: epoch)
        member.standby = standby
        return member
    }

    /// With the host `later`, on which nothing runs yet.
    private func picture(_ version: UInt64, _ there: ClusterPicture.Member) -> ClusterPicture {
        let hosts = ["here", "later", "there"].map { ClusterPicture.Host(id: HostID(rawValue: $0), endpoint: $0, tapEndpoint: "") }
        return ClusterPicture(version: version, members: [here, there], hosts: hosts)
    }

    @Test func `who hears a module connects to the host that stands by, and passes its marker before the module is there`() throws {
        var bench = CoreBench()
        _ = bench.add("Here")
        _ = bench.core.apply(picture(1, there()), now: .zero)
        _ = try bench.answer([CoreBench.head(0)])
        let actions = bench.core.apply(picture(2, there(standby: "later")), now: .zero)
        #expect(actions.connected == ["later"] && actions.disconnected.isEmpty && actions.markers.count == 1)
        #expect(!bench.core.isJoined)
        _ = try bench.answer([], from: "later")
        #expect(bench.core.isJoined)
        let moved = bench.core.apply(picture(3, there("later", epoch: 2)), now: .zero)
        #expect(moved.connected.isEmpty && moved.disconnected == ["there"] && moved.markers.count == 1)
    }

    @Test func `a host that stands by connects like one that serves, and lets go when it is told`() throws {
        var bench = CoreBench()
        _ = bench.core.apply(picture(1, there()), now: .zero)
        #expect(bench.core.standBy(declaration, now: .zero).connected == ["there"])
        _ = try bench.answer([CoreBench.head(0)])
        // Nothing is handled for a module that is not served.
        #expect(try bench.hear(effects: [1]).delivered.isEmpty)
        #expect(bench.core.standDown("Here", now: .zero).disconnected == ["there"])
    }

    @Test func `who has heard the standby learns the heads as soon as the module joins`() throws {
        var former = CoreBench.paired()
        _ = former.emit(1)
        let given = former.core.handOver(declaration, now: .zero)
        let ledger = try #require(given.lazy.compactMap { if case .handedOver("Here", let ledger) = $0 { ledger } else { nil } }.first)
        var bench = CoreBench()
        _ = bench.core.apply(picture(1, there()), now: .zero)
        _ = bench.core.standBy(declaration, now: .zero)
        _ = bench.marked()
        _ = bench.add("Here", epoch: 2, ledger: ledger)
        #expect(bench.core.nextTick == .zero)
        #expect(bench.core.tick(now: .zero).heads.flatMap(\.streams) == [.init(topic: CoreBench.work, low: 1, head: 1)])
    }

    @Test func `who has given a module up serves nothing of it, keeps its connections, and may take it over again`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        _ = bench.emit(1)
        _ = try bench.hear(effects: [1])
        let given = bench.core.handOver(declaration, now: .zero)
        #expect(given.disconnected.isEmpty && bench.core.locals.isEmpty && bench.core.backlog.bytes.isEmpty)
        #expect(try bench.fetch([1...1]).replayed == nil)
        #expect(try bench.hear(effects: [2]).delivered.isEmpty)
        _ = bench.core.handOver(declaration, now: .zero).contains { if case .left("Here") = $0 { true } else { false } }
        let ledger = try #require(given.lazy.compactMap { if case .handedOver(_, let ledger) = $0 { ledger } else { nil } }.first)
        _ = bench.add("Here", epoch: 3, ledger: ledger)
        #expect(try bench.answer([CoreBench.head(2, starts: [.init(recipient: "Here", after: 0)])]).fetches == [[1...2]])
        #expect(try bench.fetch([1...1]).replayed?.count == 3)
    }

    @Test func `what is handed to a module is meant for the life that has it`() throws {
        var bench = CoreBench()
        _ = bench.core.apply(picture(1, there()), now: .zero)
        _ = bench.core.add(declaration, epoch: Epoch(2), life: 7, now: .zero)
        _ = try bench.answer()
        let actions = try bench.hear(effects: [CoreBench.start + 1])
        #expect(actions.contains { if case .deliver(_, "There", CoreBench.work, "Here", life: 7) = $0 { true } else { false } })
    }

    @Test func `frames of the life that has handed over are dropped and counted once the next one was heard`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        #expect(try bench.hear(effects: [1]).delivered == [1])
        _ = bench.core.apply(picture(2, there("later", epoch: 2)), now: .zero)
        // As long as the next one has said nothing, what comes late still counts.
        #expect(try bench.hear(effects: [2]).delivered == [2])
        _ = try bench.answer([CoreBench.head(2, epoch: 2)], from: "later")
        #expect(try bench.hear(effects: [3], epoch: 2).delivered == [3])
        #expect(bench.core.counters.staleEpoch == 0)
        #expect(try bench.hear(effects: [4]).delivered.isEmpty)
        #expect(bench.core.counters.staleEpoch == 1)
        #expect(try bench.hear(effects: [4], epoch: 2).delivered == [4])
    }

    @Test func `what a module says before it is opened waits, and is accepted then`() throws {
        var bench = CoreBench()
        _ = bench.core.apply(picture(1, there()), now: .zero)
        _ = bench.core.add(declaration, epoch: Epoch(1), isHeld: true, now: .zero)
        _ = bench.core.takeSaid()
        #expect(bench.emit(1).isEmpty && bench.core.snapshotChanged("Seen", of: "Here", payload: [1], now: bench.now).isEmpty)
        #expect(!bench.core.hasUnwritten)
        let opened = bench.said { core, now in core.open("Here", now: now) }
        #expect(opened.published.count == 3 && bench.core.hasUnwritten)
        #expect(bench.core.open("Here", now: .zero).isEmpty)
    }

    @Test func `what a cut handler says of its effects is not taken in the module's next life`() throws {
        var bench = CoreBench()
        _ = bench.core.apply(picture(1, there()), now: .zero)
        _ = bench.core.add(declaration, epoch: Epoch(2), life: 7, now: .zero)
        _ = try bench.answer([CoreBench.head(0)])
        _ = try bench.hear(effects: [1])
        let settled = Relux.Settled(
            id: EffectID(module: "There", position: 1), topic: CoreBench.work, sequence: 1, recipient: "Here", result: .success,
            duration: .zero)
        let state = Relux.CapturedState(name: "S", version: 1, bytes: [], reduced: [])
        #expect(bench.core.settled([settled], capturing: [state], of: "Here", life: 6, now: .zero).isEmpty)
        #expect(bench.core.counters.staleLife == 1 && bench.core.locals["Here"]?.ledger.states.isEmpty == true)
        let taken = bench.said { core, now in core.settled([settled], capturing: [state], of: "Here", life: 7, now: now) }
        #expect(taken.published.count == 1)
        #expect(bench.core.locals["Here"]?.ledger.states.isEmpty == false)
    }
}
