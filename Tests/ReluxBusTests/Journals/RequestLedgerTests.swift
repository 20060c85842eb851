import Relux
@testable import ReluxLedger
import SimulationKit
import Testing

/// The requests that the journal of the ingress still knows when the broker comes back.
@Suite struct RequestLedgerTests {
    private func ledger(to recipients: [ModuleID]) -> Ledger {
        var ledger = Ledger("Cluster")
        let topic = CoreBench.work
        ledger.fold(topic, .member(MemberRecord(sequence: 0, version: 1, recipients: recipients)))
        ledger.fold(topic, CoreBench.effect(1))
        ledger.fold(RequestRecord.topic, .request(RequestRecord(position: 1, topic: "Work", sequence: 1, request: "order-17")))
        return ledger
    }

    private func acked(_ recipient: ModuleID, _ status: SettledRecord.Status = .succeeded, result: ArraySlice<UInt8> = []) -> WireRecord {
        .acked(
            AckedRecord(
                recipient: recipient, settlementSequence: 1, topic: CoreBench.work, effects: EffectRuns(position: 1, sequence: 1),
                status: status, result: result))
    }

    @Test func `whether a request waits for everyone is known to the next life, also by a checkpoint`() throws {
        var ledger = ledger(to: ["There"])
        #expect(ledger.recoveredRequests(userInfo: [:]).map(\.awaiting) == [.present])
        ledger.fold(RequestRecord.topic, .request(RequestRecord(position: 2, topic: "Work", sequence: 2, request: "order-18", isForEveryone: true)))
        let restored = try Ledger("Cluster", checkpoint: try #require(ledger.checkpoint()))
        for one in [ledger, restored] { #expect(one.recoveredRequests(userInfo: [:]).map(\.awaiting) == [.present, .everyone]) }
    }

    @Test func `a request is on its way until every recipient has settled, with the answers so far`() throws {
        var ledger = ledger(to: ["There", "Other"])
        var found = try #require(ledger.recoveredRequests(userInfo: [:]).first)
        #expect(found.request == "order-17" && found.effect == EffectID(module: "Cluster", position: 1))
        #expect(found.isPending && found.result == nil)
        ledger.fold(AckedRecord.topic, acked("There"))
        found = try #require(ledger.recoveredRequests(userInfo: [:]).first)
        #expect(found.isPending && found.result?.outcomes.map(\.recipient.module) == ["There"])
        ledger.fold(AckedRecord.topic, acked("Other"))
        found = try #require(ledger.recoveredRequests(userInfo: [:]).first)
        #expect(!found.isPending && found.result?.outcomes.count == 2 && found.result?.isSuccess == true)
    }

    @Test func `the first answer is the answer after the next start too, a failure with its message`() throws {
        var ledger = ledger(to: ["There"])
        let failure = Relux.Failure(domain: "shop", code: "empty", message: "nothing is left")
        let outcome = Relux.ActionResult.Outcome(recipient: .init(module: "There"), status: .failed, failure: failure)
        let bytes = try #require(ResultCoding.encode(Relux.ActionResult(outcomes: [outcome]), userInfo: [:]))
        ledger.fold(AckedRecord.topic, acked("There", .failed, result: bytes[...]))
        let restored = try Ledger("Cluster", checkpoint: try #require(ledger.checkpoint()))
        for known in [ledger, restored] {
            let found = try #require(known.recoveredRequests(userInfo: [:]).first)
            #expect(!found.isPending && found.result?.failures == [failure])
        }
    }

    @Test func `a request that nobody handles is answered so`() throws {
        let found = try #require(ledger(to: []).recoveredRequests(userInfo: [:]).first)
        #expect(!found.isPending && found.result?.isUnhandled == true && found.result?.isSuccess == true)
    }

    @Test func `as many requests are kept as the limit says, the latest`() {
        var ledger = Ledger("Cluster")
        for position in 1...UInt64(3 * Ledger.RequestBook.limit) {
            ledger.fold(RequestRecord.topic, .request(RequestRecord(position: position, topic: "Work", sequence: position, request: "r\(position)")))
        }
        let kept = ledger.recoveredRequests(userInfo: [:])
        #expect(kept.last?.request == "r\(3 * Ledger.RequestBook.limit)")
        #expect((Ledger.RequestBook.limit...2 * Ledger.RequestBook.limit).contains(kept.count))
    }

    @Test func `answers are kept by bytes; of an older one it is known that there was one, after the next start too`() throws {
        var ledger = Ledger("Cluster")
        let topic = CoreBench.work
        let size = Ledger.RequestBook.byteLimit / 8
        ledger.fold(topic, .member(MemberRecord(sequence: 0, version: 1, recipients: ["There"])))
        for position in UInt64(1)...20 {
            ledger.fold(topic, CoreBench.effect(position))
            ledger.fold(RequestRecord.topic, .request(RequestRecord(position: position, topic: "Work", sequence: position, request: "r\(position)")))
            ledger.fold(
                AckedRecord.topic,
                .acked(
                    AckedRecord(
                        recipient: "There", settlementSequence: position, topic: topic,
                        effects: EffectRuns(position: position, sequence: position), status: .succeeded,
                        result: [UInt8](repeating: 1, count: size)[...])))
            #expect(ledger.requests.byteCount <= Ledger.RequestBook.byteLimit)
        }
        let restored = try Ledger("Cluster", checkpoint: try #require(ledger.checkpoint()))
        for known in [ledger, restored] {
            let found = known.recoveredRequests(userInfo: [:])
            #expect(found.count == 20 && found.allSatisfy { !$0.isPending })
            #expect(found.first?.forgottenBytes == size && found.first?.result == nil)
            #expect(found.last?.forgottenBytes == nil && found.last?.result != nil)
            #expect(known.answer(to: 1, userInfo: [:]) == nil && known.answer(to: 20, userInfo: [:]) != nil)
        }
    }
}
