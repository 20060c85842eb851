import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import SimulationKit
import Testing

/// An older copy of a journal comes back: what others have seen of its module is more than it says itself.
@Suite struct CopiesTests {
    /// The ledger of `Here` when its life of that epoch begins: effects 1 to `last` of life 1.
    private static func ledger(_ last: UInt64, lives: [UInt64] = [1], epoch: UInt64 = 3) -> Ledger {
        var ledger = Ledger("Here")
        for life in lives { ledger.begin(Epoch(life)) }
        for sequence in (1...last) {
            let number = CoreBench.start + sequence
            ledger.fold(CoreBench.work, .effect(EffectRecord(position: number, sequence: number, caseName: "a", payload: [1])))
        }
        ledger.begin(Epoch(epoch))
        return ledger
    }

    private static func bench(_ ledger: Ledger) throws -> CoreBench {
        var bench = CoreBench()
        _ = bench.add("Here", epoch: ledger.epoch.rawValue, ledger: ledger)
        _ = bench.picture(1, [CoreBench.member("Here", on: "here", epoch: ledger.epoch.rawValue), CoreBench.member("There", on: "there")])
        _ = try bench.answer()
        return bench
    }

    private static func gone(_ bench: inout CoreBench) -> [GoneRecord] {
        bench.core.takeSaid().compactMap { if case .gone(let gone) = $0.record, $0.topic == GoneRecord.topic { gone } else { nil } }
    }

    @Test func `a life's numbers begin behind its epoch, whatever the journal says`() {
        let ledger = Self.ledger(5)
        #expect(ledger.head(of: CoreBench.work, start: 0) == Epoch(3).start && ledger.position == Epoch(3).start)
        #expect(ledger.recovery(epoch: Epoch(3)).sequences[CoreBench.work] == Epoch(3).start)
    }

    @Test func `what a recipient has seen, and the journal does not have, is written down once, and served as gone`() throws {
        var bench = try Self.bench(Self.ledger(5))
        let seen = Epoch(2).start + 8
        let actions = try bench.fetch([(seen + 1)...Epoch(3).start])
        #expect(Self.gone(&bench) == [GoneRecord(topic: CoreBench.work, range: (CoreBench.start + 6)...seen)])
        #expect(actions.replayed?.contains(.gone(GoneRecord(topic: CoreBench.work, range: (seen + 1)...Epoch(3).start))) == true)
        _ = try bench.fetch([(seen + 1)...Epoch(3).start])
        #expect(Self.gone(&bench).isEmpty)
        #expect(bench.core.counters.forgotten.map { $0.text.hasSuffix("Work from 1.6 to 2.8 is lost") } == [true])
    }

    @Test func `what is gone is news until a life that told it has ended as it should, and in the books for good`() throws {
        var ledger = Self.ledger(5)
        ledger.fold(GoneRecord.topic, .gone(GoneRecord(topic: CoreBench.work, range: 7...9)))
        for isTold in [false, true] {
            ledger.told = isTold ? ledger.forgotten : [:]
            #expect(try Self.bench(ledger).core.counters.forgotten.isEmpty == isTold)
            #expect(!ledger.losses.isEmpty)
        }
    }

    @Test func `also on a stream that the journal does not know at all`() throws {
        var bench = try Self.bench(Self.ledger(1))
        _ = try bench.fetch([(CoreBench.start + 3)...Epoch(3).start], of: "Other")
        #expect(Self.gone(&bench) == [GoneRecord(topic: "Other", range: 1...(CoreBench.start + 2))])
    }

    @Test(arguments: [[1, 2], [1]])
    func `who has seen no more than the journal says, or only that a life of it began, is no witness, also of a life that the journal does not know`(
        lives: [UInt64]
    ) throws {
        var bench = try Self.bench(Self.ledger(5, lives: lives))
        for last in [CoreBench.start + 5, Epoch(2).start] { _ = try bench.fetch([(last + 1)...Epoch(3).start]) }
        #expect(Self.gone(&bench).isEmpty)
    }

    @Test func `a recipient that has left a life behind asks for all that it passed over, too: what it had got before is what counts`() throws {
        var bench = CoreBench.paired()
        let start = CoreBench.start
        _ = try bench.answer([CoreBench.head(start)])
        _ = try bench.hear(effects: [start + 1, start + 2])
        // The next life has said nothing on the stream, nor has the one behind it.
        for epoch in [2, 3] as [UInt64] {
            _ = bench.picture(epoch, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: epoch)])
            let begin = Epoch(epoch).start
            let asked = try bench.answer([CoreBench.head(begin, epoch: epoch)]).fetches
            let passed = epoch == 2 ? [] : [(start + 3)...Epoch(2).start]
            #expect(asked == [passed + [(epoch == 2 ? start + 3 : Epoch(2).start + 1)...begin]])
            _ = try bench.replay([.gone(GoneRecord(topic: CoreBench.work, range: try #require(asked.first?.last)))], head: begin, epoch: epoch)
        }
        // An effect that is heard then is one that it has got.
        _ = try bench.hear(effects: [Epoch(3).start + 1], epoch: 3)
        _ = bench.picture(4, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 4)])
        #expect(try bench.answer([CoreBench.head(Epoch(4).start, epoch: 4)]).fetches == [[(Epoch(3).start + 2)...Epoch(4).start]])
        // The recipient's next life knows it, too.
        let ledger = try #require(bench.core.locals["Here"]?.ledger)
        let read = try Ledger("Here", checkpoint: try #require(ledger.checkpoint()))
        let stream = StreamID(publisher: "There", topic: CoreBench.work)
        #expect(read.telling([(Epoch(3).start + 1)...Epoch(4).start], of: stream) == [(start + 3)...Epoch(3).start, (Epoch(3).start + 1)...Epoch(4).start])
    }

    @Test func `an answer to such a question leaves a life of the recipient that has forgotten the passage at the beginning of a life`() throws {
        var bench = CoreBench.paired()
        let start = CoreBench.start
        _ = try bench.answer([CoreBench.head(start)])
        _ = try bench.hear(effects: [start + 1, start + 2])
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 2)])
        _ = try bench.answer([CoreBench.head(Epoch(2).start, epoch: 2)])
        var other = Ledger("Here")
        other.pass((start + 3)...Epoch(2).start, of: StreamID(publisher: "There", topic: CoreBench.work))
        let question = try #require(other.telling([(Epoch(2).start + 1)...Epoch(3).start], of: StreamID(publisher: "There", topic: CoreBench.work)).first)
        let asked = try bench.replay([.gone(GoneRecord(topic: CoreBench.work, range: question))], head: Epoch(3).start, epoch: 2).fetches
        for range in asked.flatMap(\.self) where range.lowerBound > start + 3 { #expect(Epoch(start: range.lowerBound - 1).start == range.lowerBound - 1) }
        #expect(bench.core.inbound.streams.values.map(\.next) == [Epoch(2).start + 1])
    }

    @Test func `what such a recipient asks for names what it had got, and nothing behind that`() throws {
        for (last, lost) in [(5, nil), (7, (CoreBench.start + 6)...(CoreBench.start + 7))] as [(UInt64, ClosedRange<UInt64>?)] {
            var bench = try Self.bench(Self.ledger(5))
            let first = CoreBench.start + last + 1
            let actions = try bench.fetch([first...Epoch(2).start, (Epoch(2).start + 1)...Epoch(3).start])
            #expect(Self.gone(&bench).map(\.range) == [lost].compactMap(\.self))
            #expect(actions.replayed?.contains(.gone(GoneRecord(topic: CoreBench.work, range: (Epoch(2).start + 1)...Epoch(3).start))) == true)
        }
    }

    @Test func `a recipient asks for what a stream has lost that its publisher does not name any more`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(CoreBench.start)])
        #expect(try bench.hear(effects: [CoreBench.start + 1]).delivered == [CoreBench.start + 1])
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 3)])
        let actions = try bench.answer([.init(publisher: "There", epoch: Epoch(3), topic: "~head.There", head: 0, starts: [])])
        #expect(actions.fetches == [[(CoreBench.start + 2)...Epoch(3).start]])
    }

    @Test func `also what only an earlier life of the recipient has heard of it`() throws {
        var bench = CoreBench()
        var ledger = Ledger("Here")
        ledger.fold(CursorRecord.topic, .cursor(CursorRecord(module: "There", topic: CoreBench.work, range: 1...(CoreBench.start + 5))))
        _ = bench.add("Here", ledger: ledger)
        _ = bench.picture(1, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 3)])
        let actions = try bench.answer([.init(publisher: "There", epoch: Epoch(3), topic: "~head.There", head: 0, starts: [])])
        #expect(actions.fetches == [[(CoreBench.start + 6)...Epoch(3).start]])
    }

    @Test func `a host whose module has come only after its answer is asked for its streams once more`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(CoreBench.start)])
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 3)])
        // The module has not joined there yet.
        _ = try bench.answer([])
        #expect(try bench.hear(effects: [Epoch(3).start + 1], epoch: 3).markers.count == 1)
        // Once: the answer is on its way, and then it is known.
        #expect(try bench.hear(effects: [Epoch(3).start + 2], epoch: 3).markers.isEmpty)
        _ = try bench.answer([CoreBench.head(Epoch(3).start + 2, epoch: 3)])
        #expect(try bench.hear(effects: [Epoch(3).start + 3], epoch: 3).markers.isEmpty)
    }

    @Test func `what is known of losses is in the checkpoint`() throws {
        var ledger = Self.ledger(5)
        ledger.fold(GoneRecord.topic, .gone(GoneRecord(topic: CoreBench.work, range: 7...9)))
        let number = Epoch(3).start + 1
        ledger.fold(CoreBench.work, .effect(EffectRecord(position: number, sequence: number, caseName: "a", payload: [1])))
        var read = try Ledger("Here", checkpoint: try #require(ledger.checkpoint()))
        read.begin(Epoch(3))
        #expect(read.forgotten == ledger.forgotten && read.losses == ledger.losses && !read.losses.isEmpty)
        #expect(read.streams[CoreBench.work]?.unsaid == ledger.streams[CoreBench.work]?.unsaid)
        #expect(read.unknown(Epoch(2).start + 1, on: CoreBench.work) == (CoreBench.start + 6)...(Epoch(2).start + 1))
    }
}

/// The registry's file and the journal of a module are older copies, both: only those who have heard it know.
@Suite struct LaterLivesTests {
    @Test func `a life that was heard and that the picture does not know is reported`() throws {
        var bench = CoreBench()
        let last = Epoch(5).start + 3
        _ = bench.add("Here")
        _ = bench.picture(1, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 5)])
        _ = try bench.answer([CoreBench.head(last, epoch: 5)])
        _ = try bench.hear(effects: [last + 1], epoch: 5)
        #expect(bench.core.counters.laterLives.isEmpty)
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 2)])
        #expect(bench.core.counters.laterLives == ["There": Epoch(5)])
        _ = bench.picture(3, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 6)])
        #expect(bench.core.counters.laterLives.isEmpty)
    }
}
