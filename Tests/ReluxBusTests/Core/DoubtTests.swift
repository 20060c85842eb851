import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import SimulationKit
import Testing

/// A loss of power has taken the publisher's ACKED after its HEAD had acknowledged it: the recipient has let the settlement go.
@Suite struct DoubtTests {
    private static let settlements = Topic.settlements(of: "Here")

    /// `Here` in its next life, with effects of the one before that There has not settled as far as its journal knows.
    private func reborn(_ sequences: ClosedRange<UInt64> = 1...3, there: HostID? = "there") -> CoreBench {
        var former = CoreBench.paired()
        for sequence in sequences { _ = former.emit(sequence) }
        var ledger = Ledger("Here")
        for entry in former.core.takeSaid() { ledger.fold(entry.topic, entry.record) }
        var bench = CoreBench()
        _ = bench.add("Here", epoch: 2, ledger: ledger)
        _ = bench.picture(2, [CoreBench.member("Here", on: "here", epoch: 2), CoreBench.member("There", on: there)])
        return bench
    }

    /// The words of There: through with Work up to the mark, and its settlements that it still has.
    private func word(_ mark: UInt64, kept: ClosedRange<UInt64>? = nil, on topic: Topic = CoreBench.work) -> [WireRecord] {
        let (low, head) = kept.map { (CoreBench.start + $0.lowerBound, CoreBench.start + $0.upperBound) } ?? (CoreBench.start + 3, CoreBench.start + 2)
        return [
            .stream(StreamRecord(topic: Self.settlements)),
            .head(
                HeadRecord(
                    streams: [.init(topic: Self.settlements, low: low, head: head)],
                    acknowledged: [.init(module: "Here", topic: topic, lowWater: mark)])),
        ]
    }

    private func hear(_ records: [WireRecord], _ bench: inout CoreBench) throws -> [(UInt64, SettledRecord)] {
        try bench.hear(records, on: "~replay.Here").compactMap {
            if case .settle(let record, "Here", "There") = $0 { (record.effects.firstEffect.position, record) } else { nil }
        }
    }

    @Test func `what earlier lives left open is asked for, and ends by the recipient's word`() throws {
        var bench = reborn()
        var asked: [Duration] = []
        while bench.now < .seconds(2) {
            if bench.tick().fetches.contains([]) { asked.append(bench.now) }
        }
        #expect(asked == [.seconds(1), .seconds(2)])
        let ended = try hear(word(2), &bench)
        #expect(ended.map(\.0) == [1, 2] && bench.core.counters.resultsLost == 2)
        let result = ResultCoding.decode(ended[0].1.result, status: ended[0].1.status, from: "There", userInfo: [:])
        #expect(result.outcomes.map(\.failure?.code) == ["resultLost"])
        #expect(bench.core.locals["Here"]?.ledger.books[CoreBench.work]?["There"]?.open == 1)
        // Journaled as every other end.
        let written = bench.core.takeSaid().compactMap { if case .acked(let acked) = $0.record { acked.effects.firstEffect.sequence } else { nil } }
        #expect(written == [1, 2])
        #expect(try hear(word(3), &bench).map(\.0) == [3])
        _ = bench.tick()
        #expect(bench.core.inbound.doubts.isEmpty && bench.core.isSettled("Here"))
    }

    @Test func `settlements that the recipient still has are taken first, with their results`() throws {
        var bench = reborn()
        _ = try bench.answer([
            CoreBench.head(0), .init(publisher: "There", epoch: Epoch(1), topic: Self.settlements, head: CoreBench.start + 3, starts: [
                .init(recipient: "Here", after: CoreBench.start + 2)
            ]),
        ])
        #expect(try hear(word(3, kept: 3...3), &bench).isEmpty)
        let taken = try bench.hear([CoreBench.settled(3, position: 3)], on: Self.settlements)
        #expect(taken.contains { if case .settle(let record, _, _) = $0 { record.status == .succeeded } else { false } })
        #expect(try hear(word(3, kept: 3...3), &bench).map(\.0) == [1, 2])
    }

    @Test func `nothing that this life has said ends by a word`() throws {
        var bench = reborn(1...1)
        _ = bench.emit(2)
        #expect(try hear(word(2), &bench).map(\.0) == [1])
        #expect(try hear(word(2), &bench).isEmpty)
    }

    @Test func `a life that left nothing open asks nobody`() {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        while bench.now < .seconds(3) { #expect(!bench.tick().fetches.contains([])) }
    }

    @Test func `a recipient says how far it is through, and which settlements it still has`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        _ = try bench.hear(effects: [1, 2, 3])
        for position in UInt64(1)...3 { _ = bench.settle(position) }
        let topic = Topic.settlements(of: "There")
        let mark = HeadRecord.Acknowledgement(module: "Here", topic: topic, lowWater: CoreBench.start + 2)
        _ = try bench.hear([.head(HeadRecord(streams: [], acknowledged: [mark]))], on: "~head.There")
        let answer = try #require(try bench.fetch([], of: topic).replayed)
        #expect(
            answer.last
                == .head(
                    HeadRecord(
                        streams: [.init(topic: topic, low: CoreBench.start + 3, head: CoreBench.start + 3)],
                        acknowledged: [.init(module: "There", topic: CoreBench.work, lowWater: 3)])))
        // The courier answers so from its journal.
        var ledger = Ledger("Here")
        for entry in bench.core.takeSaid() { ledger.fold(entry.topic, entry.record) }
        #expect(ledger.word(for: "There") == bench.core.locals["Here"]?.ledger.word(for: "There"))
    }

    @Test func `the courier is asked when the recipient has no process, and its answer counts`() throws {
        var bench = reborn(there: nil)
        var questions: [CourierQuestion] = []
        while bench.now < .seconds(1) {
            questions += bench.tick().compactMap { if case .askCourier(let question) = $0 { question } else { nil } }
        }
        let question = CourierQuestion.records(of: "There", topic: Self.settlements, ranges: [], for: "Here")
        #expect(questions.contains(question))
        var ledger = Ledger("There")
        let done = CursorRecord(module: "Here", topic: CoreBench.work, range: 0...2)
        ledger.fold(CursorRecord.topic, .cursor(done))
        let answer = CourierAnswer(to: question, retired: []) { _ in CourierLedger(ledger: ledger, epoch: Epoch(1)) }
        let actions = bench.core.receive(answer, now: bench.now)
        #expect(actions.count { if case .settle = $0 { true } else { false } } == 2)
    }

    @Test func `modules of one process take each other's word without frames`() {
        var bench = reborn()
        var ledger = Ledger("There")
        ledger.fold(CursorRecord.topic, .cursor(CursorRecord(module: "Here", topic: CoreBench.work, range: 0...3)))
        _ = bench.add("There", ledger: ledger)
        while bench.now < .seconds(1) { _ = bench.tick() }
        #expect(bench.core.isSettled("Here") && bench.core.counters.resultsLost == 3)
    }

    @Test func `what a retired journal lost with the power is said to be gone`() throws {
        var ledger = Ledger("There")
        ledger.fold(CoreBench.work, .member(MemberRecord(sequence: 0, version: 1, recipients: ["Here"])))
        for sequence in UInt64(1)...2 { ledger.fold(CoreBench.work, CoreBench.effect(sequence)) }
        let question = CourierQuestion.records(of: "There", topic: CoreBench.work, ranges: [2...5], for: "Here")
        func answer(_ retired: [ModuleID]) throws -> [WireRecord] {
            try CourierAnswer(to: question, retired: retired) { _ in CourierLedger(ledger: ledger, epoch: Epoch(1)) }
                .frames.flatMap { try Frame(decoding: $0.bytes).records }
        }
        func gone(_ records: [WireRecord]) -> [ClosedRange<UInt64>] {
            records.compactMap { if case .gone(let gone) = $0 { gone.range } else { nil } }
        }
        #expect(gone(try answer([])).isEmpty)
        #expect(gone(try answer(["There"])) == [3...5])
    }
}
