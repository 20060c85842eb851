import JournalFaults
import Relux
@testable import ReluxBus
import ReluxJournal
import ReluxPlugin
import Testing

/// What a handler keeps is in its module's journal, or the handler hears that it is not.
@Suite(.timeLimit(.minutes(1))) struct KeepTests {
    @Test func `what an earlier life keeps, or a module that has left, is not said to be kept`() async throws {
        let environment = JournalEnvironment(
            files: MemoryDisk(), bootID: BootID(bytes: Array(1...16))!, processID: 1, wallMilliseconds: { 1_790_000_000_000 },
            random: { UInt64.random(in: .min ... .max) })
        let journals = ModuleJournals(environment: environment)
        let ledger = try journals.open("A", at: "/A", epoch: Epoch(1)).ledger
        let endpoint = BusEndpoint(host: "here", transport: try ManualTransport(), journal: journals)
        defer { endpoint.stop() }
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        endpoint.join(
            ModuleDeclaration(id: "A", version: "1.0.0", kind: .domain, handles: [CoreBench.work], emits: []), epoch: Epoch(1), handling: [],
            ledger: ledger, life: 2)
        func value(life: UInt64) -> Relux.KeptValue {
            Relux.KeptValue(cause: EffectID(module: "There", position: 7), name: "id", bytes: [1], life: life)
        }
        #expect(await endpoint.keep(value(life: 2), of: "A"))
        #expect(await !endpoint.keep(value(life: 1), of: "A"))
        #expect(await !endpoint.keep(value(life: 2), of: "B"))
    }
}
