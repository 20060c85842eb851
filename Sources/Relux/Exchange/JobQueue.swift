extension Relux {
    /// Which threads have to be called to run what waits: the pure part of ``HandlerPool``.
    ///
    /// A *runner* is a thread that is in one of the pool's jobs now and looks for the next one when it ends: a pump, which takes whatever is
    /// there, or a helper, which takes only what is quick. Calling a thread costs more than most jobs, so what a runner leaves behind while it is
    /// about to end its job is left to it. Should it not be about to, which nobody can know, ``look()`` sees within two ticks that nothing moves.
    struct JobQueue<Job: Sendable>: Sendable {
        private var jobs = FIFO<(job: Job, isQuick: Bool)>()
        /// Asked for, or running.
        private(set) var pumps = 0
        /// Of those, the ones that have not come yet.
        private var asked = 0
        private var taken: UInt64 = 0
        private var seen: UInt64 = 0
        private var isWatched = false
        let pumpLimit: Int

        init(pumpLimit: Int) { self.pumpLimit = max(1, pumpLimit) }

        var isEmpty: Bool { jobs.isEmpty }

        /// What a new job asks for.
        struct Wish: Equatable {
            /// A pump has to be started.
            var pump = false
            /// ``look()`` has to be called at every tick, until it says that it need not.
            var watch = false
        }

        /// - Parameter isCovered: the thread that adds it is a runner that takes such jobs.
        mutating func add(_ job: Job, isQuick: Bool, isCovered: Bool) -> Wish {
            jobs.append((job, isQuick))
            if wantsPump(covered: isCovered ? 1 : 0) { return Wish(pump: true) }
            guard !isWatched else { return Wish() }
            isWatched = true
            seen = taken
            return Wish(watch: true)
        }

        /// True when one has to be started for what waits beyond what the called ones and `covered` runners will take.
        mutating func wantsPump(covered: Int = 0) -> Bool {
            guard jobs.count > asked + covered, pumps < pumpLimit else { return false }
            pumps += 1
            asked += 1
            return true
        }

        /// A pump has come; nil when it may go again.
        mutating func pumpCame() -> Job? {
            asked -= 1
            return takeForPump()
        }

        /// The next one; nil when the pump may go.
        mutating func takeForPump() -> Job? {
            if let job = take() { return job }
            pumps -= 1
            return nil
        }

        /// The pump makes room for what else its thread is wanted for, and asks for itself again.
        mutating func pumpYields() { asked += 1 }

        /// The next one, if it is quick.
        mutating func takeForHelper() -> Job? { jobs.isEmpty || jobs[0]?.isQuick == false ? nil : take() }

        private mutating func take() -> Job? {
            guard let (job, _) = jobs.popFirst() else { return nil }
            taken &+= 1
            return job
        }

        /// What a tick shows: whether a pump has to be started because nothing has moved since the last one, and whether there has to be a next.
        mutating func look() -> (pump: Bool, goesOn: Bool) {
            defer { seen = taken }
            if jobs.isEmpty, taken == seen {
                isWatched = false
                return (false, false)
            }
            return (taken == seen && wantsPump(covered: 0), true)
        }
    }
}
