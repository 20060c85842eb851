import ReluxWire

extension Relux {
    /// The parties of one process and their unsettled effects: the pure part of ``Exchange``.
    struct ExchangeState: Sendable {
        /// An effect that not every recipient has settled.
        ///
        /// One reference: it is put in, looked at and taken out where many are. `@unchecked Sendable`, and its accesses are not checked:
        /// it is read and changed under the exchange's lock only.
        final class Pending: @unchecked Sendable {
            @exclusivity(unchecked) var outstanding: Outstanding
            @exclusivity(unchecked) var result: ActionResult
            @exclusivity(unchecked) var deadline: Duration
            /// nil while nobody waits: for what an earlier life had said, and when the waiting has ended.
            @exclusivity(unchecked) var waiter: Waiter?
            /// The run that gave its slot back to wait.
            @exclusivity(unchecked) var awaiter: Awaiter?
            @exclusivity(unchecked) var acceptedAt: Duration
            /// Nobody settles it any more when its waiter has gone.
            @exclusivity(unchecked) var isTransient = false
            /// The only one whose answer is waited for; nil for all.
            @exclusivity(unchecked) var asked: ModuleID?
            @exclusivity(unchecked) var awaiting = Awaiting.present

            init(
                outstanding: Recipients, result: ActionResult, deadline: Duration, waiter: Waiter? = nil, awaiter: Awaiter? = nil,
                acceptedAt: Duration, isTransient: Bool = false, asked: ModuleID? = nil, awaiting: Awaiting = .present
            ) {
                (self.outstanding, self.result, self.deadline) = (Outstanding(outstanding), result, deadline)
                (self.waiter, self.awaiter, self.acceptedAt) = (waiter, awaiter, acceptedAt)
                (self.isTransient, self.asked, self.awaiting) = (isTransient, asked, awaiting)
            }

            /// True when it was the last to settle; nil when nothing is expected of that recipient.
            func settle(_ recipient: ModuleID, with settled: ActionResult) -> Bool? {
                guard outstanding.remove(recipient) else { return nil }
                if result.outcomes.isEmpty {
                    result.outcomes = settled.outcomes
                } else {
                    result.outcomes.append(contentsOf: settled.outcomes)
                }
                return outstanding.isEmpty
            }
        }

        struct Awaiter {
            var seat: Seat
            var run: UInt64
        }

        struct Resumption {
            var waiter: Waiter
            var result: ActionResult
            /// The seat of the handler that waits; nil when no handler waits.
            var seat: Seat?
        }

        /// Recipients by topic as the broker fixed them; nil in a node that stands alone.
        struct Membership {
            var version: UInt64
            var recipients: [Topic: [ModuleID]]
            /// The place of each module in the cluster's order of registration.
            var places: [ModuleID: UInt64] = [:]
            /// Members without a process at this moment.
            var withoutProcess: Set<ModuleID> = []
            /// Members that are known to be absent, and why.
            var absences: [ModuleID: String] = [:]
        }

        var parties = PartyTable()
        /// Order of registration, which is the order of delivery to parties of this process.
        var order: [ModuleID] = []
        var membership: Membership?
        /// The place of each party in that order: a number that later ones exceed.
        private var places: [ModuleID: UInt64] = [:]
        private var lastPlace: UInt64 = 0
        var pending = PendingTable()
        /// The deadlines of effects that somebody waits for.
        var deadlines = DeadlineQueue()
        /// The counters of modules that have no seat; see ``Seat``.
        var counters: [ModuleID: Counters] = [:]
        /// The process ends, and all parties with it.
        var isEnding = false
        /// It ends without what its last handlers wait for.
        var hasStoppedShort = false
        /// Some party was given emissions of an earlier life.
        var hasRecalls = false

        private var recipientCache: [Topic: Route] = [:]
        /// Where removed parties stopped, so that no effect id is used twice when they return.
        private var retired: [ModuleID: Party.Numbers] = [:]
        private var generation: UInt64 = 0

        struct Counters {
            var emitted: UInt64 = 0
            var handled: UInt64 = 0
            var failed: UInt64 = 0
            var lost: UInt64 = 0
            var unhandled: UInt64 = 0
            var diverged: UInt64 = 0
        }

        mutating func count(_ id: ModuleID, _ body: (inout Counters) -> Void) {
            if let seat = parties.seat(of: id) { body(&seat.counters) } else { body(&counters[id, default: Counters()]) }
        }

        /// The recipients of a topic's effects, with the seats of those that are here; nobody looks them up again for each effect.
        struct Route: Sendable {
            var recipients = Recipients()
            var seats: [Seat] = []
        }

        // MARK: Parties and membership

        /// A number for the next life of a module; of all its lives in this process the last one counts.
        mutating func beginLife() -> UInt64 {
            generation += 1
            return generation
        }

        /// False when the name is taken.
        mutating func add(_ party: Party) -> Bool {
            guard !parties.contains(party.id) else { return false }
            var party = party
            if party.life == 0 { party.life = beginLife() }
            party.nextRun = party.life << 32
            // A party that comes with a new epoch's positions starts its streams anew.
            if let past = retired.removeValue(forKey: party.id), past.position >= party.numbers.position {
                party.numbers.position = past.position
                party.numbers.sequences = past.sequences
            }
            parties.insert(party)
            if let past = counters.removeValue(forKey: party.id) { count(party.id) { $0 = past } }
            order.append(party.id)
            lastPlace += 1
            places[party.id] = lastPlace
            recipientCache = [:]
            return true
        }

        /// Effects that pended on the party are settled as lost if it `loses` them; `idle` are those who waited for it to become idle.
        mutating func remove(
            _ id: ModuleID, loses: Bool
        ) -> (
            lost: [Resumption], idle: [UnsafeContinuation<Void, Never>], unmade: [KeptValues.Waiter], running: [DrainTask]
        ) {
            guard let seat = parties.remove(id) else { return ([], [], [], []) }
            counters[id] = seat.counters
            let (party, unmade) = (seat.party, seat.party.lasting.kept.forgetAll())
            // A handler that never returns keeps the seat.
            seat.party.queue = FIFO()
            seat.party.lasting.recall = nil
            seat.party.lasting.keeper = nil
            order.removeAll { $0 == id }
            places[id] = nil
            recipientCache = [:]
            pending.shrink()
            retired[id] = party.numbers
            // The last that was waited for may have been this one.
            let idle = isEnding ? takeIdleWaiters(of: id) : []
            return (
                loses ? lose(id).resumptions : [], party.idleWaiters + idle, unmade, party.runs.all.map(\.drain)
            )
        }

        /// Returns the waiters that the ending process releases by it, and those that wait for nobody present any more.
        mutating func setMembership(_ new: Membership?) -> (idle: [UnsafeContinuation<Void, Never>], parked: [Resumption]) {
            let known = membership?.absences ?? [:]
            membership = new
            recipientCache = [:]
            let isNews = new?.absences.keys.contains { known[$0] == nil } ?? false
            return (isEnding ? takeIdleWaiters() : [], isNews ? parkWaiters() : [])
        }

        /// The cluster's, as the broker fixed it, wins over that of this process; nil for a module that is in neither.
        func place(of id: ModuleID) -> UInt64? { membership.map { $0.places[id] } ?? places[id] }

        mutating func recipientsMayHaveChanged() { recipientCache = [:] }

        mutating func route(of topic: Topic) -> Route {
            if let cached = recipientCache[topic] { return cached }
            // A module that leaves a cluster's process stays a recipient until the membership says otherwise.
            let found =
                membership.map { $0.recipients[topic] ?? [] }
                ?? order.filter { parties.read($0) { $0.accepts(topic) && $0.admission != .closed } == true }
            // A topic that nobody hears is not kept: an ingress may name any topic.
            guard !found.isEmpty else { return Route() }
            let route = Route(recipients: Recipients(found), seats: found.compactMap(parties.seat))
            recipientCache[topic] = route
            return route
        }

        /// The party is no recipient any more, and starts nothing that comes from now on.
        mutating func close(_ id: ModuleID) {
            _ = parties.update(id) { $0.close() }
            recipientCache = [:]
        }

        // MARK: Settling

        /// Adds an outcome; the waiter is resumed when it was the last.
        mutating func settle(_ effect: EffectID, by recipient: ModuleID, with result: ActionResult) -> Resumption? {
            guard let (entry, place) = pending.find(effect), let isLast = entry.settle(recipient, with: result) else { return nil }
            guard isLast else {
                if entry.asked == recipient { return endWaiting(for: effect, with: entry.result) }
                return membership?.absences.isEmpty == false ? park(effect) : nil
            }
            pending.remove(at: place)
            if entry.waiter == nil {
                _ = parties.update(effect.module) { $0.lasting.recall?.answered(effect, entry.result) }
            }
            return resumption(of: entry, with: entry.result)
        }

        /// The waiting is over, what the recipients do goes on.
        mutating func endWaiting(for effect: EffectID, with result: ActionResult) -> Resumption? {
            guard let entry = pending[effect] else { return nil }
            defer { (entry.waiter, entry.awaiter) = (nil, nil) }
            if entry.isTransient { pending[effect] = nil }
            return resumption(of: entry, with: result)
        }

        /// The waiter's handler gets its slot back here, in the step that decides that it goes on.
        mutating func resumption(of entry: Pending, with result: ActionResult) -> Resumption? {
            guard let waiter = entry.waiter else { return nil }
            if let awaiter = entry.awaiter { awaiter.seat.party.awaitEnded(awaiter.run) }
            return Resumption(waiter: waiter, result: result, seat: entry.awaiter?.seat)
        }

        /// Everything that pends on the module ends as lost.
        mutating func lose(_ recipient: ModuleID) -> (resumptions: [Resumption], effects: [EffectID]) {
            let outcome = ActionResult(outcomes: [
                .init(
                    recipient: .init(module: recipient), status: .lost, failure: .lost(recipient.rawValue))
            ])
            var resumptions: [Resumption] = []
            var effects: [EffectID] = []
            for (effect, entry) in pending.all where entry.outstanding.contains(recipient) {
                count(recipient) { $0.lost += 1 }
                effects.append(effect)
                if let resumption = settle(effect, by: recipient, with: outcome) { resumptions.append(resumption) }
            }
            return (resumptions, effects)
        }
    }
}
