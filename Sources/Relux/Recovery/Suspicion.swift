import ReluxWire

extension Relux {
    /// The effects of a module whose handlers ran when its process died, until each has been run again: pure.
    ///
    /// Design notes. They are run one at a time, in order, before all other input. One that another suspect waits for goes before
    /// it, or the two would never be alone. Beside a suspect only deliveries of the same root are started, for it may need them, and what
    /// a running handler waits for. One that has not come when the patience is over holds nobody up.
    ///
    /// What has run for its ``loneliness(after:)`` gets company, or a handler that never ends would keep its module waiting: from then
    /// on others are started as if it were not there. A death is then charged to nobody, and the next life begins with those that have not been
    /// alone for so long.
    ///
    /// A *carried* suspect was open at an earlier death, but not at the last one, for it was not run again in between. Nobody waits for
    /// it to come; when it has, it too begins with nothing beside it as long as the patience lasts, and one that is condemned does not
    /// begin at all. A death is charged to none of these by its start: what else the process did by then nobody knows.
    struct Suspicion: Sendable {
        static let patience = Duration.seconds(5)

        /// As long has a suspect, or what runs beside it, nothing else beside it; twice as long with each of the first deaths, for some kill slowly.
        static func loneliness(after deaths: Int) -> Duration { .seconds(1) * (1 << min(max(deaths, 1) - 1, 4)) }

        struct Attempt: Sendable {
            var suspect: Suspect
            /// No other handler of the module ran when it was started, and others wait for its end or its company: a death until then is its own.
            var isCharged: Bool
        }

        /// Not started, in order.
        private var remaining: [Suspect]
        /// Those that had not come in time, and the carried ones.
        private var late: [EffectID: Suspect]
        /// Others wait for a late one's turn.
        private var isPatient = true
        private var alone: (run: UInt64, root: EffectID)?
        private var attempts: [UInt64: Attempt] = [:]
        /// What runs on in company.
        private var released: Set<EffectID> = []
        /// On the node's clock, from the opening of the module on.
        private(set) var patienceEnds: Duration?

        /// nil when there is no suspect.
        init?(_ suspects: [Suspect], carried: [Suspect] = []) {
            guard !suspects.isEmpty || !carried.isEmpty else { return nil }
            remaining = suspects
            late = Dictionary(carried.map { ($0.effect, $0) }) { first, _ in first }
        }

        /// Others wait until those that were open at the last death have been run again.
        var holdsUp: Bool { !remaining.isEmpty || !attempts.isEmpty || alone != nil }

        /// Not everything may be started in the order of the queue.
        var isWatching: Bool { holdsUp || (isPatient && !late.isEmpty) }

        var isOver: Bool { remaining.isEmpty && late.isEmpty && attempts.isEmpty && alone == nil }

        mutating func begin(now: Duration) { if patienceEnds == nil { patienceEnds = now + Self.patience } }

        /// Those that are not in the queue are not waited for any longer.
        mutating func endPatience(_ queue: FIFO<Delivery>) {
            isPatient = false
            for suspect in remaining where Self.offset(of: suspect.effect, in: queue) == nil { late[suspect.effect] = suspect }
            remaining.removeAll { late[$0.effect] != nil }
        }

        /// Which delivery may be started now, by its distance from the front; nil for none.
        ///
        /// - Parameter running: the effects whose handlers run or await.
        func choice(in queue: FIFO<Delivery>, running: [EffectID]) -> Int? {
            let isNeeded = { (delivery: Delivery) in running.contains(where: delivery.ancestry.contains) }
            if let alone { return queue.firstOffset { $0.root == alone.root || isNeeded($0) } }
            guard let first = remaining.first else {
                guard !queue.isEmpty, let next = queue[0] else { return nil }
                guard isPatient, late[next.id] != nil, !isFree(beside: running) else { return 0 }
                return queue.firstOffset(where: isNeeded)
            }
            guard isFree(beside: running) else { return queue.firstOffset(where: isNeeded) }
            guard var chosen = Self.offset(of: first.effect, in: queue) else { return nil }
            // Down from cause to effect; a chain is not longer than the list.
            for _ in remaining {
                guard let cause = queue[chosen]?.id,
                    let deeper = remaining.lazy.compactMap({ Self.offset(of: $0.effect, in: queue) })
                        .first(where: { queue[$0]?.ancestry.contains(cause) == true })
                else { break }
                chosen = deeper
            }
            return chosen
        }

        /// Whether one that has just come behind others may be started, when none of those might.
        ///
        /// The choice among all of them would be made again for each that comes, and a module that recovers has many.
        func admits(_ new: Delivery, running: [EffectID]) -> Bool {
            if running.contains(where: new.ancestry.contains) { return true }
            if let alone { return new.root == alone.root }
            guard let first = remaining.first else { return !isPatient || late.isEmpty }
            return isFree(beside: running) && new.id == first.effect
        }

        /// Others are started as if these did not run.
        private func isFree(beside running: [EffectID]) -> Bool { released.isSuperset(of: running) }

        /// True when the started delivery is a suspect.
        ///
        /// - Parameter running: the effects whose handlers run or await, without this one.
        mutating func started(_ delivery: Delivery, run: UInt64, beside running: [EffectID]) -> Bool {
            let isIdle = running.isEmpty
            if let index = remaining.firstIndex(where: { $0.effect == delivery.id }) {
                attempts[run] = Attempt(suspect: remaining.remove(at: index), isCharged: isIdle)
                if alone == nil { alone = (run, delivery.root) }
                return true
            }
            guard let suspect = late.removeValue(forKey: delivery.id) else { return false }
            attempts[run] = Attempt(suspect: suspect, isCharged: false)
            if alone == nil, isFree(beside: running), isPatient { alone = (run, delivery.root) }
            return true
        }

        func attempt(of run: UInt64) -> Attempt? { attempts[run] }

        mutating func ended(_ run: UInt64) {
            attempts[run] = nil
            if alone?.run == run { alone = nil }
        }

        /// What runs goes on in company.
        mutating func release(_ run: UInt64, of effect: EffectID) {
            released.insert(effect)
            ended(run)
        }

        private static func offset(of effect: EffectID, in queue: FIFO<Delivery>) -> Int? {
            queue.firstOffset { $0.id == effect }
        }
    }
}

extension Relux.Suspect {
    /// After so many deaths, the last of them alone, an effect is not handled again.
    package static let deathLimit = 5
    var isCondemned: Bool { deaths >= Self.deathLimit && wasAlone }
}

extension Relux.Delivery {
    /// The effect that all of its chain comes from.
    var root: EffectID { ancestry.first ?? id }
}
