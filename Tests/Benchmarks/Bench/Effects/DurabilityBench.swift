import Glibc
import Relux
import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxLedger

/// The cost of journals: the same effects to a second process, per durability; reading a journal; repairing a lost tail.
enum DurabilityBench {
    private static let site = Relux.Site(file: "bench", line: 0, function: "")

    static func run(_ count: Int) async throws {
        for durability in Relux.Durability.allCases { try await oneWay(durability, count) }
        for durability in Relux.Durability.allCases { try await awaited(durability, max(1, count / 200)) }
        try await replay(count)
        try await repair(2000)
    }

    private static func journals(_ disk: CountingDisk) throws -> ModuleJournals {
        var environment = try JournalEnvironment.live()
        environment.files = disk
        return ModuleJournals(environment: environment, options: .serving)
    }

    /// Effects that are coded already, a bounded number unsettled at a time: the journals are what differs.
    static func oneWay(_ durability: Relux.Durability, _ count: Int) async throws {
        let directory = try SocketDirectory()
        let peer = try Peer(["keeper", directory.path])
        let disk = CountingDisk()
        let source = try BusNode(BusNode.source, in: directory.path, flow: nil, journals: try journals(disk))
        try source.joined()
        let payloads = try Self.payloads()
        let gate = Gate(limit: OneWayBench.window)
        let node = source.node
        let (start, cpu, syncs) = (Monotonic.now(), Monotonic.cpu(), disk.syncs)
        for number in 0..<count {
            await gate.enter()
            let payload = payloads[number % payloads.count]
            Task { gate.leave(failed: await say(payload, durability, node).isFailure) }
        }
        let failed = await gate.empty()
        let (took, used) = (Monotonic.now() - start, Monotonic.cpu() - cpu)
        var line = Line("relux.durability.\(durability.rawValue)")
        line.add("payload_bytes", Bench.Business.Effect.payloadByteCount)
        line.add("count", count)
        line.add("unsettled_limit", OneWayBench.window)
        line.add("lost", failed)
        line.add("seconds", took.inSeconds)
        line.add("rate", Double(count - failed) / took.inSeconds)
        line.add("cpu_us_sender", used.microseconds / Double(count))
        line.add("fdatasyncs", disk.syncs - syncs)
        line.add("fdatasyncs_per_second", Double(disk.syncs - syncs) / took.inSeconds)
        line.printed()
        source.stop()
        try peer.end()
    }

    private static func awaited(_ durability: Relux.Durability, _ count: Int) async throws {
        let directory = try SocketDirectory()
        let peer = try Peer(["keeper", directory.path])
        let disk = CountingDisk()
        let source = try BusNode(BusNode.source, in: directory.path, flow: nil, journals: try journals(disk))
        try source.joined()
        let payloads = try Self.payloads()
        var times: [Duration] = []
        var failed = 0
        for number in 0..<count {
            let before = Monotonic.now()
            if await say(payloads[number % payloads.count], durability, source.node).isFailure { failed += 1 }
            times.append(Monotonic.now() - before)
        }
        var line = Line("relux.durability.\(durability.rawValue).awaited")
        line.add("count", count)
        line.add("lost", failed)
        line.add(Percentiles(times))
        line.printed()
        source.stop()
        try peer.end()
    }

    private static func say(_ payload: [UInt8], _ durability: Relux.Durability, _ node: Relux) async -> Relux.ActionResult {
        await node.dispatchEncoded(
            payload, on: Bench.Business.Effect.wireTopic, durability: durability, deadline: .seconds(600), label: "", site: site
        ).result
    }

    private static func payloads() throws -> [[UInt8]] {
        let maker = try EffectMaker()
        return try (0..<Bench.Business.Effect.caseCount).map { try CBOR.encode(maker.effect($0)) }
    }

    // MARK: Reading

    /// The reading that a module's next life does when the last one has left no checkpoint: the worst case.
    private static func replay(_ count: Int) async throws {
        let directory = try SocketDirectory()
        let module = BusNode.source
        let environment = try JournalEnvironment.live()
        let place = "\(directory.path)/\(module)"
        let payloads = try Self.payloads()
        let topic = Bench.Business.Effect.wireTopic
        let journals = ModuleJournals(environment: environment, options: .serving)
        _ = try journals.open(module, at: place, epoch: Epoch(1))
        let start = Epoch(1).start
        var written = 0
        while written < count {
            var batch: [(topic: Topic, record: WireRecord)] = []
            for number in written..<min(count, written + 256) {
                let place = start + UInt64(number) + 1
                let record = EffectRecord(
                    position: place, sequence: place, caseName: "saved", memberVersion: 1, payload: payloads[number % payloads.count][...])
                batch.append((topic, .effect(record)))
            }
            written += batch.count
            var parts = try JournalPart.parts(of: module, batch)
            try journals.append(&parts, ledgers: [:])
        }
        journals.closeAll()
        let before = Monotonic.now()
        let ledger = try LedgerReader(directory: place, module: module, environment: environment).ledger()
        let took = Monotonic.now() - before
        let listing = try JournalListing.all(in: directory.path, environment: environment)
        let bytes = listing.reduce(0) { $0 + $1.allocated }
        guard ledger.position == start + UInt64(count) else { throw BenchError("the journal has lost its end") }
        var line = Line("relux.replay")
        line.add("records", count)
        line.add("bytes", bytes)
        line.add("seconds", took.inSeconds)
        line.add("rate", Double(count) / took.inSeconds)
        line.add("mebibytes_per_second", Double(bytes) / 1_048_576 / took.inSeconds)
        line.printed()
    }

    // MARK: Repair

    /// The recipient stands still while more is said than its queue takes; from the moment it goes on to the last settlement.
    private static func repair(_ count: Int) async throws {
        let directory = try SocketDirectory()
        let peer = try Peer(["mender", directory.path])
        let source = try BusNode(
            BusNode.source, in: directory.path, flow: nil, journals: try journals(CountingDisk()), queuedFrameLimit: 2)
        try source.joined()
        let payloads = try Self.payloads()
        let node = source.node
        guard await !say(payloads[0], .process, node).isFailure else { throw BenchError("the peer does not answer") }
        peer.signal(SIGSTOP)
        let gate = Gate(limit: count + 1)
        // Each in a frame of its own, as far as the sender lets it: the queue and the kernel's buffer take what they can.
        let padding = payloads.map { $0 }
        for number in 0..<count {
            await gate.enter()
            let payload = padding[number % padding.count]
            Task { gate.leave(failed: await say(payload, .process, node).isFailure) }
            if number % 8 == 0 { usleep(500) }
        }
        // The last of them has been said, and dropped.
        usleep(500_000)
        let before = Monotonic.now()
        peer.signal(SIGCONT)
        let failed = await gate.empty()
        let took = Monotonic.now() - before
        var line = Line("relux.repair")
        line.add("count", count)
        line.add("lost", failed)
        line.add("milliseconds", took / .milliseconds(1))
        line.printed()
        source.stop()
        try peer.end()
    }

    /// The second process; it says how much of what it handled came by repair.
    /// - Parameter repairs: whether it is there for that.
    /// - Throws: when it is, and all came without: what was measured then is no repair.
    static func keeper(_ directory: String, repairs: Bool) async throws {
        let sink = try BusNode(
            BusNode.sink, in: directory, flow: SinkFlow(expecting: 0), journals: try journals(CountingDisk()))
        try sink.joined()
        Peer.untilParentEnds()
        let counters = sink.endpoint.counters
        if repairs || counters.repaired > 0 {
            var line = Line("relux.repair.receiver")
            line.add("gaps", counters.gaps)
            line.add("repaired", counters.repaired)
            line.printed()
        }
        sink.stop()
        guard !repairs || counters.repaired > 0 else { throw BenchError("nothing was repaired: the queues have taken all that was said") }
    }
}
