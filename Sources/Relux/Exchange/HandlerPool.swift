import Synchronization

extension Relux {
    /// Runs what handlers have to do: on the cooperative pool, and where possible on the thread of who waits for it.
    ///
    /// Design notes. Waking a thread costs tens of microseconds, most handlers take less than one. So who dispatches an effect and waits for it
    /// runs what that takes itself (``whileWaiting(_:)``), as long as it is *quick*: jobs of modules whose handlers have all been short of late.
    /// All else is run by pumps, tasks on the cooperative pool that take one job after the other; no thread is the pool's own. A helper is in no
    /// handler of this pool: one that is comes back to its pump as soon as it suspends.
    final class HandlerPool: Sendable {
        private struct Waiting: Sendable {
            let job: UnownedJob
            let executor: HandlerExecutor
        }
        private let queue: Mutex<JobQueue<Waiting>>
        private let watch = Pacer()

        /// A pump that has run so many makes room for others.
        private static let turn = 256
        /// A helper that has helped for so long leaves the rest to pumps, in nanoseconds.
        private static let helpLimit: Int64 = 100_000
        private static let tick = Duration.milliseconds(2)

        init() { queue = Mutex(JobQueue(pumpLimit: ThreadRole.processorCount)) }

        func add(_ job: UnownedJob, for executor: HandlerExecutor) {
            let role = ThreadRole.current
            let isQuick = executor.isQuick
            let isCovered =
                role.isRunner(of: self) && !role.contains(.starts) && (isQuick || !role.contains(.helps))
            let wish = queue.withLock { $0.add(Waiting(job: job, executor: executor), isQuick: isQuick, isCovered: isCovered) }
            if wish.pump { startPump() }
            if wish.watch { keepWatch() }
        }

        /// Calls the body, behind which the caller has nothing to do but wait; what it has to wait for is done here, if it is quick.
        ///
        /// Called without any lock, by a task that suspends right afterwards.
        ///
        /// - Parameter helps: false for a caller that keeps others waiting while it does not suspend, as an actor's does.
        func whileWaiting(helps: Bool, _ body: () -> Void) {
            let role = ThreadRole.current
            if role.isRunner(of: self) {
                ThreadRole.current = role.union(.waits)
                body()
                ThreadRole.current = role
                return
            }
            guard helps, role.isFree else { return body() }
            ThreadRole.current = ThreadRole(of: self, [.helps, .waits])
            body()
            help()
            ThreadRole.current = role
        }

        /// Calls the body, which starts something; on a thread that goes on afterwards a pump is called for it.
        func starting(_ body: () -> Void) {
            let role = ThreadRole.current
            guard role.isRunner(of: self), !role.contains(.waits) else { return body() }
            ThreadRole.current = role.union(.starts)
            body()
            ThreadRole.current = role
        }

        private func help() {
            guard var next = queue.withLock({ $0.takeForHelper() }) else { return leaveRest() }
            let end = NodeTime.nanoseconds() + Self.helpLimit
            ThreadRole.current = ThreadRole(of: self, .helps)
            while true {
                next.executor.run(next.job)
                guard NodeTime.nanoseconds() < end, let more = queue.withLock({ $0.takeForHelper() }) else { return leaveRest() }
                next = more
            }
        }

        /// What the helper leaves was not asked a pump for.
        private func leaveRest() {
            while queue.withLock({ $0.wantsPump() }) { startPump() }
        }

        // MARK: Pumps

        private func startPump() {
            // Unstructured on purpose: it belongs to nobody, and ends when nothing waits.
            Task.detached { self.pump() }
        }

        private func pump() {
            guard var next = queue.withLock({ $0.pumpCame() }) else { return }
            let outer = ThreadRole.current
            ThreadRole.current = ThreadRole(of: self, [])
            defer { ThreadRole.current = outer }
            for _ in 0..<Self.turn {
                next.executor.run(next.job)
                guard let more = queue.withLock({ $0.takeForPump() }) else { return }
                next = more
            }
            next.executor.run(next.job)
            queue.withLock { $0.pumpYields() }
            startPump()
        }

        private func keepWatch() {
            watch.run(every: Self.tick) { [weak self] _ in
                guard let self else { return false }
                let (pump, goesOn) = queue.withLock { $0.look() }
                if pump { startPump() }
                return goesOn
            }
        }
    }

    /// Where one module's handlers run.
    final class HandlerExecutor: TaskExecutor {
        let pool: HandlerPool
        private let quickness = Atomic(0)

        init(pool: HandlerPool) { self.pool = pool }

        func enqueue(_ job: consuming ExecutorJob) { pool.add(UnownedJob(job), for: self) }

        func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

        // MARK: Who is quick

        private static let quickLimit = Duration.microseconds(100)
        private static let slowLimit = Duration.milliseconds(1)
        private static let threshold = 16

        /// Its handlers have been short of late: who waits for one may run it without missing much else.
        var isQuick: Bool { quickness.load(ordering: .relaxed) >= Self.threshold }

        /// A handler has taken so long. Called by one thread at a time.
        func note(_ duration: Duration) {
            let known = quickness.load(ordering: .relaxed)
            let new = duration < Self.quickLimit ? min(2 * Self.threshold, known + 1) : duration < Self.slowLimit ? max(0, known - 4) : 0
            if new != known { quickness.store(new, ordering: .relaxed) }
        }
    }
}
