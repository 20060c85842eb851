#if canImport(Glibc)
    private import Glibc
#elseif canImport(Darwin)
    private import Darwin
#endif

extension Relux {
    /// Takes a job that is on its way to the cooperative pool, for the thread that sends it there.
    ///
    /// Design notes. Swift's runtime calls `swift_task_enqueueGlobal_hook`, when it is set, with each job that is meant for the pool and with what
    /// it would do with it; see `swift/Runtime/Concurrency.h`. Where a runtime has no such hook nothing is ever taken, and all is as if this were not
    /// there. A hook that somebody has set before is called for all that is not taken at first. A task executor would see the jobs too, but with one each
    /// call of an actor is a job more (6.3: 1.2 us for a handler, measured). Without the hook an awaited durable effect within one process takes 28 % more
    /// time and 57 % more processor time (15.2 and 21.6 us instead of 11.9 and 13.8, medians of three, 2026-11-27); between processes it makes no
    /// difference.
    enum JobCapture {
        typealias Forward = @convention(thin) (UnownedJob) -> Void
        private typealias Hook = @convention(thin) (UnownedJob, Forward) -> Void

        // lint:allow state.global: whether the process's runtime has the hook, and whose it was, decided once
        private nonisolated(unsafe) static var earlier: Hook?

        /// Set by whoever asks first. `RELUX_JOB_CAPTURE=off` leaves every job to the pool: to measure it, and should a runtime not bear it.
        static let isInstalled: Bool = {
            if let choice = getenv("RELUX_JOB_CAPTURE"), strcmp(choice, "off") == 0 { return false }
            guard let place = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else { return false }
            let hook = place.assumingMemoryBound(to: Hook?.self)
            earlier = hook.pointee
            hook.pointee = { job, forward in
                if ThreadRunner.known?.take(job, forward) == true { return }
                if let earlier = JobCapture.earlier { earlier(job, forward) } else { forward(job) }
            }
            return true
        }()

        /// Runs a job as the pool does: on no actor, and on an executor that gives its thread to an actor which is free.
        static func run(_ job: UnownedJob) { job.runSynchronously(on: pool) }

        // The runtime's own word for it is two zeros (`SerialExecutorRef::generic`); there is no other name for it in the language.
        private static let pool = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
    }
}
