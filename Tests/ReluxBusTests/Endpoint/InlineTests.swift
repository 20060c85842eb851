import JournalFaults
import Relux
@testable import ReluxBus
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import SimulationKit
import Testing

/// A thread that says something sends it inline, unless that could take its time; afterwards it is so again.
@Suite(.timeLimit(.minutes(1))) struct InlineTests {
    private let disk = MemoryDisk()
    private let transport = CountingTransport()
    private let clock = ManualClock()

    private func journals(_ boot: UInt8 = 1) -> ModuleJournals {
        ModuleJournals(
            environment: JournalEnvironment(
                files: disk, bootID: BootID(bytes: Array(boot..<(boot + 16)))!, processID: 1, wallMilliseconds: { 1_790_000_000_000 },
                random: { UInt64.random(in: .min ... .max) }))
    }

    private func endpoint(_ journals: ModuleJournals?) throws -> BusEndpoint {
        let endpoint = BusEndpoint(host: "here", transport: transport, clock: clock.nodeClock, journal: journals)
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        return endpoint
    }

    private let declaration = ModuleDeclaration(
        id: "A", version: "1.0.0", kind: .domain, handles: [CoreBench.work], emits: [CoreBench.work])
    private let picture = ClusterPicture(
        version: 1, members: [CoreBench.member("A", on: "here"), CoreBench.member("There", on: "there")],
        hosts: [.init(id: "here", endpoint: "here", tapEndpoint: ""), .init(id: "there", endpoint: "there", tapEndpoint: "")])

    /// As the sending thread does.
    private func pull(_ endpoint: BusEndpoint) { while !endpoint.pull().isIdle {} }

    private func emit(_ number: UInt64, _ durability: Relux.Durability, _ endpoint: BusEndpoint) {
        let appended = Relux.Emission(
            id: EffectID(module: "A", position: Epoch(1).start + number), topic: CoreBench.work, sequence: Epoch(1).start + number,
            caseName: "a", payload: [1], memberVersion: 1, recipients: ["There"], durability: durability)
        endpoint.append(appended)
    }

    @Test func `an order of the broker is not worked off by whoever says something`() throws {
        let endpoint = try endpoint(nil)
        defer { endpoint.stop() }
        #expect(endpoint.pullInline() != nil)
        // With it may come the word that a module is to be handed over, and a checkpoint.
        endpoint.apply(picture)
        #expect(endpoint.pullInline() == nil && endpoint.pictureVersion == 1)
        pull(endpoint)
        #expect(endpoint.pullInline() != nil)
    }

    @Test func `what has to survive the loss of power ends it until it is settled`() throws {
        let journals = journals()
        let ledger = try journals.open("A", at: "/A", epoch: Epoch(1)).ledger
        let endpoint = try endpoint(journals)
        defer { endpoint.stop() }
        endpoint.join(declaration, epoch: Epoch(1), handling: [], ledger: ledger)
        endpoint.apply(picture)
        pull(endpoint)
        emit(1, .process, endpoint)
        #expect(endpoint.pullInline() != nil)
        emit(2, .machine, endpoint)
        #expect(endpoint.pullInline() == nil)
        pull(endpoint)
        clock.advance(by: HeadClock.interval)
        pull(endpoint)
        #expect(endpoint.pullInline() == nil)
        endpoint.hear { core, _ in
            core.end(EffectRuns(position: Epoch(1).start + 2, sequence: Epoch(1).start + 2), on: CoreBench.work, of: "A", for: "There", as: .succeeded)
            return []
        }
        clock.advance(by: HeadClock.interval)
        pull(endpoint)
        #expect(endpoint.pullInline() != nil)
    }

    @Test func `a life that finds such an effect unsettled brings it to the disk before anybody hears of it, and does not send inline`() async throws {
        let first = journals()
        let before = try endpoint(first)
        before.join(declaration, epoch: Epoch(1), handling: [], ledger: try first.open("A", at: "/A", epoch: Epoch(1)).ledger)
        before.apply(picture)
        emit(1, .machine, before)
        pull(before)
        before.stop()
        disk.killProcess()
        let second = journals()
        let ledger = try second.open("A", at: "/A", epoch: Epoch(2)).ledger
        let endpoint = try endpoint(second)
        defer { endpoint.stop() }
        endpoint.join(declaration, epoch: Epoch(2), handling: [], ledger: ledger)
        let syncs = disk.count(of: .sync)
        pull(endpoint)
        #expect(endpoint.pullInline() == nil)
        while disk.count(of: .sync) == syncs {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `a module that was recovered and says nothing does not keep its neighbours from it`() throws {
        let first = journals()
        let records = [
            Said(module: "A", topic: CoreBench.work, record: CoreBench.effect(Epoch(1).start + 1))
        ]
        _ = try first.open("A", at: "/A", epoch: Epoch(1))
        try first.append(records)
        first.closeAll()
        let second = journals()
        let ledger = try second.open("A", at: "/A", epoch: Epoch(2)).ledger
        let endpoint = try endpoint(second)
        defer { endpoint.stop() }
        endpoint.join(declaration, epoch: Epoch(2), handling: [], ledger: ledger)
        pull(endpoint)
        #expect(endpoint.pullInline() != nil)
        // And once it has to keep less than it has.
        endpoint.trim(second.limit(to: ["A": 1]))
        #expect(endpoint.pullInline() == nil)
        pull(endpoint)
        #expect(endpoint.pullInline() != nil)
    }
}
