import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import SimulationKit
import Testing

/// The snapshots that modules show, over their owners' lives.
@Suite struct SnapshotTests {
    private let here = CoreBench.member("Here", on: "here", provides: ["Seen"])
    private let topic = Topic.snapshots(of: "Seen")!

    private func shown(_ actions: [BusCore.Action]) -> [SnapshotRecord] {
        actions.published.compactMap { if case .snapshot(let snapshot) = $0 { snapshot } else { nil } }
    }

    /// Payload and whether it is stale; an empty payload is the word that the owner is gone.
    private func seen(_ actions: [BusCore.Action]) -> [String] {
        actions.compactMap { action in
            if case .snapshot(_, let payload, let stale) = action { "\(payload)\(stale ? " stale" : "")" } else { nil }
        }
    }

    private func snapshot(_ version: UInt64, epoch: UInt64 = 1, _ payload: [UInt8]) -> WireRecord {
        .snapshot(SnapshotRecord(version: Epoch(epoch).start + version, payload: payload[...]))
    }

    private func owner(on host: HostID?, epoch: UInt64 = 1) -> ClusterPicture.Member {
        CoreBench.member("There", on: host, epoch: epoch, provides: ["Seen"])
    }

    /// An observer here, an owner elsewhere.
    private func observer() -> CoreBench {
        var bench = CoreBench()
        _ = bench.add("Here", observes: ["Seen"])
        _ = bench.picture(1, [CoreBench.member("Here", on: "here"), owner(on: "there")])
        return bench
    }

    // MARK: The owner

    @Test func `versions rise from one life of the owner to the next`() throws {
        var versions: [UInt64] = []
        var ledger: Ledger?
        for epoch: UInt64 in 1...3 {
            var bench = CoreBench()
            _ = bench.add("Here", provides: ["Seen"], epoch: epoch, ledger: ledger)
            for payload: UInt8 in 1...3 {
                versions += shown(bench.core.snapshotChanged("Seen", of: "Here", payload: [payload], now: bench.now)).map(\.version)
            }
            _ = bench.tick()
            ledger = bench.core.locals["Here"]?.ledger
        }
        #expect(versions.count == 9 && versions == versions.sorted() && Set(versions).count == 9)
    }

    @Test func `the latest value is in the owner's journal with the next heads, once, and when it leaves`() throws {
        var bench = CoreBench.paired()
        _ = bench.core.takeSaid()
        for payload: UInt8 in 1...3 { _ = bench.core.snapshotChanged("Seen", of: "Here", payload: [payload], now: bench.now) }
        #expect(!bench.core.hasUnwritten)
        _ = bench.tick()
        func written() -> [[UInt8]] {
            bench.core.takeSaid().compactMap { if case .snapshot(let record) = $0.record { Array(record.payload) } else { nil } }
        }
        #expect(written() == [[3]])
        _ = bench.tick()
        #expect(written() == [])
        _ = bench.core.snapshotChanged("Seen", of: "Here", payload: [4], now: bench.now)
        _ = bench.core.remove("Here", now: bench.now)
        #expect(written() == [[4]])
    }

    @Test func `a next life that shows the same does not write it again`() throws {
        var bench = CoreBench()
        _ = bench.add("Here", provides: ["Seen"])
        _ = bench.core.snapshotChanged("Seen", of: "Here", payload: [5], now: bench.now)
        _ = bench.tick()
        let first = try #require(bench.core.locals["Here"]?.ledger)
        let ledger = try Ledger("Here", checkpoint: try #require(first.checkpoint()))
        #expect(ledger.snapshots[topic]?.payload == [5])
        bench = CoreBench()
        _ = bench.add("Here", provides: ["Seen"], epoch: 2, ledger: ledger)
        #expect(shown(bench.core.snapshotChanged("Seen", of: "Here", payload: [5], now: bench.now)).count == 1)
        _ = bench.core.takeSaid()
        _ = bench.tick()
        #expect(!bench.core.hasUnwritten)
    }

    // MARK: Observers

    @Test func `nobody goes back, not by a frame of an earlier life and not by the courier`() throws {
        var bench = observer()
        #expect(seen(try bench.hear([snapshot(7, [7])], on: topic)) == ["[7]"])
        #expect(seen(try bench.hear([snapshot(6, [6])], on: topic)) == [])
        #expect(seen(bench.picture(2, [CoreBench.member("Here", on: "here"), owner(on: nil)])) == ["[] stale"])
        #expect(seen(courier(&bench, snapshot(6, [6]))) == [])
        #expect(seen(courier(&bench, snapshot(7, [7]))) == [])
        _ = bench.picture(3, [CoreBench.member("Here", on: "here"), owner(on: "there", epoch: 2)])
        #expect(seen(try bench.hear([snapshot(1, epoch: 2, [8])], on: topic, epoch: 2)) == ["[8]"])
        #expect(seen(try bench.hear([snapshot(9, [9])], on: topic)) == [])
    }

    @Test func `a newcomer gets the value again, and takes nobody back to an older one`() throws {
        var bench = observer()
        _ = try bench.hear([snapshot(7, [7])], on: topic)
        _ = bench.add("Late", observes: ["Seen"])
        #expect(seen(try bench.hear([snapshot(7, [7])], on: topic)) == ["[7]"])
        #expect(seen(try bench.hear([snapshot(7, [7])], on: topic)) == [])
        // The owner is gone before it could write down the last value.
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), owner(on: nil)])
        _ = bench.add("Later", observes: ["Seen"])
        #expect(seen(courier(&bench, snapshot(6, [6]))) == [])
        // A life that shows nothing, and dies, does not either.
        _ = bench.picture(3, [CoreBench.member("Here", on: "here"), owner(on: "there", epoch: 2)])
        _ = try bench.hear(effects: [Epoch(2).start + 1], epoch: 2)
        _ = bench.picture(4, [CoreBench.member("Here", on: "here"), owner(on: nil, epoch: 2)])
        #expect(seen(courier(&bench, snapshot(6, [6]))) == [])
    }

    @Test func `an owner that was taken for gone says its value again`() throws {
        var bench = observer()
        _ = try bench.hear([snapshot(7, [7])], on: topic)
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), owner(on: nil)])
        _ = bench.picture(3, [CoreBench.member("Here", on: "here"), owner(on: "there")])
        #expect(seen(try bench.hear([snapshot(7, [7])], on: topic)) == ["[7]"])
        #expect(seen(try bench.hear([snapshot(7, [7])], on: topic)) == [])
    }

    @Test func `what an owner without a process had on its way is stale until it is said again`() throws {
        var bench = observer()
        _ = try bench.hear([snapshot(7, [7])], on: topic)
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), owner(on: nil)])
        #expect(seen(try bench.hear([snapshot(7, [7])], on: topic)) == [])
        #expect(seen(try bench.hear([snapshot(8, [8])], on: topic)) == ["[8] stale"])
        #expect(!bench.core.isFresh(topic))
        // The broker's word of a next life may come behind that life's first value.
        #expect(seen(try bench.hear([snapshot(1, epoch: 2, [9])], on: topic, epoch: 2)) == ["[9] stale"])
        _ = bench.picture(3, [CoreBench.member("Here", on: "here"), owner(on: "there", epoch: 2)])
        #expect(seen(try bench.hear([snapshot(1, epoch: 2, [9])], on: topic, epoch: 2)) == ["[9]"])
        #expect(bench.core.isFresh(topic))
    }

    @Test func `who comes when the owner is gone gets its last value from the courier, stale, and the live one when it is back`() throws {
        var bench = CoreBench()
        _ = bench.picture(1, [CoreBench.member("Here", on: "here"), owner(on: nil)])
        // At once, not when its patience is over.
        let questions = bench.add("Here", observes: ["Seen"]).questions
        #expect(questions.contains { $0.publisher == "There" })
        #expect(seen(courier(&bench, snapshot(7, [7]))) == ["[7] stale"])
        #expect(seen(courier(&bench, snapshot(7, [7]))) == [])
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), owner(on: "there", epoch: 2)])
        #expect(seen(try bench.hear([snapshot(1, epoch: 2, [8])], on: topic, epoch: 2)) == ["[8]"])
        #expect(seen(courier(&bench, snapshot(9, [9]))) == [], "it has a process again")
    }

    private func courier(_ bench: inout CoreBench, _ record: WireRecord) -> [BusCore.Action] {
        let frame = Frame(topic: topic, publisher: "There", epoch: Epoch(1), records: [record])
        let bytes = (try? frame.encoded()) ?? []
        return bench.core.receive(
            CourierAnswer(to: .heads(of: "There", for: ["Here"], number: 1), frames: [ByteString(bytes)]), now: bench.now)
    }
}
