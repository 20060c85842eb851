import JournalFaults
import Relux
@testable import ReluxBus
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import Testing

/// A disk with less room than its reserve, and one without any.
@Suite(.timeLimit(.minutes(1))) struct DiskTests {
    private let disk = MemoryDisk()
    private var environment: JournalEnvironment {
        JournalEnvironment(
            files: disk, bootID: BootID(bytes: Array(1...16))!, processID: 1, wallMilliseconds: { 1_790_000_000_000 },
            random: { UInt64.random(in: .min ... .max) })
    }

    @Test func `shortness is told when it changes, and looked for at most every 200 ms`() {
        let watch = DiskWatch(directory: "/", reserve: 1000, environment: environment)
        #expect(watch.look(now: .zero) == nil)
        disk.setRoom(999)
        #expect(watch.look(now: .milliseconds(199)) == nil && watch.room.trouble == nil)
        #expect(watch.look(now: .milliseconds(200)) == true)
        #expect(watch.room.trouble?.contains("/: 999 bytes are free, the reserve is 1000 bytes") == true)
        #expect(watch.look(now: .milliseconds(400)) == nil)
        disk.setRoom(1000)
        #expect(watch.look(now: .milliseconds(600)) == false && watch.room.trouble == nil)
    }

    @Test func `no reserve is no watch`() {
        disk.setRoom(0)
        #expect(DiskWatch(directory: "/", reserve: 0, environment: environment).look(now: .seconds(1)) == nil)
    }

    private func endpoint(_ transport: ManualTransport, _ journals: ModuleJournals?, reserve: Int) throws -> BusEndpoint {
        let endpoint = BusEndpoint(
            host: "here", transport: transport, journal: journals,
            disk: DiskWatch(directory: "/", reserve: reserve, environment: environment))
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        return endpoint
    }

    @Test func `a source waits below the reserve, is refused at its deadline, and goes on with room`() async throws {
        let transport = try ManualTransport()
        disk.setRoom(10)
        let endpoint = try endpoint(transport, nil, reserve: 1000)
        defer { endpoint.stop() }
        let clock = Relux.NodeClock.continuous
        endpoint.lookAtDisk()
        #expect(!endpoint.diskTroubles.isEmpty && !endpoint.hasRoom(for: CoreBench.work))
        let refusal = await endpoint.admit(CoreBench.work, until: clock.now() + .milliseconds(50))
        #expect(refusal?.outcomes.map(\.status) == [.refused] && refusal?.failures.map(\.code) == ["overloaded"])
        #expect(refusal?.failures.first?.message.contains("journal.reserve-mebibytes") == true)
        async let admitted = endpoint.admit(CoreBench.work, until: clock.now() + .seconds(3600))
        disk.setRoom(nil)
        // A look is believed for a while.
        while !endpoint.diskTroubles.isEmpty {
            try Task.checkCancellation()
            endpoint.lookAtDisk()
            await Task.yield()
        }
        #expect(await admitted == nil)
    }

    @Test func `a batch waits for room, says where, and leaves with it`() async throws {
        let transport = try ManualTransport()
        var options = JournalOptions()
        options.firstSegment = 4096
        options.segmentLimit = 4096
        let said = Watched<[JournalRefusal]>([])
        let journals = ModuleJournals(environment: environment, options: options) { refusal in said.update { $0.append(refusal) } }
        let ledger = try journals.open("A", at: "/A", epoch: Epoch(1)).ledger
        let endpoint = try endpoint(transport, journals, reserve: 0)
        defer { endpoint.stop() }
        endpoint.join(
            ModuleDeclaration(id: "A", version: "1.0.0", kind: .domain, handles: [], emits: [CoreBench.work]), epoch: Epoch(1), handling: [],
            ledger: ledger)
        endpoint.apply(
            ClusterPicture(
                version: 1, members: [CoreBench.member("A", on: "here"), CoreBench.member("There", on: "there")],
                hosts: [.init(id: "here", endpoint: "here", tapEndpoint: ""), .init(id: "there", endpoint: "there", tapEndpoint: "")]))
        disk.setRoom(0)
        let first = Epoch(1).start + 1
        let count: UInt64 = 100
        for position in first..<(first + count) {
            endpoint.append(
                Relux.Emission(
                    id: EffectID(module: "A", position: position), topic: CoreBench.work, sequence: position, caseName: "a",
                    payload: Array(repeating: 1, count: 200), memberVersion: 1, recipients: ["There"]))
        }
        try await said.wait(for: "the refusal") { !$0.isEmpty }
        while endpoint.diskTroubles.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(endpoint.diskTroubles.first?.text.contains("the journal of A takes nothing") == true && endpoint.diskTroubles.first?.module == "A")
        #expect(endpoint.diskTroubles.first?.text.contains("/A/") == true && endpoint.diskTroubles.first?.text.contains("free room") == true)
        #expect(transport.sent.value.effects(of: "A").count < Int(count))
        disk.setRoom(nil)
        try await transport.sent.wait(for: "all of it") { $0.effects(of: "A") == Array(first..<(first + count)) }
        #expect(endpoint.diskTroubles.isEmpty)
        // Tried every 100 ms, said once.
        #expect(said.value.count == 1)
    }

    @Test func `a journal with a share gives back what nobody needs, also when it is idle`() async throws {
        let transport = try ManualTransport()
        var options = JournalOptions()
        options.firstSegment = 4096
        options.segmentLimit = 4096
        let journals = ModuleJournals(environment: environment, options: options)
        try disk.makeDirectory("/node")
        let ledger = try journals.open("A", at: "/node/A", epoch: Epoch(1)).ledger
        let endpoint = try endpoint(transport, journals, reserve: 0)
        defer { endpoint.stop() }
        endpoint.join(
            ModuleDeclaration(id: "A", version: "1.0.0", kind: .domain, handles: [], emits: [CoreBench.work]), epoch: Epoch(1), handling: [],
            ledger: ledger)
        endpoint.apply(ClusterPicture(version: 1, members: [CoreBench.member("A", on: "here")], hosts: []))
        let first = Epoch(1).start + 1
        for position in first..<(first + 200) {
            endpoint.append(
                Relux.Emission(
                    id: EffectID(module: "A", position: position), topic: CoreBench.work, sequence: position, caseName: "a",
                    payload: Array(repeating: 1, count: 200), memberVersion: 1, recipients: []))
        }
        try await transport.sent.wait(for: "all of it") { $0.effects(of: "A").count == 200 }
        func taken() throws -> Int { try JournalListing.all(in: "/node", environment: environment).reduce(0) { $0 + $1.allocated } }
        #expect(try taken() > 40_000)
        #expect(journals.limit(to: ["B": 0]) == [])
        #expect(journals.limit(to: ["A": 0]) == ["A"])
        endpoint.trim(["A"])
        // The present segment stays.
        while try taken() > 16_384 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(try LedgerReader(directory: "/node/A", module: "A", environment: environment).ledger().position == first + 199)
    }
}
