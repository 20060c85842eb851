#if canImport(Glibc)
    private import Glibc
#elseif canImport(Darwin)
    private import Darwin
#endif

extension Relux {
    /// Runs jobs on the running thread that another one would have to be woken for.
    ///
    /// Design notes. Waking a thread costs tens of microseconds, most handlers take less than one. A thread that is about to come to the end of its
    /// job (``ending(_:unless:)``) takes the next job itself when there is one (``leaving(isQuick:_:)``); a second one goes to the pool as ever. For
    /// that there has to be somebody below the job who goes on: a *pump*, which is the whole of a task on the pool, or a *helper*, which waits for
    /// an effect and in the meantime runs what that takes. A helper does not come back before that has ended or is suspended, so it takes only what
    /// belongs to modules whose handlers have all been short of late, and helps for a limited time. Belongs to one thread; kept in the thread.
    final class ThreadRunner {
        private enum Role {
            case helper, pump
        }
        private var role: Role?
        /// The job that runs is about to end or to suspend.
        private var isEnding = false
        /// What goes to the pool now is taken.
        private var takes = false
        private var next: (job: UnownedJob, forward: JobCapture.Forward)?

        /// For so long a helper takes further jobs, in nanoseconds.
        private static let helpLimit: Int64 = 100_000
        /// A pump that has run so many makes room for others.
        private static let pumpLimit = 64

        // MARK: Of the thread

        // lint:allow state.global: a key of the system's, for what belongs to each thread alone
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key) { runner in
                #if canImport(Glibc)
                    if let runner { Unmanaged<ThreadRunner>.fromOpaque(runner).release() }
                #else
                    Unmanaged<ThreadRunner>.fromOpaque(runner).release()
                #endif
            }
            return key
        }()

        /// That of the running thread, if it was ever asked for.
        static var known: ThreadRunner? {
            pthread_getspecific(key).map { Unmanaged<ThreadRunner>.fromOpaque($0).takeUnretainedValue() }
        }

        static var current: ThreadRunner {
            if let known { return known }
            let runner = ThreadRunner()
            pthread_setspecific(key, Unmanaged.passRetained(runner).toOpaque())
            return runner
        }

        /// The running thread waits for an effect, and runs what that takes.
        static var helps: Bool { known?.role == .helper }

        // MARK: Taking

        /// Called for each job that goes to the pool from this thread.
        func take(_ job: UnownedJob, _ forward: @escaping JobCapture.Forward) -> Bool {
            guard takes, next == nil else { return false }
            next = (job, forward)
            return true
        }

        /// Calls the body, which makes a job; on a thread that can go on with it, that is taken.
        ///
        /// - Parameter isQuick: it will not take long, nor will those that follow from it.
        static func leaving(isQuick: Bool, _ body: () -> Void) {
            guard let runner = taker(isQuick: isQuick) else { return body() }
            runner.taking(body)
        }

        /// Whether a job that is made now would be.
        static func takes(isQuick: Bool) -> Bool { taker(isQuick: isQuick) != nil }

        private static func taker(isQuick: Bool) -> ThreadRunner? {
            guard let runner = known, runner.isEnding, runner.next == nil, let role = runner.role, isQuick || role == .pump else { return nil }
            return runner
        }

        private func taking(_ body: () -> Void) {
            takes = true
            body()
            takes = false
        }

        // MARK: Ending

        /// Calls the body, behind which the running job has nothing left to do.
        static func ending(_ body: () -> Void) {
            guard let runner = known, runner.role != nil else { return body() }
            runner.end(body)
        }

        private func end(_ body: () -> Void) {
            let wasEnding = isEnding
            isEnding = true
            body()
            isEnding = wasEnding
        }

        /// Calls the body, behind which the running task waits, and runs what was left here by it.
        ///
        /// - Parameters:
        ///   - helps: false for a caller that keeps others waiting while it does not suspend, as an actor's does.
        ///   - body: returns whether the task will wait, asked when something was left here.
        static func whileWaiting(helps: Bool, _ body: () -> () -> Bool) {
            guard JobCapture.isInstalled else { return _ = body() }
            let runner = current
            var waits: () -> Bool = { true }
            guard runner.role == nil else {
                runner.end { waits = body() }
                // Who is below goes on with it only when this job suspends.
                if runner.next != nil, !waits() { runner.forward() }
                return
            }
            guard helps else { return _ = body() }
            runner.role = .helper
            runner.end { waits = body() }
            runner.help()
            runner.role = nil
        }

        private func help() {
            guard next != nil else { return }
            let end = NodeTime.nanoseconds() + Self.helpLimit
            while let job = takeNext() {
                JobCapture.run(job)
                if NodeTime.nanoseconds() >= end { return forward() }
            }
        }

        /// Runs the job that the body makes, and those that are left here by it; for a task of the pool that does nothing else.
        static func pump(_ body: () -> Void) {
            let runner = current
            // Who runs tasks in its own way may run this one in a job of this thread.
            guard runner.role == nil else { return body() }
            runner.role = .pump
            runner.taking(body)
            var count = 0
            while count < pumpLimit, let job = runner.takeNext() {
                JobCapture.run(job)
                count += 1
            }
            runner.forward()
            runner.role = nil
        }

        private func takeNext() -> UnownedJob? {
            defer { next = nil }
            return next?.job
        }

        /// Lets the job go where it was meant to go.
        private func forward() {
            guard let (job, forward) = next else { return }
            next = nil
            forward(job)
        }
    }
}
