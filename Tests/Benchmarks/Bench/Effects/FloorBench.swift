import Glibc
import Relux
import ReluxSystem
import ReluxZeroMQ
import Synchronization

/// The least that any implementation of a durable effect does here, and nothing besides: no identity, membership, deadline, repair, tap, book
/// or error. A reference to stand beside, as raw libzmq is one; only that it also calls somebody, and keeps what it says.
///
/// The sender codes the effect, keeps it and sends it. The receiver reads it, calls an actor with it, keeps that it is settled and says so; the
/// sender keeps that it has heard it. Whatever can share a write, a checksum or a message does.
enum FloorBench {
    /// Effects that share one.
    static let batch = 64
    private static let topic = Array("Bench.Business.Effect\0".utf8)

    static func oneWay(_ count: Int) async throws {
        let directory = try SocketDirectory()
        let peer = try Peer(["floor-sink", directory.path, "\(count)"])
        let context = try ZeroMQContext()
        let out = try ZeroMQSocket(.xpub, in: context)
        try out.bind("ipc://\(directory.path)/\(BusNode.source).ipc")
        let heard = Heard()
        let path = directory.path
        let listener = try BlockingThread(name: "floor-in") { heard.listen(in: path, context, for: count) }
        guard try out.receiveBytes(wait: true) != nil else { throw BenchError("nobody subscribed") }
        let file = try FloorFile("\(directory.path)/\(BusNode.source)")
        let maker = try EffectMaker()
        let (start, cpu) = (Monotonic.now(), Monotonic.cpu())
        var sent = 0
        while sent < count {
            while sent - heard.count >= OneWayBench.window { usleep(50) }
            var writer = CBORWriter(reservingCapacity: batch * 192)
            let end = min(count, sent + batch)
            for number in UInt64(sent)..<UInt64(end) {
                FloorHeader(effect: number, party: 1, payloadByteCount: Bench.Business.Effect.payloadByteCount).write(to: &writer)
                try maker.effect(number).encodeCBOR(into: &writer)
            }
            sent = end
            let bytes = writer.bytes
            try file.append(bytes)
            guard try out.send(parts: [topic, bytes], wait: true) else { throw BenchError("no room") }
        }
        listener.join()
        let (took, used) = (Monotonic.now() - start, Monotonic.cpu() - cpu)
        if let failure = heard.failure { throw failure }
        var line = Line("floor.oneway")
        line.add("payload_bytes", Bench.Business.Effect.payloadByteCount)
        line.add("count", count)
        line.add("batch", batch)
        line.add("lost", count - heard.count)
        line.add("seconds", took.inSeconds)
        line.add("rate", Double(heard.count) / took.inSeconds)
        line.add("cpu_us_sender", used.microseconds / Double(count))
        line.printed()
        out.close()
        try peer.end()
        context.terminate()
    }

    /// Another process.
    static func sink(_ directory: String, _ count: Int) async throws {
        let flow = SinkFlow(expecting: count)
        let context = try ZeroMQContext()
        let out = try ZeroMQSocket(.xpub, in: context)
        try out.bind("ipc://\(directory)/\(BusNode.sink).ipc")
        let input = try ZeroMQSocket(.sub, in: context)
        try input.connect("ipc://\(directory)/\(BusNode.source).ipc")
        guard try out.receiveBytes(wait: true) != nil else { throw BenchError("nobody subscribed") }
        try input.subscribe(topic)
        let file = try FloorFile("\(directory)/\(BusNode.sink)")
        let cpu = Monotonic.cpu()
        var received = 0
        while received < count {
            guard let parts = try input.receiveParts(wait: true), parts.count == 2 else { throw BenchError("an odd message") }
            let bytes = parts[1]
            _ = CRC32C.checksum(bytes[...])
            var (place, settled) = (0, [UInt8]())
            settled.reserveCapacity(batch * FloorHeader.byteCount)
            while place < bytes.count {
                let (header, effect) = try bytes.withUnsafeBytes { bytes in
                    let header = FloorHeader(bytes, at: place)
                    place += FloorHeader.byteCount
                    let end = place + Int(header.payloadByteCount)
                    defer { place = end }
                    return (header, try Bench.Business.Effect(decodingCBOR: .init(rebasing: bytes[place..<end]), userInfo: [:]))
                }
                guard await handled(effect, by: flow) else { throw BenchError("effect \(header.effect) failed") }
                FloorHeader(effect: header.effect, party: 2).write(to: &settled)
                received += 1
            }
            try file.append(settled)
            guard try out.send(parts: [topic, settled], wait: true) else { throw BenchError("no room") }
        }
        var line = Line("floor.oneway.receiver")
        line.add("received", await flow.received)
        line.add("cpu_us_receiver", (Monotonic.cpu() - cpu).microseconds / Double(max(1, count)))
        line.printed()
        Peer.untilParentEnds()
        out.close()
        input.close()
        context.terminate()
    }

    /// As a module's saga is: known by its protocol only.
    @inline(never)
    private static func handled(_ effect: any Relux.Effect, by flow: any Relux.Flow) async -> Bool {
        !(await flow.apply(effect)).isFailure
    }

    /// Settlements that came back.
    private final class Heard: Sendable {
        private let number = Atomic<Int>(0)
        private let failed = Mutex<BenchError?>(nil)
        var count: Int { number.load(ordering: .acquiring) }
        var failure: BenchError? { failed.withLock { $0 } }

        func listen(in directory: String, _ context: ZeroMQContext, for count: Int) {
            do {
                let input = try ZeroMQSocket(.sub, in: context)
                try input.subscribe(topic)
                try input.connect("ipc://\(directory)/\(BusNode.sink).ipc")
                let file = try FloorFile("\(directory)/\(BusNode.source).tap")
                while self.count < count {
                    guard let parts = try input.receiveParts(wait: true), parts.count == 2 else { throw BenchError("an odd message") }
                    let bytes = parts[1]
                    _ = CRC32C.checksum(bytes[...])
                    var acknowledged: [UInt8] = []
                    acknowledged.reserveCapacity(bytes.count)
                    bytes.withUnsafeBytes { bytes in
                        for place in stride(from: 0, to: bytes.count, by: FloorHeader.byteCount) {
                            FloorHeader(effect: FloorHeader(bytes, at: place).effect, party: 1).write(to: &acknowledged)
                        }
                    }
                    try file.append(acknowledged)
                    number.add(bytes.count / FloorHeader.byteCount, ordering: .releasing)
                }
            } catch {
                failed.withLock { $0 = BenchError("\(error)") }
                number.store(count, ordering: .releasing)
            }
        }
    }

    // MARK: In process

    /// Awaits one at a time what is coded, kept, read, handled, and kept again.
    static func durable(_ count: Int) async throws {
        let directory = try SocketDirectory()
        let file = try FloorFile("\(directory.path)/\(BusNode.source)")
        let (flow, maker) = (SinkFlow(expecting: 0), try EffectMaker())
        await LocalBench.measure("floor.durable-effect", count) { number in
            do {
                var writer = CBORWriter(reservingCapacity: 192)
                FloorHeader(effect: number, party: 1, payloadByteCount: Bench.Business.Effect.payloadByteCount).write(to: &writer)
                try maker.effect(number).encodeCBOR(into: &writer)
                let bytes = writer.bytes
                try file.append(bytes)
                let effect = try bytes.withUnsafeBytes {
                    try Bench.Business.Effect(decodingCBOR: .init(rebasing: $0[FloorHeader.byteCount...]), userInfo: [:])
                }
                let result = await flow.apply(effect)
                var settled: [UInt8] = []
                FloorHeader(effect: number, party: 2).write(to: &settled)
                try file.append(settled)
                return result
            } catch {
                return .failure(error)
            }
        }
    }
}
