import Glibc
import Synchronization
import Testing

@testable import Relux

@Suite struct HandlerPoolTests {
    enum Job: Relux.Effect {
        case run(Int)
    }

    /// Notes on which thread it is run.
    private actor Noting: Relux.Flow {
        private(set) var threads: [pthread_t] = []
        private let microseconds: UInt32

        init(blockingFor microseconds: UInt32 = 0) { self.microseconds = microseconds }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            if microseconds > 0 { usleep(microseconds) }
            threads.append(pthread_self())
            return .success
        }
    }

    private struct Module: Relux.Module {
        var moduleID: ModuleID = "Worker"
        var states: [any Relux.AnyState] = []
        var sagas: [any Relux.Saga]
    }

    /// Of so many effects, one after the other, how many were handled by the thread that dispatched them.
    private static func countOwn(_ flow: Noting, of count: Int) async -> Int {
        let node = Relux(name: "Pool")
        await node.register([Module(sagas: [flow])])
        var callers: [pthread_t] = []
        for number in 0..<count {
            callers.append(pthread_self())
            #expect(await node.dispatcher.action { Job.run(number) }.isSuccess)
        }
        return await zip(flow.threads, callers).count { pthread_equal($0, $1) != 0 }
    }

    @Test func `who waits for a quick handler runs it`() async {
        let own = await Task.detached { await Self.countOwn(Noting(), of: 200) }.value
        // The first ones show that it is quick.
        #expect(own > 100)
    }

    @Test func `a handler that keeps its thread is not run by who waits for it`() async {
        let own = await Task.detached { await Self.countOwn(Noting(blockingFor: 1500), of: 40) }.value
        #expect(own < 40)
    }

    @Test func `a handler is known to be quick by its last ones`() {
        let executor = Relux.HandlerExecutor(pool: Relux.HandlerPool())
        #expect(!executor.isQuick)
        for _ in 0..<16 { executor.note(.microseconds(20)) }
        #expect(executor.isQuick)
        executor.note(.milliseconds(2))
        #expect(!executor.isQuick)
        for _ in 0..<40 { executor.note(.microseconds(20)) }
        // One that took a little longer changes nothing yet.
        executor.note(.microseconds(300))
        #expect(executor.isQuick)
    }

    /// A handler whose work is left to the thread that it blocks is run by another one all the same.
    @Test(.enabled(if: Relux.ThreadRole.processorCount > 1), .timeLimit(.minutes(1)))
    func `what waits behind a handler that keeps its thread is run by another one`() async {
        let pool = Relux.HandlerPool()
        let executor = Relux.HandlerExecutor(pool: pool)
        for _ in 0..<16 { executor.note(.zero) }
        let isRun = Flag()
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            Task.detached(executorPreference: executor) {
                // Covered by this thread, which does not come back before it has been run.
                Task.detached(executorPreference: executor) { isRun.set() }
                while !isRun.isSet { sched_yield() }
                continuation.resume()
            }
        }
        #expect(isRun.isSet)
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}
