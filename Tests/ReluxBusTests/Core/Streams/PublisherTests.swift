import Relux
@testable import ReluxBus
@testable import ReluxLedger
import Testing

@Suite struct PublisherTests {
    private func records(_ actions: [BusCore.Action]) throws -> [String] {
        try #require(actions.replayed).map { record in
            switch record {
            case .stream(let stream): "stream \(stream.topic)"
            case .effect(let effect): "\(effect.sequence)"
            case .gone(let gone): "gone \(gone.range)"
            case .head(let head): "head \(head.streams[0].low) to \(head.streams[0].head)"
            default: "\(record)"
            }
        }
    }

    @Test func `FETCH is answered with what the asker still has to see, the rest is gone, the head ends it`() throws {
        var bench = CoreBench.paired()
        for sequence in UInt64(1)...5 { _ = bench.emit(sequence, to: sequence == 3 ? [] : ["There"]) }
        #expect(try records(bench.fetch([1...5])) == ["stream Work", "1", "2", "gone 3...3", "4", "5", "head 1 to 5"])
        #expect(try records(bench.fetch([2...2, 5...9])) == ["stream Work", "2", "5", "head 1 to 5"])
        #expect(try records(bench.fetch([1...5], by: "Stranger")) == ["stream Work", "gone 1...5", "head 1 to 5"])
    }

    @Test func `FETCH of a stream that has no history is answered: what came before this life is gone`() throws {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        let start = CoreBench.start
        #expect(try records(bench.fetch([1...9], of: "Other")) == ["stream Other", "gone 1...9", "head \(start + 1) to \(start)"])
    }

    @Test func `FETCH from a module that is not here is not answered`() throws {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        let fetch = FetchRecord(requester: "There", topic: CoreBench.work, ranges: [1...1])
        #expect(try bench.hear([.fetch(fetch)], on: "~fetch.Else").isEmpty)
    }

    @Test func `what is settled is let go, also out of order`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer()
        for sequence in UInt64(1)...3 { _ = bench.emit(sequence) }
        for (settlement, position) in [(UInt64(1), UInt64(2)), (2, 1), (3, 3)] {
            let record = CoreBench.settled(settlement, position: position)
            let actions = try bench.hear([record], on: .settlements(of: "Here"))
            #expect(actions.contains { if case .settle(let record, "Here", "There") = $0 { record.effects.map(\.position) == [position] } else { false } })
            guard settlement == 1 else { continue }
            #expect(try records(bench.fetch([1...3])) == ["stream Work", "1", "gone 2...2", "3", "head 1 to 3"])
        }
        #expect(bench.core.isSettled("Here") && bench.core.backlog.bytes.isEmpty)
        #expect(bench.core.locals["Here"]?.ledger.origins.isEmpty == true)
    }

    @Test func `MEMBER goes before the first record with other recipients, and names the sequence before it`() {
        var bench = CoreBench.paired()
        let said = [
            bench.emit(1), bench.emit(2), bench.emit(3, to: ["There", "Late"]), bench.emit(4, to: ["There", "Late"]), bench.emit(5, to: []),
        ].map { $0.members.map { "\($0.sequence): \($0.recipients)" } }
        #expect(said == [["0: [There]"], [], ["2: [There, Late]"], [], ["4: []"]])
    }

    @Test func `one that has been removed meanwhile holds nothing`() {
        var bench = CoreBench.paired()
        #expect(bench.emit(1, to: ["Removed"]).lost == ["Removed"])
        #expect(bench.core.isSettled("Here") && bench.core.backlog.bytes.isEmpty)
    }
}
