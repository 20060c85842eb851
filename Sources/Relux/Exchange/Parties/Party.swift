import ReluxWire

extension Relux {
    /// A module as the exchange sees it: what it says (positions, sequences) and what waits for it (queue, baton).
    ///
    /// Design notes. One drain task holds the *baton* and starts the queue's handlers in order. It loses the baton when its
    /// handler awaits a dispatch, or its sagas have run for a millisecond while others wait; a fresh drain goes on, so that a cycle of
    /// awaits always proceeds. Where it has several sagas, each has to have begun before, or the next effect could reach one of them first. No handler is
    /// started while `runningLimit` of them run; awaiting ones do not count. A serial module's drain keeps the baton.
    struct Party: Sendable {
        enum Admission {
            case held, open, closed
            /// Closed but for what a running handler waits for.
            case yielding
        }

        struct Run {
            var effect: EffectID
            /// The effects that this one comes from, as long as there are suspects.
            var ancestry: [EffectID] = []
            /// How many of the run's several sagas have not begun.
            var unbegun = 0
            /// Dispatches it awaits at this moment; several in a concurrent batch.
            var awaiting = 0
            /// The handler has started something that it does not wait for, and that may speak in its name after its end.
            var isLoose = false
            /// Knows when the sagas began; before that the order of starts still has to be kept.
            var drain: DrainTask
        }

        static let usualRunningLimit = 64

        let id: ModuleID
        let handler: any EffectHandling
        let handles: Set<Topic>?
        let emits: Set<Topic>?
        let isSerial: Bool
        var admission: Admission

        var numbers = Numbers()
        var runningLimit = Self.usualRunningLimit

        var queue = FIFO<Delivery>()
        /// The run that holds the baton.
        var holder: UInt64?
        /// A drain was started for this party and has not taken its first delivery yet.
        var drainPending = false
        var runs = RunTable()
        var running = 0
        /// Set by the exchange, so that a run that outlives its party is never taken for one of the next party.
        var nextRun: UInt64 = 1
        var idleWaiters: [UnsafeContinuation<Void, Never>] = []
        /// Effects whose handlers have ended and left something behind, until their settlements are queued: what that says comes before them.
        var settling: Set<EffectID> = []

        let reports = Reports()

        /// Which of the module's lives in this process; given by the exchange.
        var life: UInt64 = 0

        var lasting = Lasting()
        var suspicion: Suspicion?

        /// The parts of it that survive the process.
        struct Lasting: Sendable {
            var keeper: StateKeeper?
            /// The effects that its interrupted handlers had said.
            var recall: Recall?
            /// The values that its handlers have made once.
            var kept = KeptValues()
        }

        /// How far it has counted its effects.
        struct Numbers: Sendable {
            /// Its latest effect's.
            var position: UInt64 = 0
            /// Its latest effect's on each stream.
            var sequences: [Topic: UInt64] = [:]
            /// Streams that it has said nothing on begin behind this.
            var start: UInt64 = 0

            /// A transient stream begins anew with each life, also where an earlier build's was durable.
            mutating func next(_ topic: Topic, isTransient: Bool = false) -> (position: UInt64, sequence: UInt64) {
                position += 1
                return (position, Self.rise(&sequences[topic, default: start], to: isTransient ? start : 0))
            }

            private static func rise(_ sequence: inout UInt64, to start: UInt64) -> UInt64 {
                sequence = max(sequence, start) + 1
                return sequence
            }
        }

        var isIdle: Bool { queue.isEmpty && runs.isEmpty }

        /// Stops admission. What was queued before is finished, but for a party that never began: nothing of its queue is started.
        mutating func close() {
            if admission == .held { queue = FIFO() }
            admission = .closed
            // Nothing comes any more.
            suspicion?.endPatience(queue)
        }

        /// Stops admission for a successor, which handles what has not begun: only what runs is finished, and what that waits for.
        ///
        /// - Parameter others: what runs in parties that end with this one.
        mutating func yield(others: Set<EffectID> = []) {
            let wasHeld = admission == .held
            close()
            if wasHeld { return }
            admission = .yielding
            var needed = FIFO<Delivery>()
            while let delivery = queue.popFirst() {
                if isAwaited(delivery, others: others) { needed.append(delivery) }
            }
            queue = needed
            // A suspect that went with the rest is not waited for either.
            suspicion?.endPatience(queue)
        }

        /// A running handler, of this party or one of the others, waits for this delivery, maybe through others.
        func isAwaited(_ delivery: Delivery, others: Set<EffectID>) -> Bool {
            let waiting = delivery.ancestry.suffix(delivery.awaitDepth)
            return !waiting.isEmpty
                && (waiting.contains(where: others.contains) || runs.contains { waiting.contains($0.effect) })
        }

        func accepts(_ topic: Topic) -> Bool { handles?.contains(topic) ?? true }

        /// True when a drain task has to be started now; it then counts as pending.
        mutating func wantsDrain() -> Bool {
            guard mayDrain, hasNext else { return false }
            drainPending = true
            return true
        }

        private var mayDrain: Bool { admission != .held && holder == nil && !drainPending && running < runningLimit }

        mutating func enqueue(_ delivery: Delivery) -> Bool {
            queue.append(delivery)
            guard mayDrain, queue.count == 1 || mayStart(delivery) else { return false }
            return wantsDrain()
        }

        /// The next delivery for a fresh drain, which holds the baton from here on.
        mutating func take(by drain: DrainTask = DrainTask()) -> Delivery? {
            drainPending = false
            return holder == nil ? start(drain) : nil
        }

        private mutating func start(_ drain: DrainTask) -> Delivery? {
            guard admission != .held, running < runningLimit, let delivery = popNext() else { return nil }
            let run = nextRun
            nextRun += 1
            delivery.begins(as: run)
            if suspicion != nil { suspect(delivery, run: run) }
            holder = run
            running += 1
            drain.starts()
            runs.begin(run, Run(effect: delivery.id, ancestry: suspicion == nil ? [] : delivery.ancestry, drain: drain))
            return delivery
        }

        /// The handler starts to await a dispatch. True when a fresh drain has to be started.
        mutating func awaitBegan(_ run: UInt64) -> Bool {
            let awaiting = runs.update(run) { run in
                run.awaiting += 1
                return run.awaiting
            }
            guard awaiting == 1 else { return false }
            running -= 1
            return passBaton(run)
        }

        /// The holder awaits a dispatch: once all of its sagas have begun, others may. True when a drain has to be started.
        private mutating func passBaton(_ run: UInt64) -> Bool {
            if !isSerial, holder == run, runs[run]?.unbegun == 0 { holder = nil }
            return wantsDrain()
        }

        mutating func awaitEnded(_ run: UInt64) {
            let goesOn = runs.update(run) { run in
                guard run.awaiting > 0 else { return false }
                run.awaiting -= 1
                return run.awaiting == 0
            }
            if goesOn == true { running += 1 }
        }

        /// The handler has returned. `next`: what its drain goes on with, if it still has the baton; `kick`: a fresh drain
        /// has to be started.
        ///
        /// Finishing and taking are one step, or a delivery that comes between them would start a second drain.
        mutating func finish(
            _ run: UInt64
        ) -> (next: Delivery?, kick: Bool) {
            let ended = runs.end(run)
            if let ended, ended.awaiting == 0 { running -= 1 }
            if let ended, ended.isLoose { settling.insert(ended.effect) }
            if let ended, suspicion != nil { acquit(run, of: ended.effect) }
            guard let ended, holder == run else { return (nil, wantsDrain()) }
            holder = nil
            return (start(ended.drain), false)
        }

        /// True while others wait behind a handler that may lose the baton.
        var isCrowded: Bool { !isSerial && holder != nil && !queue.isEmpty }

        mutating func loosens(_ run: UInt64) { _ = runs.update(run) { $0.isLoose = true } }

        /// The run's states have reduced, and `count` sagas start; more than one.
        mutating func starts(_ run: UInt64, sagas count: Int) { _ = runs.update(run) { $0.unbegun = count } }

        /// One of the run's sagas begins; from the last one on the run may be overtaken. True when a drain has to be started.
        ///
        /// - Parameter now: nanoseconds on the pacer's clock.
        @discardableResult
        mutating func begin(_ run: UInt64, now: Int64) -> Bool {
            let isAwaiting: Bool? = runs.update(run) { run in
                guard run.unbegun > 0 else { return nil }
                run.unbegun -= 1
                guard run.unbegun == 0 else { return nil }
                run.drain.begins(now)
                return run.awaiting > 0
            } ?? nil
            return isAwaiting == true && passBaton(run)
        }

        mutating func takeIdleWaiters() -> [UnsafeContinuation<Void, Never>] {
            defer { idleWaiters = [] }
            return idleWaiters
        }

        /// The holder has run too long while others wait: it goes on without the baton. True when a drain has to be started.
        mutating func overrun(now: Duration, limit: Duration) -> Bool {
            guard !isSerial, let run = holder, !queue.isEmpty, running < runningLimit,
                let begun = runs[run]?.drain.begunAt, now - begun >= limit
            else { return false }
            holder = nil
            return wantsDrain()
        }
    }
}
