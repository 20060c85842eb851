import Glibc
import Synchronization
import Testing

@testable import Relux

@Suite struct ThreadRunnerTests {
    private typealias Runner = Relux.ThreadRunner

    /// Where something was run; set by others.
    private final class Trace: Sendable {
        private let state = Mutex<[(String, pthread_t)]>([])
        var names: [String] { state.withLock { $0.map(\.0) } }
        var isHere: [Bool] { state.withLock { $0.map { pthread_equal($0.1, pthread_self()) != 0 } } }
        func note(_ name: String) { state.withLock { $0.append((name, pthread_self())) } }
    }

    /// The runtime that this was built for has the hook: without it all else would be tested in vain.
    @Test func `jobs on their way to the pool can be taken`() {
        #expect(Relux.JobCapture.isInstalled)
    }

    @Test func `who waits runs what was left to it, before it suspends`() async {
        await Task.detached {
            let trace = Trace()
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                Runner.whileWaiting(helps: true) {
                    Runner.leaving(isQuick: true) { Task.detached { trace.note("left") } }
                    trace.note("leaves")
                    return { true }
                }
                #expect(trace.names == ["leaves", "left"])
                #expect(trace.isHere == [true, true])
                continuation.resume()
            }
        }.value
    }

    @Test func `what is not quick, a second job, and what nobody leaves go to the pool`() async {
        await Task.detached {
            let (trace, done) = (Trace(), Signals(3))
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                Runner.whileWaiting(helps: true) {
                    Runner.leaving(isQuick: false) { Task.detached { done.signal() } }
                    Task.detached { done.signal() }
                    Runner.leaving(isQuick: true) { Task.detached { trace.note("left") } }
                    Runner.leaving(isQuick: true) { Task.detached { done.signal() } }
                    return { true }
                }
                #expect(trace.names == ["left"])
                continuation.resume()
            }
            await done.wait()
        }.value
    }

    @Test func `whoever keeps an actor while it waits does not help`() async {
        await Task.detached {
            let done = Signals(1)
            Runner.whileWaiting(helps: false) {
                #expect(!Runner.takes(isQuick: true))
                Runner.leaving(isQuick: true) { Task.detached { done.signal() } }
                return { true }
            }
            await done.wait()
        }.value
    }

    @Test func `a job that a helper runs leaves its successor to it, and an actor's turn is no job`() async {
        actor Counter {
            var count = 0
            func add() { count += 1 }
        }
        await Task.detached {
            let (trace, counter) = (Trace(), Counter())
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                Runner.whileWaiting(helps: true) {
                    Runner.leaving(isQuick: true) {
                        Task.detached {
                            await counter.add()
                            trace.note("first")
                            Runner.ending { Runner.leaving(isQuick: true) { Task.detached { trace.note("second") } } }
                        }
                    }
                    return { true }
                }
                #expect(trace.names == ["first", "second"])
                #expect(trace.isHere == [true, true])
                continuation.resume()
            }
            #expect(await counter.count == 1)
        }.value
    }

    @Test func `a job that does not wait after all leaves nothing behind`() async {
        let (trace, done) = (Trace(), Signals(1))
        await Task.detached {
            Runner.pump {
                Task.detached {
                    Runner.whileWaiting(helps: true) {
                        Runner.leaving(isQuick: true) { Task.detached { done.signal() } }
                        return { false }
                    }
                    // It was let go: this thread goes on here, and may do so for long.
                    #expect(!Runner.takes(isQuick: true))
                    trace.note("goes on")
                }
            }
            #expect(trace.names == ["goes on"])
        }.value
        await done.wait()
    }

    @Test func `a pump takes what is not quick too, and lets others on after its turn`() async {
        let (trace, done) = (Trace(), Signals(1))
        @Sendable func step(_ number: Int) {
            Task.detached {
                trace.note("\(number)")
                guard number < 100 else { return done.signal() }
                Runner.ending { Runner.leaving(isQuick: false) { step(number + 1) } }
            }
        }
        await Task.detached {
            Runner.pump { step(1) }
            #expect(trace.names.count >= 64)
            #expect(trace.isHere.prefix(64).allSatisfy { $0 })
        }.value
        await done.wait()
        #expect(trace.names == (1...100).map { "\($0)" })
    }

    /// Counts down; the last one lets go who waits.
    private final class Signals: Sendable {
        private let state: Mutex<(left: Int, waiter: UnsafeContinuation<Void, Never>?)>
        init(_ count: Int) { state = Mutex((count, nil)) }

        func signal() {
            state.withLock { state in
                state.left -= 1
                return state.left == 0 ? state.waiter : nil
            }?.resume()
        }

        func wait() async {
            await withUnsafeContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.left > 0 { state.waiter = continuation }
                    return state.left <= 0
                }
                if isDone { continuation.resume() }
            }
        }
    }
}
