import Dispatch
@testable import Relux
import ReluxTestKit
import Synchronization
import Testing

/// A handler that has not reached its saga is not overtaken, however long that takes: a thread that stands still, an actor that is busy.
@Suite(.timeLimit(.minutes(1))) struct StartOrderTests {
    /// Keeps what is to run on it until it is let go, then runs the latest first.
    private final class HeldExecutor: SerialExecutor {
        private struct State {
            var jobs: [UnownedJob] = []
            var isHeld = true
        }
        private let state = Mutex(State())

        var count: Int { state.withLock { $0.jobs.count } }
        let hasWork = Signal("the first handler's job")

        private let queue = DispatchQueue(label: "held")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            state.withLock { state in
                guard state.isHeld else { return queue.async { [self] in run(job) } }
                state.jobs.append(job)
                // In here: once the job has run nobody keeps the executor.
                hasWork.fire()
            }
        }

        func letGo() {
            state.withLock { state in
                for job in state.jobs.reversed() { queue.async { [self] in run(job) } }
                state = State(isHeld: false)
            }
        }

        private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private actor Noting: Relux.Saga {
        let executor = HeldExecutor()
        private(set) var seen: [Int] = []
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func apply(_ effect: any Relux.Effect) async {
            if case .number(let number)? = effect as? Work { seen.append(number) }
        }
    }

    @Test func `effects reach a saga whose actor is slow in the order in which they were said`() async throws {
        let test = TestNode()
        let saga = Noting()
        await test.relux.register([Plain("M", sagas: [saga])])
        let results = Recorder<Relux.ActionResult>()
        for number in 1...8 { await test.dispatcher.accept(Work.number(number)) { results.record($0) } }
        try await saga.executor.hasWork.wait()
        let exchange = test.relux.exchange
        while exchange.state.withLock({ $0.parties.read("M") { $0.queue.count } }) != 7 {
            try Task.checkCancellation()
            await Task.yield()
        }
        // Looked at an hour later it is not overtaken either.
        let late = exchange.state.withLock { $0.overruns(now: .seconds(3600), limit: Relux.Exchange.overrunLimit) }
        #expect(late.kicks.isEmpty)
        #expect(saga.executor.count == 1)
        saga.executor.letGo()
        #expect(try await results.wait(count: 8).allSatisfy(\.isSuccess))
        #expect(await saga.seen == Array(1...8))
    }

    /// Begins at once, and awaits another module if it is told to.
    private actor Quick: Relux.Saga {
        let awaits: Bool
        private(set) var seen: [Int] = []
        init(awaits: Bool) { self.awaits = awaits }

        func apply(_ effect: any Relux.Effect) async {
            guard case .number(let number)? = effect as? Work else { return }
            seen.append(number)
            if awaits { await actions { Reply.ping(number) } }
        }
    }

    /// Answers the one that awaits when the test lets it.
    private actor Answering: Relux.Saga {
        let gate = Gate()
        nonisolated func takes(_ effect: any Relux.Effect) -> Bool { effect is Reply }
        func apply(_ effect: any Relux.Effect) async { await gate.pass() }
    }

    @Test(arguments: [false, true])
    func `effects reach each of several sagas in the order in which they were said, though one begins at once`(awaits: Bool) async throws {
        let test = TestNode()
        let (quick, slow) = (Quick(awaits: awaits), Noting())
        let other = Answering()
        await test.relux.register([Plain("M", sagas: [quick, slow]), Plain("Other", sagas: [other])])
        let results = Recorder<Relux.ActionResult>()
        for number in 1...8 { await test.dispatcher.accept(Work.number(number)) { results.record($0) } }
        try await slow.executor.hasWork.wait()
        while await quick.seen.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        if awaits { try await other.gate.waitForArrivals(1) }
        let exchange = test.relux.exchange
        // Only of that module: the other one is handed the same effects, and may be through with some of them.
        let isOvertaken = exchange.state.withLock { state in
            state.parties.update("M") { $0.overrun(now: .seconds(3600), limit: Relux.Exchange.overrunLimit) }
        }
        #expect(isOvertaken == false)
        #expect(exchange.state.withLock { $0.parties.read("M") { $0.runs.count } } == 1)
        slow.executor.letGo()
        other.gate.open()
        #expect(try await results.wait(count: 8).allSatisfy(\.isSuccess))
        #expect(await slow.seen == Array(1...8))
        #expect(await quick.seen == Array(1...8))
    }
}
