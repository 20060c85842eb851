import Relux
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

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isHeld = state.withLock { state in
                if state.isHeld { state.jobs.append(job) }
                return state.isHeld
            }
            if !isHeld { run(job) }
        }

        func letGo() {
            let jobs = state.withLock { state in
                defer { state = State(isHeld: false) }
                return state.jobs
            }
            for job in jobs.reversed() { run(job) }
        }

        private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private actor Recorder: Relux.Saga {
        let executor = HeldExecutor()
        private(set) var seen: [Int] = []
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func apply(_ effect: any Relux.Effect) async {
            if case .number(let number)? = effect as? Work { seen.append(number) }
        }
    }

    @Test func `effects reach a saga whose actor is slow in the order in which they were said`() async throws {
        let test = TestNode()
        let saga = Recorder()
        await test.relux.register([Plain("M", sagas: [saga])])
        async let answer = test.dispatcher.actions(.concurrently) { for number in 1...8 { Work.number(number) } }
        while saga.executor.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // Time enough to be overtaken, were that allowed.
        for _ in 0..<50 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(saga.executor.count == 1)
        saga.executor.letGo()
        #expect(await answer.isSuccess)
        #expect(await saga.seen == Array(1...8))
    }
}
