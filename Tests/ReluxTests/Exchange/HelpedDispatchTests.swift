import Glibc
import Testing

@testable import Relux

/// The side that handles an effect which somebody waits for: the one who waits, or others.
@Suite struct HelpedDispatchTests {
    enum Work: Relux.Effect {
        case run(Int)
        case forward(Int)
    }

    /// Notes whether it is run by somebody who waits.
    private actor Worker: Relux.Flow {
        private(set) var helped: [Bool] = []
        private let microseconds: UInt32

        init(blockingFor microseconds: UInt32 = 0) { self.microseconds = microseconds }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            if microseconds > 0 { usleep(microseconds) }
            helped.append(Relux.ThreadRunner.helps)
            if case Work.forward(let number) = effect { return await actions { Work.run(number) } }
            return .success
        }
    }

    private struct Module: Relux.Module {
        var moduleID: ModuleID = "Worker"
        var states: [any Relux.AnyState] = []
        var sagas: [any Relux.Saga]
    }

    /// How many of these effects, one after the other, were handled by who waited for them.
    private static func countHelped(_ worker: Worker, of count: Int) async -> Int {
        let node = Relux(name: "Helped")
        await node.register([Module(sagas: [worker])])
        for number in 0..<count { #expect(await node.dispatcher.action { Work.run(number) }.isSuccess) }
        let helped = await worker.helped
        #expect(helped.count == count)
        return helped.count { $0 }
    }

    @Test func `who waits for a quick handler runs it`() async {
        // The first ones show that it is quick.
        #expect(await Task.detached { await Self.countHelped(Worker(), of: 400) }.value > 0)
    }

    @Test func `a handler that keeps its thread is left to others`() async {
        #expect(await Task.detached { await Self.countHelped(Worker(blockingFor: 1500), of: 40) }.value == 0)
    }

    @Test func `an actor does not help`() async {
        actor Caller {
            func count() async -> Int { await HelpedDispatchTests.countHelped(isolated: self) }
        }
        #expect(await Caller().count() == 0)
    }

    /// The same from an actor.
    private static func countHelped(isolated caller: isolated any Actor) async -> Int {
        let (node, worker) = (Relux(name: "Helped"), Worker())
        await node.register([Module(sagas: [worker])])
        for number in 0..<100 { #expect(await node.dispatcher.action { Work.run(number) }.isSuccess) }
        return await worker.helped.count { $0 }
    }

    @Test func `a handler that waits for another effect is helped like any other`() async {
        let node = Relux(name: "Helped")
        let worker = Worker()
        await node.register([Module(sagas: [worker])])
        await Task.detached {
            for number in 0..<100 { #expect(await node.dispatcher.action { Work.forward(number) }.isSuccess) }
        }.value
        let helped = await worker.helped
        #expect(helped.count == 200)
        // Those too that a handler has dispatched, which keeps its actor: whoever waits for that one runs them.
        #expect(helped.contains(true))
    }

    /// Is given the next effect for as long as nobody stops it: by somebody else, for a chain of causes would end.
    private actor Feeder: Relux.Flow {
        private let source: Relux.Dispatcher
        private var isStopped = false
        private(set) var count = 0

        init(of node: Relux) { source = node.dispatcher }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            count += 1
            if case Work.forward(let number) = effect, !isStopped {
                source.performAsync(actions: { Work.forward(number + 1) })
            }
            return .success
        }
        func stop() { isStopped = true }
    }

    @Test(.timeLimit(.minutes(1)))
    func `who helps is let go although more and more comes for the module`() async {
        let node = Relux(name: "Helped")
        let feeder = Feeder(of: node)
        await node.register([Module(sagas: [feeder])])
        await Task.detached {
            for number in 0..<50 { #expect(await node.dispatcher.action { Work.run(number) }.isSuccess) }
            // From here on the queue is never empty.
            for round in 0..<20 {
                #expect(await node.dispatcher.action { Work.forward(round) }.isSuccess)
                #expect(await node.dispatcher.action { Work.run(round) }.isSuccess)
            }
        }.value
        await feeder.stop()
        #expect(await feeder.count >= 90)
    }

    @Test func `a module's handlers are known to be quick by their last ones`() {
        let quickness = Relux.Quickness()
        #expect(!quickness.isQuick)
        for _ in 0..<16 { quickness.note(.microseconds(20)) }
        #expect(quickness.isQuick)
        quickness.note(.milliseconds(2))
        #expect(!quickness.isQuick)
        for _ in 0..<40 { quickness.note(.microseconds(20)) }
        // A handler that took a little longer changes nothing yet.
        quickness.note(.microseconds(300))
        #expect(quickness.isQuick)
    }
}
