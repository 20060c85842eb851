import BusProbeKit
import Glibc
import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
import SoakKit
import Synchronization
import Testing

/// Hosts that run for weeks, say a hundred thousand effects and hand their modules over a thousand times.
@Suite(.serialized, .timeLimit(.minutes(60))) struct HostSoakTests {
    private func play(
        _ unit: String, _ count: Int, warmUp: Int, heapSlack: Int = 96 << 10, fileSlack: Int = 4 << 20, _ step: (SoakCluster, Int) async throws -> Void
    ) async throws -> (grown: [String], summary: String) {
        let cluster = try await SoakCluster()
        var soak = Soak(unit, clock: .process, folder: cluster.run.path, slack: 512, heapSlack: heapSlack, fileSlack: fileSlack)
        do {
            try await soak.play(count, warmUp: warmUp, census: { await cluster.census() }, step: { try await step(cluster, $0) })
        } catch {
            try? await cluster.stop()
            throw error
        }
        try await cluster.stop()
        return (soak.complaints, soak.summary)
    }

    @Test func `two hosts that are left alone cost at the end of thirty days what they cost on the first`() async throws {
        // A job is made by one thread and ends on another, where libdispatch keeps its 80 bytes for the next one, up to 1,024 of them for each thread: in
        // thirty days these caches fill up, in the short form those of three threads may.
        let caches = (SoakLength.isFull ? 24 : 3) * 1024 * 80
        let (grown, summary) = try await play(
            "tick", SoakLength.of(40_000, full: 26_000_000), warmUp: 10_000, heapSlack: caches
        ) { cluster, _ in await cluster.tick() }
        #expect(grown == [], "\(summary)")
    }

    @Test func `effects of a thousand topics between two hosts cost the same each, and leave nothing behind`() async throws {
        // Each of the two journals begins a segment of sixteen mebibytes now and then, and keeps the one before until it may go.
        let (grown, summary) = try await play(
            "effect", SoakLength.of(6_000, full: 220_000), warmUp: 3_000, fileSlack: SoakLength.isFull ? 36 << 20 : 4 << 20
        ) { cluster, number in
            try await cluster.say(number)
        }
        #expect(grown == [], "\(summary)")
    }

    @Test func `a module that is handed over again and again leaves no file, no entry and no memory behind`() async throws {
        try await HandOverBench.play(Tallying.first) { bench in
            try await bench.standBy("new", Tallying.first)
            let count = SoakLength.of(240, full: 1_200)
            // Answers are acknowledged some times a second: a hundred of them are on their way at any time.
            // Each hand-over has a limit of five seconds, and a limit that was not reached keeps its timer, a kilobyte, until then. That is as much
            // after a thousand of them as after five seconds.
            var soak = Soak("upgrade", clock: nil, folder: bench.run.path, slack: 8192, heapSlack: 768 << 10)
            // Until there are as many segments as a journal keeps.
            try await soak.play(
                count, warmUp: 160,
                census: {
                    var cores: [String: Any] = [:]
                    for host in ["old", "new"] as [HostID] {
                        if let runtime = bench.runtime(of: host) { cores[host.rawValue] = runtime.endpoint.endpoint.withLock { $0.core } }
                    }
                    cores["buyer"] = bench.buyer.endpoint.endpoint.withLock { $0.core }
                    return Census(cores)
                },
                step: { number in
                    let (from, to): (HostID, HostID) = number % 2 == 0 ? ("old", "new") : ("new", "old")
                    bench.forgetWhatWasSaid()
                    try await bench.handOver(from: from)
                    try await bench.serve(at: to)
                    try await bench.open("Shop", at: to)
                    _ = try await bench.buy(1)
                })
            #expect(soak.complaints == [], "\(soak.summary)")
        }
    }

    /// The stack first: what a deep closure has touched of it stays.
    enum Leak: CaseIterable { case stack, closure, table, descriptor, file, thread }

    /// The complaint of the soak about a leak of each kind.
    private static let words: [Leak: String] = [
        .closure: "a tick costs", .table: "bytes of memory more", .descriptor: "descriptors instead of", .file: "files instead of",
        .thread: "threads instead of", .stack: "bytes of stack instead of",
    ]

    /// Processor time is the one figure that is no count: another guest of the machine may hide what has grown, and hides it not each time.
    private static func attempts(_ leak: Leak) -> Int { leak == .closure ? 5 : 1 }

    @Test(arguments: Leak.allCases) func `the soak finds what leaks on purpose`(_ leak: Leak) async throws {
        var found: [String] = []
        for _ in 0..<Self.attempts(leak) {
            let (grown, summary) = try await played(with: leak)
            if grown.contains(where: { $0.contains(Self.words[leak] ?? "nothing") }) { return }
            found.append("\(grown) \(summary)")
        }
        Issue.record("\(leak): \(found)")
    }

    private func played(with leak: Leak) async throws -> (grown: [String], summary: String) {
        // lint:allow state.closure: the fault itself, which the soak has to find
        let closure = UnsafeMutablePointer<() -> Void>.allocate(capacity: 1)
        closure.initialize(to: {})
        var table: [Int: [UInt8]] = [:]
        var (descriptors, threads): ([Int32], [pthread_t]) = ([], [])
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        func touch(_ body: inout () -> Void) { body() }
        func sink(_ depth: Int) -> Int { depth == 0 ? 0 : withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { $0.count - 255 + sink(depth - 1) } }
        let (grown, summary) = try await play("tick", 3_000, warmUp: 500) { cluster, number in
            await cluster.tick()
            switch leak {
            // Twice, so that the growth is well above the quarter that counts.
            case .closure:
                touch(&closure.pointee)
                touch(&closure.pointee)
            case .stack: _ = sink(number)
            case .table: table[number] = Array(repeating: 1, count: 1024)
            case .descriptor: if number % 100 == 0 { descriptors.append(dup(0)) }
            case .file: if number % 10 == 0 { close(open(cluster.run.logs + "/\(number)", O_CREAT | O_WRONLY, 0o600)) }
            case .thread:
                guard number % 100 == 0 else { break }
                var thread = pthread_t()
                pthread_create(&thread, nil, { end in
                    var byte: UInt8 = 0
                    _ = read(Int32(Int(bitPattern: end)), &byte, 1)
                    return nil
                }, UnsafeMutableRawPointer(bitPattern: Int(ends[0])))
                threads.append(thread)
            }
        }
        close(ends[1])
        for thread in threads { pthread_join(thread, nil) }
        for descriptor in descriptors + [ends[0]] { close(descriptor) }
        closure.deinitialize(count: 1)
        closure.deallocate()
        extendLifetime(table)
        return (grown, summary)
    }
}
