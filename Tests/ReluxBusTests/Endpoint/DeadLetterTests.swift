import Relux
@testable import ReluxLedger
import ReluxBus
import Synchronization
import Testing

/// The record that a module's journal keeps of an effect that was given up.
@Suite(.timeLimit(.minutes(1))) struct DeadLetterTests {
    @Test func `a dead letter keeps the contract of its effect, also when it has been dealt with, and in the next life`() async throws {
        let bench = try JournaledEndpoint()
        let endpoint = bench.endpoint
        defer { endpoint.stop() }
        let effect = EffectID(module: "There", position: 7)
        endpoint.deadLetter(
            Relux.DeadLetter(effect: effect, topic: CoreBench.work, ancestry: [], cause: .deaths(5), payload: [1], contract: 0xAB), of: "A")
        await endpoint.secure("A")
        #expect(await endpoint.resolve(effect, of: "A", as: .retried))
        bench.journals.abandon("A")
        let letter = try ModuleJournals(environment: bench.environment).open("A", at: "/A", epoch: Epoch(2)).ledger.dead[effect]
        #expect(letter?.contractFingerprint == 0xAB && letter?.resolution == .retried)
    }
}
