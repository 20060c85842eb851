import Relux
import ReluxBus
import ReluxControl
@testable import ReluxLedger
import SimulationKit
import Testing

/// A module dies, and what its journal says is all that its next life knows.
@Suite struct LivesTests {
    private let there = CoreBench.member("There", on: "there")

    /// The next life of `Here`, in a new process, with what the former one's journal has.
    private func reborn(_ former: inout CoreBench) -> CoreBench {
        var ledger = Ledger("Here")
        for entry in former.core.takeSaid() where entry.module == "Here" { ledger.fold(entry.topic, entry.record) }
        var bench = CoreBench()
        _ = bench.add("Here", epoch: 2, ledger: ledger)
        _ = bench.picture(2, [CoreBench.member("Here", on: "here", epoch: 2), there])
        return bench
    }

    @Test func `a publisher's next life serves what is unsettled, and nothing else`() throws {
        var former = CoreBench.paired()
        _ = try former.answer()
        for sequence in UInt64(1)...3 { _ = former.emit(sequence) }
        _ = try former.hear([CoreBench.settled(1, position: 2)], on: .settlements(of: "Here"))
        var bench = reborn(&former)
        let stream = try #require(bench.marked().ready?.streams.first { $0.topic == CoreBench.work })
        #expect(stream.head == 3 && stream.epoch == Epoch(2) && stream.starts == [.init(recipient: "There", after: 0)])
        let served = try #require(try bench.fetch([1...3]).replayed).compactMap { if case .effect(let effect) = $0 { effect.sequence } else { nil } }
        #expect(served == [1, 3])
    }

    @Test func `a settlement that came into an earlier life is not taken again`() throws {
        var former = CoreBench.paired()
        _ = try former.answer()
        _ = former.emit(1)
        _ = try former.hear([CoreBench.settled(1, position: 1)], on: .settlements(of: "Here"))
        var bench = reborn(&former)
        #expect(bench.core.isSettled("Here"))
        _ = try bench.answer()
        let actions = try bench.hear([CoreBench.settled(1, position: 1)], on: .settlements(of: "Here"))
        #expect(!actions.contains { if case .settle = $0 { true } else { false } })
        #expect(bench.core.counters.duplicates == 0)
    }

    @Test func `a recipient's next life gets what it has not settled, also behind what it has`() throws {
        var former = CoreBench.paired()
        _ = try former.answer([CoreBench.head(0)])
        #expect(try former.hear(effects: [1, 2, 3]).delivered == [1, 2, 3])
        _ = former.settle(2)
        var bench = reborn(&former)
        #expect(try bench.answer([CoreBench.head(3, starts: [.init(recipient: "Here", after: 0)])]).fetches == [[1...1, 3...3]])
        #expect(try bench.replay([CoreBench.effect(1), CoreBench.effect(3)], head: 3).delivered == [1, 3])
        #expect(try bench.hear(effects: [2, 4]).delivered == [4])
    }

    @Test func `settlements that are not acknowledged are said by the next life, and their numbers go on`() throws {
        var former = CoreBench.paired()
        _ = try former.answer([CoreBench.head(0)])
        _ = try former.hear(effects: [1, 2])
        _ = former.settle(1)
        var bench = reborn(&former)
        _ = try bench.answer([CoreBench.head(2)])
        let start = CoreBench.start
        var heads: [HeadRecord] = []
        while heads.isEmpty { heads = bench.tick().heads }
        #expect(heads.first?.streams == [.init(topic: .settlements(of: "There"), low: start + 1, head: start + 1)])
        let settlements = bench.settle(2).published.compactMap { if case .settled(let settled) = $0 { settled.sequence } else { nil } }
        #expect(settlements == [start + 2])
    }

    @Test func `without a journal a life's streams begin at its epoch`() throws {
        var bench = CoreBench()
        _ = bench.add("Here", epoch: 7)
        _ = bench.picture(1, [CoreBench.member("Here", on: "here", epoch: 7), there])
        _ = try bench.answer([CoreBench.head(0)])
        _ = try bench.hear(effects: [1])
        let settlements = bench.settle(1).published.compactMap { if case .settled(let settled) = $0 { settled.sequence } else { nil } }
        #expect(settlements == [7 << 40 | 1])
    }

    @Test func `modules of one process settle for each other through their journals, and without frames`() throws {
        var bench = CoreBench()
        _ = bench.add("Here")
        _ = bench.add("There")
        _ = bench.picture(1, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "here")])
        let said = bench.emit(1)
        #expect(said.contains { if case .deliver(let effect, "Here", CoreBench.work, "There", _) = $0 { effect.sequence == 1 } else { false } })
        let settled = bench.settle(1, of: "Here", by: "There")
        #expect(settled.contains { if case .settle(_, _, "There") = $0 { true } else { false } })
        #expect(settled.published.isEmpty)
        while !bench.tick().isEmpty {}
        #expect(bench.core.isSettled("Here") && bench.core.isSettled("There") && bench.core.nextTick == nil)
        let written = bench.core.takeSaid().map { "\($0.module) \($0.topic)" }
        #expect(written.filter { !$0.hasSuffix("\(CursorRecord.topic)") } == ["Here Work", "Here Work", "There ~settled.Here", "Here ~acked"])
    }
}
