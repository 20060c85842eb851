import Relux
@testable import ReluxBus
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import SimulationKit
import Synchronization
import Testing

/// The traces of a dispatch that was not accepted, behind the exchange.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
    private func refused(_ topic: String = "Notes.Business.Effect", by module: ModuleID = "A") -> Relux.RefusedDispatch {
        Relux.RefusedDispatch(
            module: module, topic: topic, caseName: "add", ancestry: [EffectID(module: "There", position: 7)],
            site: Relux.Site(file: "AImpl/Flow.swift", line: 41, function: "apply"),
            failure: Relux.Failure(domain: "relux", code: "undeclared", message: "declare it"))
    }

    @Test func `taps hear each refusal with its cause and its site, the mesh none, and the journal keeps how many`() async throws {
        let bench = try JournaledEndpoint()
        defer { bench.endpoint.stop() }
        bench.endpoint.refused(refused(), standingFor: 1, isShown: true)
        bench.endpoint.refused(refused(), standingFor: 0, isShown: true)
        bench.endpoint.refused(refused(), standingFor: 6, isShown: false)
        bench.endpoint.go(last: false)
        try await bench.transport.sent.wait(for: "both records") { $0.refusals.count == 2 }
        let record = try #require(bench.transport.sent.value.refusals.first)
        #expect(record.count == 1 && record.reason == "undeclared" && record.message == "declare it")
        #expect(record.topic == "Notes.Business.Effect" && record.caseName == "add")
        #expect(record.cause == EffectID(module: "There", position: 7) && record.site.line == 41)
        await bench.endpoint.secure("A")
        bench.journals.abandon("A")
        let ledger = try ModuleJournals(environment: bench.environment).open("A", at: "/A", epoch: Epoch(2)).ledger
        #expect(ledger.refusals == ["undeclared": 7])
        // It is in no stream, and nobody waits for it.
        #expect(ledger.position == Epoch(2).start && ledger.isSettled && ledger.books.isEmpty)
    }

    @Test func `texts that are too long are cut, and what a module says that is not here harms nothing`() async throws {
        let bench = try JournaledEndpoint()
        defer { bench.endpoint.stop() }
        bench.endpoint.refused(refused(by: "Stranger"), standingFor: 1, isShown: true)
        bench.endpoint.refused(refused(String(repeating: "x", count: 1 << 20)), standingFor: 1, isShown: true)
        bench.endpoint.go(last: false)
        try await bench.transport.sent.wait(for: "the record") { !$0.refusals.isEmpty }
        #expect(bench.transport.sent.value.refusals.map(\.topic.utf8.count) == [RefusedRecord.textByteLimit])
    }

    @Test func `what a module says after it has left is in its journal's books when it comes back to the process`() async throws {
        let bench = try JournaledEndpoint()
        defer { bench.endpoint.stop() }
        for count in [1, 2] as [UInt64] { bench.endpoint.refused(refused(by: "B"), standingFor: count, isShown: true) }
        bench.endpoint.go(last: false)
        let line = "3 dispatches of B, which is not in this process, refused (3 undeclared) at "
        while bench.endpoint.counters.late.first?.text.hasPrefix(line) != true {
            try Task.checkCancellation()
            await Task.yield()
        }
        let ledger = try bench.journals.open("B", at: "/B", epoch: Epoch(1)).ledger
        bench.endpoint.join(
            ModuleDeclaration(id: "B", version: "1.0.0", kind: .domain, handles: [], emits: []), epoch: Epoch(1), handling: [], ledger: ledger)
        // Behind what it has said.
        await bench.endpoint.secure("B")
        #expect(bench.endpoint.counters.late.isEmpty)
        bench.endpoint.stop()
        bench.journals.abandon("B")
        #expect(try ModuleJournals(environment: bench.environment).open("B", at: "/B", epoch: Epoch(2)).ledger.refusals == ["undeclared": 3])
    }

    @Test func `what is kept for a module that is not here is bounded, and the sums of reasons are right`() {
        var late = LateRefusals()
        func keep(_ site: Int, _ module: ModuleID = "A") {
            late.keep(
                RefusedRecord(
                    count: 1, reason: "closed", topic: "T", caseName: "", site: CallSite(file: "A.swift", line: UInt(site), function: "f"),
                    wallTimeMilliseconds: 0, message: ""), 2, of: module)
        }
        for site in 1...100 { keep(site) }
        #expect(late.notes.map(\.text) == ["200 dispatches of A, which is not in this process, refused (200 closed) at A.swift:1 and 63 other places"])
        let kept = late.take("A")
        #expect(kept.count == LateRefusals.limit && kept.map(\.count).reduce(0, +) == 200 && late.take("A").isEmpty)
    }

    @Test func `the sums outlive the records, and reasons are bounded`() throws {
        var ledger = Ledger("A")
        for n in 1...100 {
            let record = RefusedRecord(
                count: 2, reason: "r\(n)", topic: "T", caseName: "", wallTimeMilliseconds: 0, message: "")
            ledger.fold(RefusedRecord.topic, .refused(record))
        }
        #expect(ledger.refusals.count == Ledger.reasonLimit + 1)
        #expect(ledger.refusals.values.reduce(0, +) == 200)
        let restored = try Ledger("A", checkpoint: try #require(ledger.checkpoint()))
        #expect(restored.refusals == ledger.refusals)
    }

    @Test func `the audit states what was never accepted, and it changes no balance`() {
        var ledger = Ledger("A")
        ledger.fold(
            RefusedRecord.topic,
            .refused(RefusedRecord(count: 3, reason: "hops", topic: "T", caseName: "", wallTimeMilliseconds: 0, message: "")))
        ledger.fold(
            RefusedRecord.topic,
            .refused(RefusedRecord(count: 5, reason: "undeclared", topic: "T", caseName: "", wallTimeMilliseconds: 0, message: "")))
        var look = AuditLook()
        look.journals["A"] = AuditedJournal(ledger)
        let audit = Audit(first: look, second: look, places: ["A": .running])
        #expect(audit.isBalanced && audit.total.accepted == 0)
        #expect(audit.refusals == ["A": ["hops": 3, "undeclared": 5]])
        #expect(audit.refusedReasons.map(\.reason) == ["undeclared", "hops"])
    }
}

extension [Frame] {
    fileprivate var refusals: [RefusedRecord] {
        filter { $0.topic == RefusedRecord.topic }.flatMap(\.records).compactMap { if case .refused(let record) = $0 { record } else { nil } }
    }
}
