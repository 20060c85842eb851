import Relux
import ReluxBus
import ReluxControl
import Synchronization

/// Effects of durability `process` from one process to others, nobody waiting for each of them; a bounded number is in flight.
enum OneWayBench {
    /// How many may be unsettled at once, as a source that minds its memory would have it.
    static let window = 8192

    /// - Parameter sinkCount: processes that each get every effect.
    static func run(_ count: Int, sinkCount: Int) async throws {
        let directory = try SocketDirectory()
        let peers = try (0..<sinkCount).map { try Peer(["sink", directory.path, "\($0)", "\(sinkCount)", "\(count)"]) }
        let source = try BusNode(BusNode.source, in: directory.path, flow: nil, journals: .live(), sinkCount: sinkCount)
        try source.joined()
        let maker = try EffectMaker()
        let gate = Gate(limit: window)
        let dispatcher = source.node.dispatcher
        let (start, cpu) = (Monotonic.now(), Monotonic.cpu())
        for number in 0..<UInt64(count) {
            await gate.enter()
            let effect = maker.effect(number)
            dispatcher.performAsync(actions: { effect }, completion: { gate.leave(failed: $0.isFailure) })
        }
        let failed = await gate.empty()
        let (took, used) = (Monotonic.now() - start, Monotonic.cpu() - cpu)
        let counters = source.endpoint.counters
        var line = Line(name(of: "relux.oneway", sinkCount))
        line.add("payload_bytes", Bench.Business.Effect.payloadByteCount)
        line.add("variants", Bench.Business.Effect.caseCount)
        line.add("count", count)
        line.add("recipients", sinkCount)
        line.add("unsettled_limit", window)
        // Settled by the other side is received by it: the sink settles nothing that it has not handled.
        line.add("lost", failed)
        line.add("seconds", took.inSeconds)
        line.add("rate", Double(count - failed) / took.inSeconds)
        line.add("cpu_us_sender", used.microseconds / Double(count))
        line.add("gaps_of_settlements", counters.gaps)
        line.printed()
        source.stop()
        for peer in peers { try peer.end() }
    }

    /// Another process.
    static func sink(_ index: Int, of sinkCount: Int, _ directory: String, _ count: Int) async throws {
        let flow = SinkFlow(expecting: count)
        let sink = try BusNode(BusNode.sinks[index], in: directory, flow: flow, journals: .live(), sinkCount: sinkCount)
        let cpu = Monotonic.cpu()
        try sink.joined()
        Peer.untilParentEnds()
        var line = Line(name(of: "relux.oneway.receiver", sinkCount))
        let received = await flow.received
        line.add("received", received)
        line.add("lost", count - received)
        line.add("repeated", await flow.repeated)
        line.add("gaps", sink.endpoint.counters.gaps)
        line.add("repaired", sink.endpoint.counters.repaired)
        line.add("cpu_us_receiver", (Monotonic.cpu() - cpu).microseconds / Double(max(1, count)))
        line.printed()
        sink.stop()
    }

    private static func name(of benchmark: String, _ sinkCount: Int) -> String {
        BenchCoding.named(sinkCount == 1 ? benchmark : "\(benchmark).\(sinkCount)")
    }
}

/// Lets a bounded number in at a time.
final class Gate: Sendable {
    private struct State {
        var inside = 0
        var failed = 0
        var waiter: UnsafeContinuation<Void, Never>?
        var emptied: UnsafeContinuation<Int, Never>?
    }
    // Unchecked continuations: what is measured is not the gate.
    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// One caller only.
    func enter() async {
        let isFull = state.withLock { state in
            state.inside += 1
            return state.inside > limit
        }
        guard isFull else { return }
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let hasRoom = state.withLock { state in
                if state.inside <= limit { return true }
                state.waiter = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    func leave(failed: Bool) {
        let (waiter, emptied, count) = state.withLock { state in
            state.inside -= 1
            if failed { state.failed += 1 }
            // Half of the room at once, so that the one who waits is not woken for each.
            var waiter: UnsafeContinuation<Void, Never>?
            if state.inside <= limit / 2 { swap(&waiter, &state.waiter) }
            var emptied: UnsafeContinuation<Int, Never>?
            if state.inside == 0 { swap(&emptied, &state.emptied) }
            return (waiter, emptied, state.failed)
        }
        waiter?.resume()
        emptied?.resume(returning: count)
    }

    /// How many had failed when the last had left.
    func empty() async -> Int {
        await withUnsafeContinuation { continuation in
            let failed: Int? = state.withLock { state in
                if state.inside == 0 { return state.failed }
                state.emptied = continuation
                return nil
            }
            if let failed { continuation.resume(returning: failed) }
        }
    }
}
