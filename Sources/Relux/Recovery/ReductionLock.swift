import Synchronization

extension Relux {
    /// Lets one reduction or capture of a module run at a time, in the order in which they came.
    ///
    /// A reducer may dispatch an action that comes back to its own module: what runs inside a turn shares it.
    final class ReductionLock: Sendable {
        struct Turn: Sendable {
            let lock: ReductionLock
            let number: UInt64
        }
        /// The turn that this task runs in. What outlives the turn still carries it, so the number counts.
        @TaskLocal static var current: Turn?

        private struct State {
            /// The turn that runs; 0 for none.
            var running: UInt64 = 0
            var last: UInt64 = 0
            var waiting = FIFO<UnsafeContinuation<UInt64, Never>>()

            mutating func next() -> UInt64 {
                last += 1
                running = last
                return last
            }
        }
        private let state = Mutex(State())

        /// How many wait for a turn.
        var waiting: Int { state.withLock { $0.waiting.count } }

        func withTurn<Result: Sendable>(_ body: () async -> Result) async -> Result {
            if let current = Self.current, current.lock === self, state.withLock({ $0.running == current.number }) {
                return await body()
            }
            let number = await enter()
            let result = await Self.$current.withValue(Turn(lock: self, number: number)) { await body() }
            leave()
            return result
        }

        private func enter() async -> UInt64 {
            let number = state.withLock { $0.running == 0 ? $0.next() : nil }
            if let number { return number }
            return await withUnsafeContinuation { continuation in
                let number: UInt64? = state.withLock { state in
                    if state.running == 0 { return state.next() }
                    state.waiting.append(continuation)
                    return nil
                }
                if let number { continuation.resume(returning: number) }
            }
        }

        private func leave() {
            let woken = state.withLock { state -> (UnsafeContinuation<UInt64, Never>, UInt64)? in
                state.running = 0
                return state.waiting.popFirst().map { ($0, state.next()) }
            }
            if let (continuation, number) = woken { continuation.resume(returning: number) }
        }
    }
}
