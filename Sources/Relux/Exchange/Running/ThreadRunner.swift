#if canImport(Glibc)
    private import Glibc
#elseif canImport(Darwin)
    private import Darwin
#endif

extension Relux {
    /// Runs jobs on the running thread that another one would have to be woken for.
    ///
    /// Design notes. Waking a thread costs tens of microseconds, most handlers take less than one. A thread that is about to come to the end of its
    /// job takes the next job itself (``leaving(_:)``); a second one goes to the pool as ever. For that there has to be somebody below the job who
    /// goes on: a *pump*, which is the whole of a task on the pool, or a *helper*, which waits for an effect and in the meantime runs what that takes.
    /// A helper does not come back before that has ended or is suspended, so it takes only what belongs to modules whose handlers have all been
    /// short of late, and helps for a limited time. A job that waits for an effect comes to its end only if it has to: what is left by it is
    /// something without which the effect cannot be settled, for who is told at once goes on instead. A job that is an actor's turn may go on
    /// with others that wait for that actor: nothing is left behind it. Belongs to one thread; kept in the thread.
    final class ThreadRunner {
        /// How a waiter for an effect suspends.
        enum Suspension {
            case freely
            /// Until it does, it keeps others from an actor.
            case keepingAnActor
        }

        private enum Role {
            case helper, pump
        }

        /// Whether the job that runs comes to its end now.
        private enum End {
            case notYet
            case surely
            /// When one of these parties has something to do.
            case unlessDone([Seat])
        }

        private var role: Role?
        private var end = End.notYet
        /// A job that goes to the pool now is taken.
        private var takes = false
        /// The job that is taken now is the last one left to the thread.
        private var takesLast = false
        private var isLast = false
        private var next: (job: UnownedJob, isLast: Bool, forward: JobCapture.Forward)?

        /// How long a helper takes further jobs, in nanoseconds.
        private static let helpLimit: Int64 = 100_000
        /// After this many jobs a pump makes room for others.
        private static let pumpLimit = 64

        // MARK: Of the thread

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

        /// The running thread's runner, if it was ever asked for.
        static var known: ThreadRunner? {
            pthread_getspecific(key).map { Unmanaged<ThreadRunner>.fromOpaque($0).takeUnretainedValue() }
        }

        private static var current: ThreadRunner {
            if let known { return known }
            let runner = ThreadRunner()
            pthread_setspecific(key, Unmanaged.passRetained(runner).toOpaque())
            return runner
        }

        /// The running thread waits for an effect, and runs what that takes.
        static var helps: Bool { known?.role == .helper }

        // MARK: Taking

        /// Whether the thread goes on with what is left to it next: a party's drain, or a handler of its that goes on.
        static func takes(of seat: Seat, isDrain: Bool) -> Bool {
            guard let runner = known, let role = runner.role, runner.next == nil, !runner.isLast else { return false }
            switch runner.end {
            case .notYet: return false
            case .surely: break
            case .unlessDone(let seats): guard isDrain, seats.contains(where: { $0 === seat }) else { return false }
            }
            return role == .pump || seat.quickness.isQuick
        }

        /// Calls the body, which makes one job; the thread goes on with that. Behind ``takes(of:isDrain:)`` only.
        ///
        /// - Parameter isLast: it may go on with what others want, so nothing more is left to the thread before it has ended.
        static func leaving(isLast: Bool = false, _ body: () -> Void) { known?.taking(isLast: isLast, body) }

        private func taking(isLast: Bool = false, _ body: () -> Void) {
            (takes, takesLast) = (true, isLast)
            body()
            takes = false
        }

        /// Called for each job that goes to the pool from this thread.
        func take(_ job: UnownedJob, _ forward: @escaping JobCapture.Forward) -> Bool {
            guard takes, next == nil else { return false }
            next = (job, takesLast, forward)
            return true
        }

        // MARK: Ending

        /// Calls the body, after which the running job has nothing left to do.
        static func ending(_ body: () -> Void) {
            guard let runner = known, runner.role != nil else { return body() }
            runner.ending(.surely, body)
        }

        private func ending(_ new: End, _ body: () -> Void) {
            let outer = end
            end = new
            body()
            end = outer
        }

        /// Calls the body, after which the running task waits, and runs what was left here by it, if nobody below will.
        ///
        /// - Parameter seats: parties without which the waiting does not end.
        static func whileWaiting(for seats: [Seat], _ suspension: Suspension, _ body: () -> Void) {
            guard JobCapture.isInstalled else { return body() }
            let runner = current
            if runner.role != nil { return runner.ending(.unlessDone(seats), body) }
            guard suspension == .freely else { return body() }
            runner.role = .helper
            runner.ending(.surely, body)
            runner.help()
            runner.role = nil
        }

        private func help() {
            guard next != nil else { return }
            let end = NodeTime.nanoseconds() + Self.helpLimit
            while runNext() {
                if NodeTime.nanoseconds() >= end { return forward() }
            }
        }

        /// Runs the job that the body makes, and those that are left here by it; for a task of the pool that does nothing else.
        static func pump(_ body: () -> Void) {
            guard JobCapture.isInstalled else { return body() }
            let runner = current
            // An executor other than the pool's may run this task in a job of this thread.
            guard runner.role == nil else { return body() }
            runner.role = .pump
            runner.taking(body)
            var count = 0
            while count < pumpLimit, runner.runNext() { count += 1 }
            runner.forward()
            runner.role = nil
        }

        /// The task that runs has waited, or did not have to: what it had left for the end of its job is let go.
        static func goesOn() { known?.forward() }

        /// False when there is none.
        private func runNext() -> Bool {
            guard let job = next?.job else { return false }
            isLast = next?.isLast == true
            next = nil
            JobCapture.run(job)
            isLast = false
            return true
        }

        /// Lets the job go where it was meant to go.
        private func forward() {
            guard let (job, _, forward) = next else { return }
            next = nil
            forward(job)
        }
    }
}
