import JournalFaults
import Relux
@testable import ReluxBus
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import ReluxPlugin

/// An endpoint with the one module `A`, whose journal lies in memory at `/A`.
struct JournaledEndpoint {
    let environment: JournalEnvironment
    let journals: ModuleJournals
    let endpoint: BusEndpoint
    let transport: ManualTransport

    /// - Parameter life: of the module in this process; 0 when it does not matter.
    init(life: UInt64 = 0) throws {
        environment = JournalEnvironment(
            files: MemoryDisk(), bootID: BootID(bytes: Array(1...16))!, processID: 1, wallMilliseconds: { 1_790_000_000_000 },
            random: { UInt64.random(in: .min ... .max) })
        journals = ModuleJournals(environment: environment)
        let ledger = try journals.open("A", at: "/A", epoch: Epoch(1)).ledger
        transport = try ManualTransport()
        endpoint = BusEndpoint(host: "here", transport: transport, journal: journals)
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        endpoint.join(
            ModuleDeclaration(id: "A", version: "1.0.0", kind: .domain, handles: [CoreBench.work], emits: []), epoch: Epoch(1), handling: [],
            ledger: ledger, life: life)
    }
}
