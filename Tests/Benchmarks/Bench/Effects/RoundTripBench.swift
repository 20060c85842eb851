import Relux

/// `await actions { effect }` whose one recipient runs in another process.
enum RoundTripBench {
    static let warmUp = 1000

    static func run(_ count: Int) async throws {
        let directory = try SocketDirectory()
        let peer = try Peer(["echo", directory.path])
        let source = try BusNode(BusNode.source, in: directory.path, flow: nil)
        try source.joined()
        let maker = try EffectMaker()
        let dispatcher = source.node.dispatcher
        var times: [Duration] = []
        times.reserveCapacity(count)
        var lost = 0
        var start = Monotonic.now()
        for number in 0..<UInt64(warmUp + count) {
            if number == warmUp { start = Monotonic.now() }
            let effect = maker.effect(number)
            let before = Monotonic.now()
            let result = await dispatcher.actions { effect }
            let took = Monotonic.now() - before
            if result.isFailure { lost += 1 } else if number >= warmUp { times.append(took) }
        }
        let took = Monotonic.now() - start
        var line = Line("relux.roundtrip")
        line.add("payload_bytes", Bench.Business.Effect.payloadByteCount)
        line.add("variants", Bench.Business.Effect.caseCount)
        line.add("count", count)
        line.add("lost", lost)
        line.add("seconds", took.inSeconds)
        line.add("rate", Double(times.count) / took.inSeconds)
        line.add(Percentiles(times))
        line.printed()
        source.stop()
        try peer.end()
    }

    /// The second process.
    static func echo(_ directory: String) async throws {
        let sink = try BusNode(BusNode.sink, in: directory, flow: SinkFlow(expecting: 0))
        try sink.joined()
        Peer.untilParentEnds()
        sink.stop()
    }
}
