import Relux
@testable import ReluxBus
import ReluxControl
import ReluxLedger
import SimulationKit
import Testing

@Suite struct LostBookTests {
    private let here = CoreBench.member("Here", on: "here")

    @Test func `what a module's effects have lost is told as a whole, the same by its next life, and by one that has left`() {
        var bench = CoreBench.paired()
        for number in 1...3 as ClosedRange<UInt64> { _ = bench.emit(number) }
        #expect(bench.core.counters.lost.isEmpty)
        #expect(bench.picture(2, [here]).lost.count == 3)
        // Said to a recipient that has gone meanwhile.
        _ = bench.emit(4, to: ["There", "Removed"])
        let told = bench.core.counters.lost
        #expect(told == ["Here": LostBook(epoch: Epoch(1), ["There": 4, "Removed": 1])])
        let ledger = bench.core.locals["Here"]?.ledger
        #expect(ledger?.lost == told["Here"]?.by)

        var next = CoreBench()
        _ = next.add("Here", epoch: 2, ledger: ledger)
        #expect(next.core.counters.lost == ["Here": LostBook(epoch: Epoch(2), ["There": 4, "Removed": 1])])
        _ = next.core.remove("Here", now: next.now)
        #expect(!next.core.isHere("Here") && next.core.counters.lost["Here"]?.by["There"] == 4)
    }

    @Test func `a later life whose journal has lost nothing tells that, and a first one need not`() {
        var bench = CoreBench()
        _ = bench.add("Here")
        #expect(bench.core.counters.lost.isEmpty)
        _ = bench.add("Here", epoch: 3)
        #expect(bench.core.counters.lost == ["Here": LostBook(epoch: Epoch(3))])
    }

    @Test func `beyond the limit names are told in one, and the sum is the same in whatever order they come`() {
        let names = (0..<300).compactMap { ModuleID(rawValue: "Guest\($0)") }
        var grown = LostBook(epoch: Epoch(1))
        for name in names { grown.book(with: name) }
        grown.book(with: names[0])
        grown.book(with: names[299])
        #expect(grown.by.count == LostBook.nameLimit && grown.by[names[0]] == 2 && grown.others == 45)
        let read = LostBook(epoch: Epoch(2), Dictionary(uniqueKeysWithValues: names.map { ($0, $0 == names[299] ? 5 : 1) }))
        #expect(read.by.count == LostBook.nameLimit && read.by[names[299]] == 5 && read.others == 44)
    }

    @Test func `of modules that have left no end of books is kept`() {
        var bench = CoreBench.paired()
        for number in 0..<UInt64(600) {
            let guest = ModuleID(stringLiteral: "Guest\(number)")
            _ = bench.add(guest, epoch: 2)
            _ = bench.core.remove(guest, now: bench.now)
            _ = bench.picture(number + 2, [here])
        }
        #expect(bench.core.counters.lost.count <= BusCore.namesKept + 1)
        #expect(bench.core.counters.lost["Guest599"] != nil)
    }
}
