import JournalFaults
import Relux
@testable import ReluxBus
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import Testing

/// Topics that survive the loss of power: the parts that production runs, on a disk that forgets what was never synced.
@Suite(.timeLimit(.minutes(2))) struct MachineTests {
    private static let boots = (BootID(bytes: Array(1...16))!, BootID(bytes: Array(2...17))!)

    /// One host with two modules, which emit to a module of another host.
    private final class Bench {
        let disk: SlowDisk
        let transport: ManualTransport
        let endpoint: BusEndpoint
        let journals: ModuleJournals
        let broken = Watched<[JournalRefusal]>([])
        private var sequences: [ModuleID: UInt64] = [:]

        init(_ disk: SlowDisk = SlowDisk()) throws {
            self.disk = disk
            var options = JournalOptions()
            // Small, so that segments begin all the time.
            options.firstSegment = 16 << 10
            options.segmentLimit = 16 << 10
            let journals = ModuleJournals(environment: MachineTests.environment(disk, MachineTests.boots.0), options: options)
            self.journals = journals
            transport = try ManualTransport()
            let broken = broken
            var owner = BusEndpoint.Owner()
            owner.broken = { refusal in broken.update { $0.append(refusal) } }
            endpoint = BusEndpoint(host: "here", transport: transport, journal: journals, owner: owner)
            let declared: [ModuleDeclaration] = ["A", "B"].map {
                ModuleDeclaration(id: $0, version: "1.0.0", kind: .domain, handles: [CoreBench.work], emits: [CoreBench.work])
            }
            var ledgers: [ModuleID: Ledger] = [:]
            for module in declared {
                ledgers[module.id] = try journals.open(module.id, at: "/\(module.id)", epoch: Epoch(1)).ledger
            }
            try endpoint.start(Relux.Exchange(uplink: endpoint))
            for module in declared { endpoint.join(module, epoch: Epoch(1), handling: [], ledger: ledgers[module.id]) }
            endpoint.apply(
                ClusterPicture(
                    version: 1,
                    members: [CoreBench.member("A", on: "here"), CoreBench.member("B", on: "here"), CoreBench.member("There", on: "there")],
                    hosts: [.init(id: "here", endpoint: "here", tapEndpoint: ""), .init(id: "there", endpoint: "there", tapEndpoint: "")]))
        }

        @discardableResult
        func emit(_ module: ModuleID, _ durability: Relux.Durability, to recipients: [ModuleID] = ["There"]) -> UInt64 {
            let number = sequences[module, default: Epoch(1).start] + 1
            sequences[module] = number
            let appended = Relux.Emission(
                id: EffectID(module: module, position: number), topic: CoreBench.work, sequence: number, caseName: "a", payload: [1],
                memberVersion: 1, recipients: Recipients(recipients), durability: durability)
            endpoint.append(appended)
            return number
        }

        func settle(_ position: UInt64, of publisher: ModuleID, by recipient: ModuleID, _ durability: Relux.Durability) {
            var settled = Relux.Settled(
                id: EffectID(module: publisher, position: position), topic: CoreBench.work, sequence: position, recipient: recipient,
                result: .success, duration: .zero)
            settled.durability = durability
            endpoint.settled(settled)
        }

        func waitForSync(after count: Int) async throws { try await disk.begun.wait(for: "a sync") { $0 > count } }

        /// Waits until all of these have left, in this order.
        func waitFor(_ positions: [UInt64], of module: ModuleID) async throws {
            try await transport.sent.wait(for: "\(positions.count) effects of \(module)") { $0.effects(of: module) == positions }
        }

        func stop() {
            disk.letGo()
            endpoint.stop()
        }
    }

    private static func environment(_ files: any FileSystem, _ boot: BootID) -> JournalEnvironment {
        JournalEnvironment(
            files: files, bootID: boot, processID: 1, wallMilliseconds: { 1_790_000_000_000 }, random: { UInt64.random(in: .min ... .max) })
    }

    /// The ledger that the module's next life finds after a loss of power.
    private static func afterPowerLoss(_ disk: MemoryDisk, _ module: ModuleID, keeps: () -> Bool = { false }) throws -> Ledger {
        disk.losePower(keeps: keeps)
        let journals = ModuleJournals(environment: environment(disk, boots.1))
        return try journals.open(module, at: "/\(module)", epoch: Epoch(2)).ledger
    }

    @Test func `nothing of it leaves before it is on the disk, and others' effects do`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        bench.disk.hold()
        let before = bench.disk.begun.value
        let first = bench.emit("A", .machine)
        try await bench.waitForSync(after: before)
        let others = (0..<3).map { _ in bench.emit("B", .process) }
        try await bench.waitFor(others, of: "B")
        #expect(bench.transport.sent.value.effects(of: "A").isEmpty)
        // It is of the same module: the order of a stream stays.
        let second = bench.emit("A", .process)
        try await bench.waitFor(others + [bench.emit("B", .process)], of: "B")
        #expect(bench.transport.sent.value.effects(of: "A").isEmpty)
        bench.disk.letGo()
        try await bench.waitFor([first, second], of: "A")
    }

    @Test func `what comes while the disk is busy shares the next sync`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        bench.disk.hold()
        let before = bench.disk.begun.value
        var said = [bench.emit("A", .machine)]
        try await bench.waitForSync(after: before)
        for _ in 0..<100 {
            said.append(bench.emit("A", .machine))
            // Each a batch of its own.
            let last = bench.emit("B", .process)
            try await bench.transport.sent.wait(for: "B") { $0.effects(of: "B").last == last }
        }
        bench.disk.letGo()
        try await bench.waitFor(said, of: "A")
        // The one that was held, and one for all that came meanwhile: over the two segments that these may lie in.
        #expect(bench.disk.begun.value <= before + 1 + 3)
    }

    @Test func `a settlement of it is on the disk before its publisher hears of it`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        bench.disk.hold()
        let before = bench.disk.begun.value
        bench.settle(5, of: "There", by: "A", .machine)
        try await bench.waitForSync(after: before)
        bench.settle(6, of: "There", by: "B", .process)
        let topic = Topic.settlements(of: "There")
        try await bench.transport.sent.wait(for: "the settlement of B") { $0.contains { $0.topic == topic && $0.publisher == "B" } }
        #expect(!bench.transport.sent.value.contains { $0.topic == topic && $0.publisher == "A" })
        bench.disk.letGo()
        try await bench.transport.sent.wait(for: "the settlement of A") { $0.contains { $0.topic == topic && $0.publisher == "A" } }
        let ledger = try Self.afterPowerLoss(bench.disk.disk, "A")
        #expect(ledger.isDone(5, of: StreamID(publisher: "There", topic: CoreBench.work)))
    }

    @Test func `who has no recipient hears that it was accepted when it is on the disk`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        let position = bench.emit("A", .machine, to: [])
        await bench.endpoint.secure("A")
        #expect(try Self.afterPowerLoss(bench.disk.disk, "A").position > position)
    }

    @Test func `a disk that cannot sync ends the process, and nothing that was not synced has left`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        bench.disk.disk.fail(next: .sync, .fail(5))
        bench.emit("A", .machine)
        try await bench.broken.wait(for: "the end of the process") { !$0.isEmpty }
        #expect(bench.broken.value.first?.module == "A" && bench.broken.value.first?.isTemporary == false)
        #expect(bench.broken.value.first?.description.contains("/A/") == true)
        #expect(bench.transport.sent.value.effects(of: "A").isEmpty)
    }

    /// The test of tests: at any moment the power goes; whatever has left the process by then is in the journal.
    @Test(arguments: 0..<40) func `power loss takes nothing that anybody has heard of`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let bench = try Bench()
        // Segments begin, syncs overlap with appends, and other modules speak in between.
        var machine: Set<UInt64> = []
        let wanted = 20 + Int(random.next() % 200)
        for _ in 0..<wanted {
            let isMachine = random.next() % 3 == 0
            let position = bench.emit("A", isMachine ? .machine : .process)
            if isMachine { machine.insert(position) }
            if random.next() % 4 == 0 { bench.emit("B", random.next() % 2 == 0 ? .machine : .process) }
            if random.next() % 8 == 0 { await Task.yield() }
        }
        let least = 1 + Int(random.next() % UInt64(wanted))
        try await bench.transport.sent.wait(for: "\(least) effects") { $0.effects(of: "A").count >= least }
        // The effects that have left are read before the power goes, as whoever has heard them would remember.
        let heard = Set(bench.transport.sent.value.effects(of: "A")).intersection(machine)
        let snapshot = bench.disk.disk.survivors(keeps: { random.next() % 2 == 0 })
        bench.stop()
        let journals = ModuleJournals(environment: Self.environment(snapshot, Self.boots.1))
        let ledger = try journals.open("A", at: "/A", epoch: Epoch(2)).ledger
        let kept = Set((ledger.streams[CoreBench.work]?.pending ?? []).map(\.position))
        #expect(heard.subtracting(kept).isEmpty, "seed \(seed)")
        #expect(!heard.isEmpty || machine.isEmpty || least < wanted, "seed \(seed) has shown nothing")
    }

    @Test(arguments: 0..<20) func `neighbours never know more of each other than the disk does`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let bench = try Bench()
        var said: [UInt64] = []
        for _ in 0..<(10 + Int(random.next() % 40)) {
            let position = bench.emit("A", .machine, to: ["B"])
            said.append(position)
            bench.settle(position, of: "A", by: "B", .machine)
            if random.next() % 4 == 0 { await Task.yield() }
        }
        let least = 1 + Int(random.next() % UInt64(said.count))
        try await bench.transport.sent.wait(for: "\(least) effects") { $0.effects(of: "A").count >= least }
        let snapshot = bench.disk.disk.survivors(keeps: { random.next() % 2 == 0 })
        bench.stop()
        let journals = ModuleJournals(environment: Self.environment(snapshot, Self.boots.1))
        let publisher = try journals.open("A", at: "/A", epoch: Epoch(2)).ledger
        let recipient = try journals.open("B", at: "/B", epoch: Epoch(2)).ledger
        let stream = StreamID(publisher: "A", topic: CoreBench.work)
        let settled = said.filter { recipient.isDone($0, of: stream) }
        #expect((publisher.books[CoreBench.work]?["B"]?.succeeded ?? 0) <= UInt64(settled.count), "seed \(seed)")
    }
}
