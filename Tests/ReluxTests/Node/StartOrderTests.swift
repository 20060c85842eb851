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
}
