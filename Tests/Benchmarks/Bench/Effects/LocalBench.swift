import Relux
import ReluxLedger

/// The cost of an awaited dispatch when nothing leaves the process.
enum LocalBench {
    static func run(_ count: Int) async throws {
        let maker = try EffectMaker()
        let node = Relux(name: "Bench")
        await node.register([BenchModule(moduleID: "Local", states: [CountState()], sagas: [SinkFlow(expecting: 0)])])
        let dispatcher = node.dispatcher
        await measure("relux.local.action", count) { number in
            await dispatcher.action { Bench.Business.Action.counted(number) }
        }
        await measure("relux.local.effect", count) { number in
            let effect = maker.effect(number)
            return await dispatcher.action { effect }
        }
        // With a bus below it an effect is also coded, numbered for its stream, published and settled there; with a journal it is kept, too.
        try await onBus("relux.local.bus-effect", journals: nil, maker, count)
        try await durable(count)
    }

    static func durable(_ count: Int) async throws {
        try await onBus("relux.local.durable-effect", journals: .live(), EffectMaker(), count)
    }

    private static func onBus(_ name: String, journals: ModuleJournals?, _ maker: EffectMaker, _ count: Int) async throws {
        let directory = try SocketDirectory()
        let bus = try BusNode(BusNode.sink, in: directory.path, flow: SinkFlow(expecting: 0), journals: journals)
        await bus.measureOwn(name, maker, count)
        bus.stop()
    }

    static func measure(_ name: String, _ count: Int, _ body: (UInt64) async -> Relux.ActionResult) async {
        for number in 0..<UInt64(min(count, 10_000)) { _ = await body(number) }
        var times: [Duration] = []
        times.reserveCapacity(count)
        var failed = 0
        let (start, cpu) = (Monotonic.now(), Monotonic.cpu())
        for number in 0..<UInt64(count) {
            let before = Monotonic.now()
            if await body(number).isFailure { failed += 1 }
            times.append(Monotonic.now() - before)
        }
        let (took, used) = (Monotonic.now() - start, Monotonic.cpu() - cpu)
        var line = Line(name)
        line.add("count", count)
        line.add("failed", failed)
        line.add("mean_us", took.microseconds / Double(count))
        line.add("cpu_us", used.microseconds / Double(count))
        line.add(Percentiles(times))
        line.printed()
    }
}

extension BusNode {
    /// Awaits effects of the module's own topic, which it handles itself.
    fileprivate func measureOwn(_ name: String, _ maker: EffectMaker, _ count: Int) async {
        let dispatcher = node.dispatcher
        await LocalBench.measure(BenchCoding.named(name), count) { number in
            let effect = maker.effect(number)
            return await dispatcher.action { effect }
        }
    }
}
