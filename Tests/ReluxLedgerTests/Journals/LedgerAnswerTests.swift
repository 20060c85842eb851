import Relux
import SimulationKit
import Testing

@testable import ReluxLedger

@Suite struct LedgerAnswerTests {
    private func acked(by recipient: ModuleID, _ status: SettledRecord.Status) -> WireRecord {
        .acked(
            AckedRecord(
                recipient: recipient, settlementSequence: 1, topic: "Work", effects: EffectRuns(position: 7, sequence: 1), status: status))
    }

    @Test func `what was asked through the ingress has its answer when all have settled, and no sooner`() throws {
        var ledger = Ledger("Cluster")
        ledger.fold("Work", .member(MemberRecord(sequence: 0, version: 1, recipients: ["A", "B"])))
        ledger.fold("Work", .effect(EffectRecord(position: 7, sequence: 1, caseName: "a", payload: [])))
        ledger.fold("Work", .effect(EffectRecord(position: 8, sequence: 2, caseName: "a", payload: [])))
        ledger.fold(RequestRecord.topic, .request(RequestRecord(position: 7, topic: "Work", sequence: 1, request: "one")))
        #expect(ledger.answer(to: 7, userInfo: [:]) == nil)
        ledger.fold(AckedRecord.topic, acked(by: "B", .succeeded))
        #expect(ledger.answer(to: 7, userInfo: [:]) == nil)
        ledger.fold(AckedRecord.topic, acked(by: "A", .deadLettered))
        let answer = try #require(ledger.answer(to: 7, userInfo: [:]))
        #expect(Set(answer.outcomes.map(\.recipient.module)) == ["A", "B"])
        #expect(answer.isFailure)
        #expect(ledger.answer(to: 8, userInfo: [:]) == nil, "nobody asked for it")
    }
}
