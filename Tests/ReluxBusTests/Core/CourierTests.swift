import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import SimulationKit
import Testing

/// A publisher has no process; its journal still has what it said.
@Suite struct CourierTests {
    private let here = CoreBench.member("Here", on: "here")
    private let there = CoreBench.member("There", on: "there")
    private let absent = CoreBench.member("There", on: nil)

    /// The journal that There had written to Here before it died.
    private func journal(_ sequences: ClosedRange<UInt64>, settled: Set<UInt64> = []) -> CourierLedger {
        var ledger = Ledger("There")
        ledger.fold(CoreBench.work, .member(MemberRecord(sequence: 0, version: 1, recipients: ["Here"])))
        for sequence in sequences { ledger.fold(CoreBench.work, CoreBench.effect(sequence)) }
        for sequence in settled {
            let acked = AckedRecord(
                recipient: "Here", settlementSequence: 0, topic: CoreBench.work,
                effects: EffectRuns(position: sequence, sequence: sequence), status: .succeeded, result: [])
            ledger.fold(AckedRecord.topic, .acked(acked))
        }
        return CourierLedger(ledger: ledger, epoch: Epoch(1))
    }

    private func ask(_ question: CourierQuestion, _ known: CourierLedger?, retired: [ModuleID] = []) -> CourierAnswer {
        CourierAnswer(to: question, retired: retired) { $0 == "There" ? known : nil }
    }

    /// Asks for as long as the core has questions.
    private func settle(_ bench: inout CoreBench, _ first: [BusCore.Action], _ known: CourierLedger) -> [UInt64] {
        var (delivered, questions) = (first.delivered, first.questions)
        while !questions.isEmpty {
            let actions = bench.core.receive(ask(questions.removeFirst(), known, retired: ["There"]), now: bench.now)
            delivered += actions.delivered
            questions += actions.questions
        }
        return delivered
    }

    @Test func `an answer larger than a message goes in several, of which only the last one is waited for`() {
        let frames = (0..<10).map { ByteString([UInt8](repeating: UInt8($0), count: 300)) } + [ByteString([UInt8](repeating: 9, count: 5000))]
        for question in [.heads(of: "There", for: ["Here"], number: 7), .retired(for: ["Here"], number: 8)] as [CourierQuestion] {
            let whole = CourierAnswer(to: question, frames: frames, isForgotten: true)
            let parts = whole.parts(byteLimit: 1000)
            #expect(parts.map { $0.frames.count } == [3, 3, 3, 1, 1])
            #expect(parts.flatMap(\.frames) == frames)
            #expect(parts.map(\.isForgotten) == [false, false, false, false, true])
            #expect(parts.map { $0.question == question } == [false, false, false, false, true])
            #expect(parts.allSatisfy { $0.question.publisher == question.publisher })
        }
        let empty = CourierAnswer(to: .retired(for: [], number: 1), frames: [])
        #expect(empty.parts(byteLimit: 1000) == [empty])
    }

    @Test(arguments: [false, true])
    func `what a publisher said last is heard through the courier when it dies or is removed`(_ isRemoved: Bool) throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        #expect(try bench.hear(effects: [1, 2]).delivered == [1, 2])
        let death = bench.picture(2, isRemoved ? [here] : [here, absent])
        #expect(death.questions == [.heads(of: "There", for: ["Here"], number: death.questions.number)])
        #expect(settle(&bench, death, journal(1...700)) == Array(3...700))
        #expect(bench.core.questions.unanswered.isEmpty && bench.core.inbound.lagging.isEmpty)
    }

    @Test func `a question is asked again each second until it is answered, or the publisher is back`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        _ = bench.picture(2, [here, absent])
        var times: [Duration] = []
        while bench.now < .seconds(3) {
            if !bench.tick().questions.isEmpty { times.append(bench.now) }
        }
        #expect(times == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 2)]).questions.isEmpty)
        for _ in 0..<10 { #expect(bench.tick().questions.allSatisfy { $0.publisher == nil }) }
    }

    @Test func `a late answer about an earlier death says nothing of the next one`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        let first = bench.picture(2, [here, absent])
        let late = ask(try #require(first.questions.first), journal(1...1))
        #expect(settle(&bench, [.askCourier(late.question)], journal(1...1)) == [1])
        _ = bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 2)])
        let second = bench.picture(4, [here, CoreBench.member("There", on: nil, epoch: 2)])
        #expect(bench.core.receive(late, now: bench.now).questions.isEmpty)
        #expect(!bench.core.questions.unanswered.isEmpty)
        #expect(settle(&bench, second, journal(1...3)) == [2, 3])
        #expect(bench.core.questions.unanswered.isEmpty)
    }

    @Test func `what is removed without a process is asked for once more, for one may have written in the meantime`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        // A broker that has just come may not know yet that the module's process lives.
        #expect(settle(&bench, bench.picture(2, [here, absent]), journal(1...1)) == [1])
        let removal = bench.picture(3, [here])
        #expect(removal.questions == [.heads(of: "There", for: ["Here"], number: removal.questions.number)])
        #expect(settle(&bench, removal, journal(1...3)) == [2, 3])
        #expect(bench.picture(4, [here]).questions.isEmpty)
    }

    @Test func `a module that comes asks for what was left for it, also by those that are no members`() throws {
        var bench = CoreBench()
        bench.hasCourier = false
        _ = bench.add("Here")
        _ = bench.picture(1, [here])
        var questions: [CourierQuestion] = []
        while bench.now < .seconds(1) { questions += bench.tick().questions }
        #expect(questions == [.retired(for: ["Here"], number: questions.number)])
        let actions = bench.core.receive(ask(questions[0], journal(4...6), retired: ["There"]), now: bench.now)
        #expect(settle(&bench, actions, journal(4...6)) == [4, 5, 6])
    }

    @Test func `what a host named before a module came says nothing of where its streams go on for that module`() throws {
        var bench = CoreBench()
        bench.hasCourier = false
        let other = CoreBench.member("Other", on: "here")
        _ = bench.add("Other")
        _ = bench.picture(1, [other, CoreBench.member("There", on: "there", epoch: 2)])
        _ = try bench.answer([CoreBench.head(6, starts: [.init(recipient: "Here", after: 3)], epoch: 2)])
        _ = bench.add("Here")
        // There dies before its host has answered the newcomer's marker; the last that it said comes behind the picture.
        let death = bench.picture(2, [other, here, CoreBench.member("There", on: nil, epoch: 2)])
        #expect(try bench.hear(effects: [7], epoch: 2).delivered.isEmpty)
        #expect(settle(&bench, death, journal(4...7)) == [4, 5, 6, 7])
    }

    @Test func `what the publisher's journal has as taken is not handed over, and nothing is twice`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        _ = try bench.hear(effects: [1])
        let death = bench.picture(2, [here, absent])
        let known = journal(1...9, settled: [3, 4, 8])
        #expect(settle(&bench, death, known) == [2, 5, 6, 7, 9])
        #expect(settle(&bench, [.askCourier(.heads(of: "There", for: ["Here"], number: 0))], known).isEmpty)
        // Its next life says it again.
        _ = bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 2)])
        let starts = [ReadyRecord.Start(recipient: "Here", after: 0)]
        #expect(try bench.answer([CoreBench.head(9, starts: starts, epoch: 2)]).fetches.isEmpty)
        #expect(try bench.hear(effects: [10], epoch: 2).delivered == [10])
    }

    @Test func `what the courier has said of a publisher that is no member is not asked for again when it comes back`() throws {
        let (start, second, third) = (CoreBench.start, Epoch(2).start, Epoch(3).start)
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(start)])
        _ = try bench.hear(effects: [start + 1])
        var known = journal((start + 1)...(start + 1))
        known.ledger.begin(Epoch(2))
        _ = settle(&bench, bench.picture(2, [here]), known)
        _ = bench.picture(3, [here, CoreBench.member("There", on: "there", epoch: 3, since: 3)])
        let asked = [(start + 2)...second, (second + 1)...third]
        #expect(try bench.answer([CoreBench.head(third, epoch: 3)]).fetches == [asked])
        // An answer to that says nothing of what it has got, either.
        let gone = asked.map { WireRecord.gone(GoneRecord(topic: CoreBench.work, range: $0)) }
        #expect(try bench.replay(gone, head: third, epoch: 3).fetches.isEmpty && bench.core.inbound.lagging.isEmpty)
    }

    @Test func `nothing is asked for a publisher whose records nobody here hears`() {
        var bench = CoreBench()
        _ = bench.add("Here")
        var stranger = there
        stranger.emits = ["Other"]
        stranger.handles = []
        _ = bench.picture(1, [here, stranger])
        stranger.host = nil
        #expect(bench.picture(2, [here, stranger]).questions.isEmpty)
    }

    @Test func `settlements for an absent publisher wait without a word, and end when its journal is gone`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer([CoreBench.head(0)])
        _ = try bench.hear(effects: [1])
        _ = bench.settle(1)
        let death = bench.picture(2, [here])
        _ = bench.core.receive(ask(death.questions[0], journal(1...1)), now: bench.now)
        while bench.core.nextTick != nil, bench.now < .seconds(10) { _ = bench.tick() }
        #expect(bench.core.nextTick == nil && !bench.core.isSettled("Here"))
        let forgotten = CourierAnswer(to: .heads(of: "There", for: [], number: 0), frames: [], isForgotten: true)
        _ = bench.core.receive(forgotten, now: bench.now)
        #expect(bench.core.isSettled("Here"))
    }

    @Test func `a damaged answer is counted and does nothing`() {
        var bench = CoreBench.paired()
        let answer = CourierAnswer(to: .retired(for: ["Here"], number: 0), frames: [ByteString([1, 2, 3])])
        #expect(bench.core.receive(answer, now: bench.now).isEmpty)
        #expect(bench.core.counters.framesRefused == 1)
    }

    @Test func `a retired journal is served when its recipients have all of it, or are none any more`() {
        let ledger = journal(1...3).ledger
        let members = ["Here": here] as [ModuleID: ClusterPicture.Member]
        #expect(!ledger.isServed(members: members) { sequence, _, _ in sequence < 3 })
        #expect(ledger.isServed(members: members) { _, stream, recipient in stream.publisher == "There" && recipient == "Here" })
        #expect(ledger.isServed(members: [:]) { _, _, _ in false })
        let successor = CoreBench.member("Here", on: "here", since: 2)
        #expect(ledger.isServed(members: ["Here": successor]) { _, _, _ in false })
    }
}

extension [BusCore.Action] {
    var questions: [CourierQuestion] { compactMap { if case .askCourier(let question) = $0 { question } else { nil } } }
}

extension [CourierQuestion] {
    /// The first one's sequence, 0 when there is none.
    fileprivate var number: UInt64 {
        switch first {
        case .heads(_, _, let number), .retired(_, let number): number
        case .records, nil: 0
        }
    }
}
