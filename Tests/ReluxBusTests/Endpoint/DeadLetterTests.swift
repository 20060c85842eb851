import JournalFaults
import Relux
@testable import ReluxBus
import ReluxJournal
import ReluxPlugin
import Synchronization
import Testing

/// What a module's journal keeps of an effect that was given up.
@Suite(.timeLimit(.minutes(1))) struct DeadLetterTests {
    @Test func `a dead letter keeps the contract of its effect, also when it has been dealt with, and in the next life`() async throws {
        let disk = MemoryDisk()
        let environment = JournalEnvironment(
            files: disk, bootID: BootID(bytes: Array(1...16))!, processID: 1, wallMilliseconds: { 1_790_000_000_000 },
            random: { UInt64.random(in: .min ... .max) })
        let journals = ModuleJournals(environment: environment)
        let ledger = try journals.open("A", at: "/A", epoch: Epoch(1)).ledger
        let endpoint = BusEndpoint(host: "here", transport: try ManualTransport(), journal: journals)
        defer { endpoint.stop() }
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        endpoint.join(
            ModuleDeclaration(id: "A", version: "1.0.0", kind: .domain, handles: [CoreBench.work], emits: []), epoch: Epoch(1), handling: [],
            ledger: ledger)
        let effect = EffectID(module: "There", position: 7)
        endpoint.deadLetter(
            Relux.DeadLetter(effect: effect, topic: CoreBench.work, ancestry: [], cause: .deaths(5), payload: [1], contract: 0xAB), of: "A")
        // It only queues.
        while endpoint.core.withLock({ $0.locals["A"]?.ledger.dead[effect] }) == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(await endpoint.resolve(effect, of: "A", as: .retried))
        journals.abandon("A")
        let letter = try ModuleJournals(environment: environment).open("A", at: "/A", epoch: Epoch(2)).ledger.dead[effect]
        #expect(letter?.contractFingerprint == 0xAB && letter?.resolution == .retried)
    }
}
