import Glibc
import Relux
import ReluxBus
import ReluxSystem
import Synchronization

/// The memory that a process needs for effects that nobody has settled: a recipient elsewhere hears none of them.
enum UnsettledBench {
    static func run(_ count: Int) async throws {
        let directory = try SocketDirectory()
        let carrier = DeafCarrier()
        let source = try BusNode(BusNode.source, in: directory.path, flow: nil, journals: .live(), carrier: carrier)
        let maker = try EffectMaker()
        // Memory that a first lot needs once is no part of it.
        say(0..<FixedBench.lot * 16, maker, source, carrier)
        FreeMemory.giveBack()
        let (before, first) = (try HostsBench.proportionalKilobytes(getpid()), carrier.byteCount)
        say(FixedBench.lot * 16..<FixedBench.lot * 16 + count, maker, source, carrier)
        // Tables that were outgrown are free, and not yet the system's.
        FreeMemory.giveBack()
        let grown = (try HostsBench.proportionalKilobytes(getpid()) - before) * 1024
        let said = (carrier.byteCount - first) / count
        var line = Line("relux.unsettled")
        line.add("count", count)
        line.add("payload_bytes", Bench.Business.Effect.payloadByteCount)
        line.add("frame_bytes", said)
        line.add("memory_bytes", grown / count)
        line.add("memory_bytes_beside_record", grown / count - said)
        line.printed()
        source.stop()
    }

    private static func say(_ numbers: Range<Int>, _ maker: EffectMaker, _ source: BusNode, _ carrier: DeafCarrier) {
        let dispatcher = source.node.dispatcher
        for number in numbers {
            let effect = maker.effect(UInt64(number))
            dispatcher.performAsync(actions: { effect })
            if (number + 1) % FixedBench.lot == 0 { carrier.work() }
        }
        carrier.work()
    }
}

/// Carries nothing anywhere.
private final class DeafCarrier: BusTransport {
    private let client = Mutex<(any BusTransportClient)?>(nil)
    private let bytes = Atomic(0)
    /// The bytes of the frames with what was said.
    var byteCount: Int { bytes.load(ordering: .relaxed) }

    func start(serving endpoint: any BusTransportClient) { client.withLock { $0 = endpoint } }
    func wake() {}
    func connect(_ endpoint: String) {}
    func disconnect(_ endpoint: String) {}
    func subscribe(_ prefix: [UInt8]) {}
    func unsubscribe(_ prefix: [UInt8]) {}
    func stop() { client.withLock { $0 = nil } }

    /// All that was said is written down, and its frames are dropped.
    func work() {
        guard let client = client.withLock({ $0 }) else { return }
        while true {
            let outgoing = client.pull()
            for message in outgoing.messages where !message.isHint { bytes.add(message.bytes.count, ordering: .relaxed) }
            if outgoing.isIdle { return }
        }
    }
}
