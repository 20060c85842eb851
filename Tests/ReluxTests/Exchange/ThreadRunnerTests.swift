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

    private static func seat(_ id: ModuleID = "Worker", isQuick: Bool = true) -> Relux.Seat {
        let seat = Relux.Seat(
            Relux.Party(
                id: id, handler: Nothing(), handles: nil, emits: nil, isSerial: false, admission: .open))
        if isQuick { for _ in 0..<16 { seat.quickness.note(.zero) } }
        return seat
    }

    /// As the exchange does it.
    private static func leave(of seat: Relux.Seat, isDrain: Bool = true, _ body: @escaping @Sendable () -> Void) {
        let makes = { _ = Task.detached { body() } }
        if Runner.takes(of: seat, isDrain: isDrain) { Runner.leaving(makes) } else { makes() }
    }

    @Test func `who waits runs what was left to it, before it suspends`() async {
        await Task.detached {
            let (trace, seat) = (Trace(), Self.seat())
            Runner.whileWaiting(for: [seat], .freely) {
                Self.leave(of: seat) { trace.note("left") }
                trace.note("leaves")
            }
            #expect(trace.names == ["leaves", "left"])
            #expect(trace.isHere == [true, true])
        }.value
    }

    @Test func `what is not quick, a second job, and what nobody leaves go to the pool`() async {
        await Task.detached {
            let (trace, done, seat) = (Trace(), Signals(3), Self.seat())
            Runner.whileWaiting(for: [], .freely) {
                Self.leave(of: Self.seat(isQuick: false)) { done.signal() }
                Task.detached { done.signal() }
                Self.leave(of: seat, isDrain: false) { trace.note("left") }
                Self.leave(of: seat) { done.signal() }
            }
            #expect(trace.names == ["left"])
            #expect(trace.isHere == [true])
            await done.wait()
        }.value
    }

    @Test func `whoever keeps an actor while it waits does not help`() async {
        await Task.detached {
            let (done, seat) = (Signals(1), Self.seat())
            Runner.whileWaiting(for: [seat], .keepingAnActor) {
                #expect(!Runner.takes(of: seat, isDrain: true))
                Self.leave(of: seat) { done.signal() }
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
            let (trace, counter, seat) = (Trace(), Counter(), Self.seat())
            Runner.whileWaiting(for: [seat], .freely) {
                Runner.leaving {
                    Task.detached {
                        await counter.add()
                        trace.note("first")
                        Runner.ending { Self.leave(of: seat) { trace.note("second") } }
                    }
                }
            }
            #expect(trace.names == ["first", "second"])
            #expect(trace.isHere == [true, true])
            #expect(await counter.count == 1)
        }.value
    }

    @Test func `a job that is not at its end leaves nothing`() async {
        await Task.detached {
            let (done, seat) = (Signals(1), Self.seat())
            Runner.pump {
                Task.detached {
                    #expect(!Runner.takes(of: seat, isDrain: true))
                    Self.leave(of: seat) { done.signal() }
                }
            }
            await done.wait()
        }.value
    }

    /// A job that is told at once goes on, maybe for long, and nobody would come to what it had left.
    @Test func `a job that waits leaves only what it has to wait for`() async {
        await Task.detached {
            let (trace, done, seat) = (Trace(), Signals(2), Self.seat())
            Runner.pump {
                Task.detached {
                    Runner.whileWaiting(for: [seat], .keepingAnActor) {
                        Self.leave(of: Self.seat("Other")) { done.signal() }
                        Self.leave(of: seat, isDrain: false) { done.signal() }
                        Self.leave(of: seat) { trace.note("left") }
                    }
                    trace.note("waits")
                }
            }
            #expect(trace.names == ["waits", "left"])
            #expect(trace.isHere == [true, true])
            await done.wait()
        }.value
    }

    @Test func `what a job has left is let go when it goes on`() async {
        await Task.detached {
            let (trace, done, seat) = (Trace(), Signals(1), Self.seat())
            Runner.pump {
                Task.detached {
                    Runner.whileWaiting(for: [seat], .keepingAnActor) { Self.leave(of: seat) { done.signal() } }
                    // It was told in the meantime.
                    Runner.goesOn()
                    trace.note("goes on")
                }
            }
            #expect(trace.names == ["goes on"])
            await done.wait()
        }.value
    }

    /// It may be an actor's turn, which goes on with whoever else waits for the actor.
    @Test func `behind a handler that goes on nothing is left before its job has ended`() async {
        await Task.detached {
            let (trace, done, seat) = (Trace(), Signals(1), Self.seat())
            Runner.pump {
                Task.detached {
                    Runner.ending {
                        #expect(Runner.takes(of: seat, isDrain: false))
                        Runner.leaving(isLast: true) {
                            Task.detached {
                                Runner.ending { Self.leave(of: seat) { done.signal() } }
                                trace.note("handler")
                            }
                        }
                    }
                }
            }
            #expect(trace.names == ["handler"])
            #expect(trace.isHere == [true])
            await done.wait()
        }.value
    }

    @Test func `a pump takes what is not quick too, and lets others on after its turn`() async {
        let (trace, done, slow) = (Trace(), Signals(1), Self.seat(isQuick: false))
        @Sendable func step(_ number: Int) {
            trace.note("\(number)")
            guard number < 100 else { return done.signal() }
            Runner.ending { Self.leave(of: slow) { step(number + 1) } }
        }
        await Task.detached {
            Runner.pump { Task.detached { step(1) } }
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
